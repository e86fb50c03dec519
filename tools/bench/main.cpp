// glint-bench: every kernel variant and every cpu variant beside what the device can do at best,
// and what it costs to get a frame there. Needs neither D-Bus nor systemd, so that it can be
// carried to another machine.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "tools/bench/baseline.hpp"
#include "tools/bench/registry.hpp"
#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

constexpr int success = 0;
constexpr int failure = 1;
constexpr int usage = 2;
constexpr int too_slow = 3;

struct Options {
    std::string device = "*";
    bool all = false;
    std::string baseline;
    std::optional<double> fail_above_percent;
};

constexpr char footer[] =
    "All flags of Google Benchmark work too, among them\n"
    "  --benchmark_filter=REGEX       only rows whose names match\n"
    "  --benchmark_list_tests         print the names and end\n"
    "  --benchmark_out=FILE           save the run as JSON, for --baseline\n"
    "  --benchmark_repetitions=N      each row N times, with mean, median and deviation\n"
    "Exit status: 0 done, 1 something failed, 2 wrong command line, 3 slower than --fail-above\n"
    "allows. See glint-bench(1).";

std::string refuse_unless_percentage(const std::string& text) {
    double percent = 0;
    if (CLI::detail::lexical_cast(text, percent) && percent >= 0) return "";
    return fmt::format("'{}' is not a number from 0 on", text);
}

void add_options(CLI::App& app, Options& options) {
    app.add_option("--device", options.device,
                   "Shell pattern that PLATFORM/DEVICE must match; a GPU is preferred")
        ->type_name("PATTERN")
        ->capture_default_str();
    app.add_flag("--all", options.all,
                 "Every format, stride and work-group size, and large filters on every size");
    CLI::Option* baseline = app.add_option("--baseline", options.baseline,
                                           "Compare with a run that was saved with --benchmark_out")
                                ->type_name("FILE");
    app.add_option("--fail-above", options.fail_above_percent,
                   "End with status 3 if a row is slower than the baseline by more")
        ->type_name("PERCENT")
        ->check(refuse_unless_percentage)
        ->needs(baseline);
    app.allow_extras();
    app.footer(footer);
    app.set_version_flag("--version", "glint-bench " GLINT_VERSION);
}

/// Google Benchmark's own table or JSON, and what was measured kept for the comparison.
class Recorder final : public benchmark::BenchmarkReporter {
  public:
    /// After benchmark::Initialize(), which says what the display is to be.
    Recorder() : display_(*benchmark::CreateDefaultDisplayReporter()) {}

    bool ReportContext(const Context& context) override { return display_.ReportContext(context); }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
            const auto counter = [&](const char* name) {
                const auto found = run.counters.find(name);
                return found != run.counters.end() ? found->second.value : 0.0;
            };
            repetitions_.push_back(
                {run.run_name.str(),
                 run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit),
                 counter("spread"), counter("x_floor")});
        }
        display_.ReportRuns(runs);
    }
    void Finalize() override { display_.Finalize(); }

    /// Whether standard output has a table that people read, and no format for programs.
    [[nodiscard]] bool prints_table() const {
        return dynamic_cast<const benchmark::ConsoleReporter*>(&display_) != nullptr;
    }
    [[nodiscard]] std::vector<Figure> figures() const { return merged(repetitions_); }

  private:
    benchmark::BenchmarkReporter& display_;
    std::vector<Figure> repetitions_;
};

/// The device to measure; null, with a note, when the loader knows none and none was asked for.
/// Throws std::runtime_error when none matches the pattern.
std::unique_ptr<Suite> make_suite(const Options& options) {
    auto device = gpu::choose_device(options.device);
    if (!device && options.device == "*") {
        fmt::print(stderr, "glint-bench: no OpenCL device; only the cpu variants run\n");
        return nullptr;
    }
    if (!device) {
        std::string known;
        for (const gpu::Device& one : gpu::list_devices())
            known += fmt::format("\n  {}/{}", one.traits.platform_name, one.traits.name);
        throw std::runtime_error(fmt::format("no OpenCL device matches '{}'; there are:{}",
                                             options.device, known.empty() ? " none" : known));
    }
    const gpu::DeviceTraits& traits = device->traits;
    benchmark::AddCustomContext("opencl_device",
                                fmt::format("{}/{}", traits.platform_name, traits.name));
    benchmark::AddCustomContext("opencl_version", traits.version);
    benchmark::AddCustomContext("opencl_profile", traits.profile);
    benchmark::AddCustomContext("opencl_driver", traits.driver_version);
    auto suite = std::make_unique<Suite>(std::move(*device));
    suite->all = options.all;
    return suite;
}

void add_all(Suite* suite, bool all) {
    if (suite != nullptr) add_ceilings(*suite);
    add_cpu(all);
    if (suite == nullptr) return;
    add_matrix(*suite);
    add_transfers(*suite);
    add_images(*suite);
    add_launches(*suite);
    add_pipes(*suite);
#ifdef GLINT_BENCH_PEERS
    add_peers(*suite);
#endif
}

int run(const Options& options) {
    std::vector<Figure> then;
    if (!options.baseline.empty()) {
        then = read_figures(options.baseline);
        std::erase_if(then, [](const Figure& one) { return !is_asked_for(one.name); });
    }
    const std::unique_ptr<Suite> suite = make_suite(options);
    add_all(suite.get(), options.all);
    Recorder recorder;
    if (benchmark::RunSpecifiedBenchmarks(&recorder) == 0) {
        throw std::runtime_error(
            fmt::format("no row matches --benchmark_filter={}; --benchmark_list_tests prints all "
                        "names, with --all also those of other formats, strides and blocks",
                        benchmark::GetBenchmarkFilter()));
    }
    const std::vector<Figure> now = recorder.figures();
    int status = failed_rows() == 0 ? success : failure;
    if (options.baseline.empty()) return status;
    const std::vector<Pair> pairs = compare(then, now);
    fmt::print(recorder.prints_table() ? stdout : stderr, "\n{}", text_of(pairs));
    if (!options.fail_above_percent) return status;
    const size_t slower = count_slower_than(pairs, *options.fail_above_percent);
    if (slower == 0) return status;
    fmt::print(stderr, "glint-bench: rows slower than in {} by more than {} %: {}\n",
               options.baseline, *options.fail_above_percent, slower);
    return status == success ? too_slow : status;
}

/// Takes our own options off the command line and leaves Google Benchmark the rest.
int start(int argc, char** argv) {
    Options options;
    CLI::App app("Measure every kernel variant beside what the device can do at best",
                 "glint-bench");
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? success : usage;
    }
    std::vector<std::string> rest = app.remaining();
    std::vector<char*> pointers{argv[0]};
    for (std::string& one : rest) pointers.push_back(one.data());
    auto count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    benchmark::Initialize(&count, pointers.data());
    if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return usage;
    try {
        const int status = run(options);
        benchmark::Shutdown();
        return status;
    } catch (const std::exception& error) {
        fmt::print(stderr, "glint-bench: {}\n", error.what());
        return failure;
    }
}

}  // namespace
}  // namespace glint::bench

int main(int argc, char** argv) {
    return glint::bench::start(argc, argv);
}
