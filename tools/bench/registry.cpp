#include "tools/bench/registry.hpp"

#include <benchmark/benchmark.h>

namespace glint::bench {
namespace {

size_t failed = 0;

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
        state.SkipWithError((std::string("skipped: ") + skip.what()).c_str());
    } catch (const std::exception& error) {
        ++failed;
        state.SkipWithError((std::string("failed: ") + error.what()).c_str());
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

size_t failed_rows() {
    return failed;
}

}  // namespace glint::bench
