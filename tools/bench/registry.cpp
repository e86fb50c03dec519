#include "tools/bench/registry.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <regex>

namespace glint::bench {
namespace {

size_t failed = 0;

/// What Google Benchmark adds to the name of a row of ours.
constexpr char name_end[] = "/iterations:1/manual_time";

/// In one line, as the table needs it: compilers' logs have many.
void end_row(benchmark::State& state, const char* what, const std::exception& why) {
    std::string text = std::string(what) + why.what();
    std::ranges::replace(text, '\n', ' ');
    state.SkipWithError(text.c_str());
}

void run_row(benchmark::State& state, const std::function<Result()>& body) {
    try {
        for ([[maybe_unused]] auto _ : state) {
            const Result result = body();
            state.SetIterationTime(result.timing.seconds);
            for (const auto& [name, value] : result.counters) state.counters[name] = value;
            state.counters["spread"] = result.timing.spread;
            state.SetLabel(result.label);
        }
    } catch (const Skip& skip) {
        end_row(state, "skipped: ", skip);
    } catch (const std::exception& error) {
        ++failed;
        end_row(state, "failed: ", error);
    }
}

}  // namespace

void add_row(const std::string& name, std::function<Result()> body) {
    // One iteration: the body does many runs, and takes their median.
    benchmark::RegisterBenchmark(
        name.c_str(), [body = std::move(body)](benchmark::State& state) { run_row(state, body); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
}

bool is_asked_for(const std::string& name) {
    const std::string filter = benchmark::GetBenchmarkFilter();
    if (filter.empty() || filter == "all") return true;
    const bool negative = filter.starts_with('-');
    const std::regex regex(negative ? filter.substr(1) : filter, std::regex::extended);
    const std::string whole = name.ends_with(name_end) ? name : name + name_end;
    return std::regex_search(whole, regex) != negative;
}

size_t failed_rows() {
    return failed;
}

}  // namespace glint::bench
