// The cpu variants on one thread, beside what one thread can do: loops that only read, only copy or
// only multiply and add, compiled for the same instruction set.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "tools/bench/frames.hpp"
#include "tools/bench/registry.hpp"
#include "tools/bench/roofline.hpp"
#include "tools/bench/suite.hpp"

// As the cpu variants' inner loops: a copy for AVX2 too, chosen when the program is loaded; the
// sanitizers' run-time libraries are not ready yet when that choice is made.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(GLINT_SANITIZED)
#define BENCH_INNER_LOOP __attribute__((target_clones("avx2", "default")))
#else
#define BENCH_INNER_LOOP __attribute__((noinline))
#endif

namespace glint::bench {
namespace {

BENCH_INNER_LOOP uint64_t xor_of(const uint64_t* words, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum ^= words[i];
    return sum;
}

void read_only(std::span<const uint8_t> bytes) {
    benchmark::DoNotOptimize(
        xor_of(reinterpret_cast<const uint64_t*>(bytes.data()), bytes.size() / sizeof(uint64_t)));
}

constexpr uint32_t multiply_add_rounds = 20000;
constexpr size_t chain_bytes = 2048;  ///< so many registers full that none waits for another

template <typename Integer>
using Chains = std::array<Integer, chain_bytes / sizeof(Integer)>;

// Two functions, since no compiler makes clones of a template.
BENCH_INNER_LOOP void multiply_add(Chains<uint32_t>& values, uint32_t by, uint32_t plus) {
    for (uint32_t round = 0; round < multiply_add_rounds; ++round) {
        for (uint32_t& value : values) value = value * by + plus;
    }
}
BENCH_INNER_LOOP void multiply_add(Chains<uint16_t>& values, uint16_t by, uint16_t plus) {
    for (uint32_t round = 0; round < multiply_add_rounds; ++round) {
        for (uint16_t& value : values) value = static_cast<uint16_t>(value * by + plus);
    }
}

template <typename Integer>
double multiply_adds_per_sec() {
    const Contender run = [] {
        Chains<Integer> values{};
        return time_of([&] {
            multiply_add(values, Integer{4097}, Integer{17});
            benchmark::DoNotOptimize(values);
        });
    };
    return double{multiply_add_rounds} * Chains<Integer>{}.size() / in_turn({&run, 1})[0].seconds;
}

/// `work` and the floor, a read or a copy of as many bytes, in turn.
Result measure(const Demand& demand, const Contender& work, const Contender& floor) {
    static const double peak =
        std::max(multiply_adds_per_sec<uint16_t>(), multiply_adds_per_sec<uint32_t>());
    const std::array contenders{work, floor};
    const std::vector<Timing> timings = in_turn(contenders);
    const double seconds = timings[0].seconds;
    const double floor_seconds = timings[1].seconds;
    const Verdict verdict =
        judge(seconds, demand,
              {.bytes_per_sec = demand.bytes / floor_seconds, .multiply_adds_per_sec = peak});
    return {.timing = timings[0],
            .counters = {{"GB/s", demand.bytes / seconds * 1e-9},
                         {"Gop/s", 2 * demand.multiply_adds / seconds * 1e-9},
                         {"floor_us", floor_seconds * 1e6},
                         {"x_floor", seconds / floor_seconds},
                         {"of_ceiling", verdict.of_ceiling}},
            .label = name_of(verdict.bound)};
}

Result histogram(const Frame& frame) {
    const size_t bytes = frame.bytes_to_read();
    const gpu::HistogramTask task(frame.lane);
    gpu::Bins bins;
    return measure(
        {.bytes = static_cast<double>(bytes), .multiply_adds = operations_of_histogram(frame.size)},
        [&] { return time_of([&] { gpu::cpu::histogram(frame.memory.data(), task, bins); }); },
        [&] { return time_of([&] { read_only(frame.memory.bytes().first(bytes)); }); });
}

Result convolution(const Frame& frame, const gpu::Filter& filter) {
    const size_t moved = frame.bytes_to_read() + frame.bytes_filtered();
    const zero_copy::FrameMemory output(moved);
    return measure(
        {.bytes = static_cast<double>(moved),
         .multiply_adds = operations_of_filter(frame.size, filter)},
        [&] {
            return time_of([&] {
                gpu::cpu::convolve(frame.memory.data(), frame.lane, filter,
                                   {output.data(), frame.size.width});
            });
        },
        [&] {
            return time_of([&] {
                std::memcpy(output.data(), frame.memory.data(), moved / 2);
                benchmark::ClobberMemory();
            });
        });
}

void add_frame(const NamedFormat& format, Size size) {
    for (const Picture picture : {Picture::noise, Picture::smooth}) {
        add_row(fmt::format("histogram/cpu/{}/{}/{}", name_of(picture), format.name, text_of(size)),
                [format, size, picture] {
                    return histogram(make_frame(format.format, size, Stride::tight, picture));
                });
    }
    for (const NamedFilter& entry : filters()) {
        add_row(fmt::format("{}/cpu/{}/{}", entry.name, format.name, text_of(size)), [format, size,
                                                                                      &entry] {
            return convolution(make_frame(format.format, size, Stride::tight, Picture::noise),
                               entry.filter);
        });
    }
}

}  // namespace

void add_cpu(bool all) {
    for (const Size size : sizes) {
        for (const NamedFormat& format : formats) {
            if (all || format.format == zero_copy::PixelFormat::grey) add_frame(format, size);
        }
    }
}

}  // namespace glint::bench
