#include "tools/tune/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "daemon/config_reader.hpp"
#include "daemon/names.hpp"
#include "tools/new_file.hpp"
#include "tools/tune/plot.hpp"
#include "tools/tune/saxpy.hpp"
#include "tools/tune/stop.hpp"

namespace glint::tune {
namespace {

/// Built programs, for as long as the process lives: other frame sizes need the same ones.
class TemporaryCache {
  public:
    TemporaryCache() : folder_(make()), cache_(folder_) {}
    ~TemporaryCache() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    TemporaryCache(const TemporaryCache&) = delete;
    TemporaryCache& operator=(const TemporaryCache&) = delete;

    [[nodiscard]] gpu::BinaryCache& cache() { return cache_; }

  private:
    /// Without a place for it every program is built anew, which only costs time.
    static std::filesystem::path make() {
        std::error_code error;
        const auto folder = std::filesystem::temp_directory_path(error);
        std::string name = (folder / "glint-tune-XXXXXX").string();
        if (error || ::mkdtemp(name.data()) == nullptr) return {};
        return name;
    }

    std::filesystem::path folder_;
    gpu::BinaryCache cache_;
};

gpu::Device device_for(const Options& options) {
    auto device = gpu::choose_device(options.device);
    if (device) return *device;
    std::string found;
    for (const gpu::Device& one : gpu::list_devices())
        found += fmt::format("\n  {}/{}", one.traits.platform_name, one.traits.name);
    throw std::runtime_error(
        found.empty()
            ? "no OpenCL device; `glintd --probe` shows what is missing"
            : fmt::format("no usable device matches \"{}\"; there are:{}", options.device, found));
}

Machine machine_of(const gpu::DeviceTraits& traits) {
    return {traits.name, traits.driver_version, traits.platform_name};
}

std::string device_line(const gpu::DeviceTraits& traits) {
    return fmt::format("{}/{}: {}, driver {}, {} compute units, {} bytes of {} local memory",
                       traits.platform_name, traits.name, traits.version, traits.driver_version,
                       traits.compute_units, traits.local_bytes,
                       traits.real_local_memory ? "real" : "emulated");
}

void save(const Options& options, const Machine& machine, const std::vector<Ranking>& rankings) {
    if (!options.json.empty()) tools::write_new_file(options.json, json_text(machine, rankings));
    if (!options.plot.empty()) write_png(draw(rankings), options.plot);
}

std::vector<size_t> expected_of(const gpu::DeviceTraits& traits, const std::vector<Job>& jobs) {
    std::vector<size_t> expected;
    for (const Job& job : jobs) expected.push_back(expected_trials(first_space(traits, job.key)));
    return expected;
}

std::string state_file_of(const Options& options) {
    return options.output + ".state";
}

/// The tuning file in which a finished run left entries for this device and driver; empty: none.
std::string tuned_in(const Options& options, const gpu::DeviceTraits& traits) {
    if (std::filesystem::exists(state_file_of(options))) return {};
    std::vector<std::string> problems;  // the session says what is wrong with its own file
    const gpu::Tuning tuning = gpu::load_tuning({names::shipped_tuning, options.output}, problems);
    const auto found = std::ranges::find_if(tuning, [&](const auto& entry) {
        return entry.first.device == traits.name && entry.first.driver == traits.driver_version;
    });
    return found == tuning.end() ? std::string() : found->second.file;
}

/// The jobs and the two files that keep them.
class Session {
  public:
    Session(const Options& options, std::vector<Job> jobs)
        : options_(options), state_file_(state_file_of(options)), jobs_(std::move(jobs)) {
        // Before anything is measured: a file that cannot be read would be lost, and one that
        // cannot be written would make it all for nothing.
        const auto folder = std::filesystem::absolute(options.output).parent_path();
        if (!std::filesystem::is_directory(folder)) {
            throw std::runtime_error(
                fmt::format("there is no folder {}; make it, or name another file with --output",
                            folder.string()));
        }
        if (std::filesystem::exists(options.output)) {
            const ConfigText text = read_config(options.output);
            tuning_ = gpu::parse_tuning(text.text, text.path);
        }
        const bool stopped = std::filesystem::exists(state_file_);
        if (options.resume || (options.if_missing && stopped)) take_up();
        save_state();
    }

    [[nodiscard]] std::vector<Job>& jobs() { return jobs_; }
    [[nodiscard]] size_t entries() const { return tuning_.size(); }

    void save_state() const { tools::write_new_file(state_file_, format_state(jobs_)); }

