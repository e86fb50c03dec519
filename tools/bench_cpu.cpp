// The cpu variants, on one thread.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "tools/bench.hpp"

namespace glint::bench {
namespace {

constexpr int runs = 21;

void histogram(benchmark::State& state, Size size, Picture picture) {
    const gpu::HistogramTask task(grey_lane(size));
    gpu::Bins bins;
    const zero_copy::FrameMemory frame(size_t{size.width} * size.height);
    fill(picture, frame.bytes(), size.width);
    for ([[maybe_unused]] auto _ : state) {
        std::vector<double> times;
        for (int run = 0; run < runs; ++run) {
            times.push_back(time_of([&] { gpu::cpu::histogram(frame.data(), task, bins); }));
        }
        state.SetIterationTime(median(times));
    }
}

void convolution(benchmark::State& state, Size size, const gpu::Filter& filter) {
    const gpu::Lane lane = grey_lane(size);
    const zero_copy::FrameMemory frame(size_t{size.width} * size.height);
    const zero_copy::FrameMemory output(size_t{size.width} * size.height);
    fill(Picture::noise, frame.bytes(), size.width);
    for ([[maybe_unused]] auto _ : state) {
        std::vector<double> times;
        for (int run = 0; run < runs; ++run) {
            times.push_back(time_of([&] {
                gpu::cpu::convolve(frame.data(), lane, filter, {output.data(), size.width});
            }));
        }
        state.SetIterationTime(median(times));
    }
}

}  // namespace

void register_cpu() {
    for (const Size size : sizes) {
        const std::string where = fmt::format("{}x{}", size.width, size.height);
        for (const Picture picture : {Picture::noise, Picture::smooth}) {
            benchmark::RegisterBenchmark(
                fmt::format("cpu/histogram/{}/{}", name_of(picture), where).c_str(), histogram,
                size, picture)
                ->UseManualTime()
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
        }
        for (const NamedFilter& filter : filters()) {
            benchmark::RegisterBenchmark(fmt::format("cpu/{}/{}", filter.name, where).c_str(),
                                         convolution, size, filter.filter)
                ->UseManualTime()
                ->Iterations(1)
                ->Unit(benchmark::kMillisecond);
        }
    }
}

}  // namespace glint::bench
