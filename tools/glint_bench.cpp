// glint-bench: every kernel variant and every cpu variant, beside its floor, in one run. Needs
// neither D-Bus nor systemd, so that it can be carried to another machine.
#include <benchmark/benchmark.h>

#include "tools/bench.hpp"

namespace glint::bench {

const char* name_of(Picture picture) {
    return picture == Picture::noise ? "noise" : "smooth";
}

void fill(Picture picture, std::span<uint8_t> pixels, uint32_t width) {
    uint32_t state = 1;
    for (size_t i = 0; i < pixels.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        const auto smooth = static_cast<uint8_t>(i % width * 256 / width);
        pixels[i] = picture == Picture::noise ? static_cast<uint8_t>(state >> 24) : smooth;
    }
}

const std::vector<NamedFilter>& filters() {
    static const std::vector<NamedFilter> all = [] {
        gpu::Filter binomial3{.size = 3, .shift = 4, .coefficients = {1, 2, 1, 2, 4, 2, 1, 2, 1}};
        gpu::Filter binomial5{.size = 5, .shift = 8};
        constexpr int16_t line[] = {1, 4, 6, 4, 1};
        gpu::Filter uneven3{.size = 3, .shift = 5};
        gpu::Filter uneven5{.size = 5, .shift = 7};
        for (size_t i = 0; i < 25; ++i) {
            binomial5.coefficients[i] = static_cast<int16_t>(line[i / 5] * line[i % 5]);
            uneven5.coefficients[i] = static_cast<int16_t>(static_cast<int>(i * 37 % 41) - 12);
            if (i < 9)
                uneven3.coefficients[i] = static_cast<int16_t>(static_cast<int>(i * 37 % 23) - 7);
        }
        return std::vector<NamedFilter>{{"binomial3", binomial3},
                                        {"binomial5", binomial5},
                                        {"general3", uneven3},
                                        {"general5", uneven5}};
    }();
    return all;
}

}  // namespace glint::bench

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    glint::bench::register_cpu();
#ifdef GLINT_BENCH_PEERS
    glint::bench::register_opencv();
#endif
    glint::bench::register_opencl();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
