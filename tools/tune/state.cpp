#include "tools/tune/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "daemon/config_reader.hpp"

namespace glint::tune {
namespace {

constexpr double longest_ms = 1e7;
constexpr uint32_t largest_filter = 255;

toml::table table_of(const TunableValues& values) {
    toml::table table;
    for (const auto& [name, value] : values) table.insert(name, int64_t{value});
    return table;
}

toml::table table_of(const Job& job) {
    toml::array trials;
    for (const Trial& trial : job.trials) {
        trials.push_back(toml::table{{"values", table_of(trial.values)},
                                     {"ms", trial.ms},
                                     {"default_ms", trial.default_ms},
                                     {"wrong", trial.wrong}});
    }
    toml::table table{{"device", job.key.device},
                      {"driver", job.key.driver},
                      {"size", to_string(job.key.size)},
                      {"operator", std::string(kernels::name_of(job.key.op))},
                      {"filter_size", int64_t{job.key.filter_size}},
                      {"measured_filter_size", int64_t{job.filter_size}},
                      {"variant", job.key.variant},
                      {"refused", job.refused},
                      {"defaults", table_of(job.defaults)},
                      {"trial", std::move(trials)}};
    if (job.result) {
        table.insert("result", toml::table{{"values", table_of(job.result->tunables)},
                                           {"ms", job.result->ms},
                                           {"default_ms", job.result->default_ms},
                                           {"wall_ms", job.result->wall_ms},
                                           {"cpu_ms", job.result->cpu_ms}});
    }
    return table;
}

/// Reads with config::Table, whose messages have the place and the key.
class Reader {
  public:
    explicit Reader(const toml::table& table) : table_(table, "job", warnings_), raw_(table) {}

    std::string text(const char* key) { return table_.required_text(key); }
    uint32_t number(const char* key, uint32_t most) { return table_.required_number(key, 0, most); }
    double ms(const char* key) {
        const auto value = table_.real(key, 0, longest_ms);
        if (!value) table_.refuse(key, "a time in milliseconds is expected");
        return *value;
    }
    TunableValues values(const char* key) {
        const toml::table* list = raw_[key].as_table();
        if (list == nullptr) table_.refuse(key, "a table of values is expected");
        TunableValues result;
        for (const auto& [name, node] : *list) {
            const auto value = node.value_exact<int64_t>();
            if (!value || *value < 1 || *value > INT32_MAX)
                table_.refuse(key, "whole numbers above 0 are expected");
            result.emplace(name.str(), static_cast<int32_t>(*value));
        }
        return result;
    }
    [[noreturn]] void refuse(const char* key, const char* allowed) { table_.refuse(key, allowed); }

  private:
    std::vector<std::string> warnings_;
    config::Table table_;
    const toml::table& raw_;
};

/// The tables of an array; none when there is no such array.
template <typename Use>
void each_table(const toml::table& from, const char* key, Use use) {
    const toml::array* list = from[key].as_array();
    if (list == nullptr) return;
    for (const toml::node& node : *list) {
        if (const toml::table* table = node.as_table()) use(*table);
    }
}

Job job_of(const toml::table& table) {
    Reader reader(table);
    const auto size = gpu::parse_frame_size(reader.text("size"));
    if (!size) reader.refuse("size", "a frame size looks like 1920x1080");
    const auto op = gpu::operator_named(reader.text("operator"));
    if (!op) reader.refuse("operator", "there is no such operator");
    Job job{.key = {.device = reader.text("device"),
                    .driver = reader.text("driver"),
                    .size = *size,
                    .op = *op,
                    .filter_size = reader.number("filter_size", largest_filter),
                    .variant = reader.text("variant")},
            .filter_size = reader.number("measured_filter_size", largest_filter),
            .defaults = reader.values("defaults"),
            .trials = {},
            .result = std::nullopt,
            .refused = reader.text("refused")};
    each_table(table, "trial", [&](const toml::table& trial) {
        Reader one(trial);
        job.trials.push_back({.values = one.values("values"),
                              .ms = one.ms("ms"),
                              .default_ms = one.ms("default_ms"),
                              .wrong = one.text("wrong")});
    });
    if (const toml::table* result = table["result"].as_table()) {
        Reader one(*result);
        job.result = gpu::TunedVariant{.tunables = one.values("values"),
                                       .ms = one.ms("ms"),
                                       .default_ms = one.ms("default_ms"),
                                       .wall_ms = one.ms("wall_ms"),
                                       .cpu_ms = one.ms("cpu_ms"),
                                       .file = {}};
    }
    return job;
}

}  // namespace

std::string title_of(const Job& job) {
    const gpu::TuningKey& key = job.key;
    const std::string filter = job.filter_size == 0 ? "" : fmt::format(" {0}x{0}", job.filter_size);
    return fmt::format("{}{} {} {}", kernels::name_of(key.op), filter, key.variant,
                       to_string(key.size));
}

std::string format_state(const std::vector<Job>& jobs) {
    toml::array list;
    for (const Job& job : jobs) list.push_back(table_of(job));
    std::ostringstream text;
    text << "# What glint-tune had measured when it was stopped; `glint-tune --resume` goes on.\n"
         << toml::table{{"job", std::move(list)}} << '\n';
    return text.str();
}

std::vector<Job> parse_state(const std::string& text, const std::string& path) {
    const toml::table root = config::parse_and_merge({{path, text}});
    std::vector<Job> jobs;
    each_table(root, "job", [&](const toml::table& table) { jobs.push_back(job_of(table)); });
    return jobs;
}

std::vector<Job> resume(std::vector<Job> jobs, const std::vector<Job>& earlier) {
    for (Job& job : jobs) {
        const auto found = std::ranges::find_if(earlier, [&](const Job& one) {
            return one.key == job.key && one.filter_size == job.filter_size;
        });
        if (found != earlier.end()) job = *found;
    }
    return jobs;
}

}  // namespace glint::tune