    void save_result(const Job& job) {
        if (job.result) tuning_.insert_or_assign(job.key, *job.result);
        tools::write_new_file(options_.output, gpu::format_tuning(tuning_));
        save_state();
    }

    void finished() const { std::filesystem::remove(state_file_); }

  private:
    void take_up() {
        if (!std::filesystem::exists(state_file_)) {
            throw std::runtime_error(fmt::format(
                "nothing to resume: there is no {}; run without --resume", state_file_));
        }
        const ConfigText text = read_config(state_file_);
        jobs_ = resume(std::move(jobs_), parse_state(text.text, text.path));
    }

    const Options& options_;
    std::string state_file_;
    std::vector<Job> jobs_;
    gpu::Tuning tuning_;
};

/// What is known of all jobs, in the order in which they were measured, the winners last.
std::vector<Ranking> all_rankings(const std::vector<Job>& jobs) {
    std::vector<Ranking> rankings;
    for (const Job& job : jobs) {
        if (!job.trials.empty() || job.finished()) rankings.push_back(ranking_of(job));
    }
    for (Ranking& ranking : winners_of(jobs)) rankings.push_back(std::move(ranking));
    return rankings;
}

}  // namespace

void list(const Options& options) {
    for (const gpu::Device& device : gpu::list_devices())
        fmt::print("{}\n", device_line(device.traits));
    const gpu::Device device = device_for(options);
    const std::vector<Job> jobs = jobs_for(device.traits, options.wanted);
    if (jobs.empty()) {
        throw std::runtime_error(
            "no such variant is legal on this device; leave out --operator, "
            "--variant or --filter-size");
    }
    const gpu::Context context(device);
    const std::vector<size_t> expected = expected_of(device.traits, jobs);
    fmt::print("\nOn {} would be measured, with about so many candidates:\n", device.traits.name);
    size_t sum = 0;
    for (size_t i = 0; i < jobs.size(); ++i) {
        fmt::print("  {:<48} {:>4}\n", title_of(jobs[i]), expected[i]);
        sum += expected[i];
    }
    TemporaryCache temporary;
    Progress none(expected);
    const double each =
        Tuner(context, temporary.cache(), none, options.runs).seconds_per_candidate(jobs.back());
    fmt::print("{} candidates, about {} at {:.1f} s each (as the last one took now)\n", sum,
               duration_text(static_cast<double>(sum) * each), each);
}

void run_tuning(const Options& options) {
    const gpu::Context context(device_for(options));
    const gpu::DeviceTraits& traits = context.device.traits;
    if (options.if_missing) {
        if (const std::string file = tuned_in(options, traits); !file.empty()) {
            fmt::print("{} with driver {} has been measured: {}\n", traits.name,
                       traits.driver_version, file);
            return;
        }
    }
    Session session(options, jobs_for(traits, options.wanted));
    std::vector<Job>& jobs = session.jobs();
    if (jobs.empty()) {
        session.finished();
        throw std::runtime_error("no such variant is legal on this device; see --list");
    }
    fmt::print(stderr, "{}\n", device_line(traits));
    TemporaryCache temporary;
    Progress progress(expected_of(traits, jobs));
    Tuner tuner(context, temporary.cache(), progress, options.runs);
    for (size_t i = 0; i < jobs.size(); ++i) {
        if (jobs[i].finished()) progress.estimate().job_skipped(i);
    }
    for (size_t i = 0; i < jobs.size() && stop_signal() == 0; ++i) {
        if (jobs[i].finished()) continue;
        tuner.run(jobs[i], i, [&] { session.save_state(); });
        if (!jobs[i].finished()) break;
        session.save_result(jobs[i]);
        progress.clear();
        fmt::print("{}", table_text(ranking_of(jobs[i])));
        std::fflush(stdout);
    }
    progress.clear();
    for (const Ranking& ranking : winners_of(jobs)) fmt::print("{}", table_text(ranking));
    save(options, machine_of(traits), all_rankings(jobs));
    if (stop_signal() != 0) {
        fmt::print(stderr, "stopped; what is measured is kept: `glint-tune --resume` goes on\n");
        return;
    }
    session.finished();
    fmt::print("{}: {} entries; glintd reads it at its next start or `glintctl retry-gpu`\n",
               options.output, session.entries());
}

void run_saxpy(const Options& options) {
    const gpu::Context context(device_for(options));
    fmt::print(stderr, "{}\n", device_line(context.device.traits));
    const Ranking ranking = sweep_saxpy(context, options.elements, options.runs);
    if (ranking.rows.empty()) return;
    fmt::print("{}", table_text(ranking));
    save(options, machine_of(context.device.traits), {ranking});
}

}  // namespace glint::tune
