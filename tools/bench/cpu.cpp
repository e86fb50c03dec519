// The cpu variants on one thread, beside what one thread can do: loops that only read, only copy or
// only multiply and add, compiled for the same instruction set.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

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
    Result result{.timing = timings[0],
                  .counters = {{"GB/s", demand.bytes / seconds * 1e-9},
                               {"floor_us", floor_seconds * 1e6},
                               {"x_floor", seconds / floor_seconds},
                               {"of_ceiling", verdict.of_ceiling}},
                  .label = name_of(verdict.bound)};
    if (demand.multiply_adds > 0)
        result.counters["Gop/s"] = 2 * demand.multiply_adds / seconds * 1e-9;
    return result;
}

Result measure(const tools::Task& task, const Frame& frame) {
    const tools::Cost cost = cost_of(task, frame.lane);
    const FloorTraffic floor = floor_of(cost);
    const zero_copy::FrameMemory output(
        std::max(result_bytes(task, frame.lane), size_t{cost.bytes()} / 2));
    return measure(
        demand_of(cost),
        [&] {
            return time_of(
                [&] { compute_on_cpu(task, frame.memory.data(), frame.lane, output.bytes()); });
        },
        [&] {
            return time_of([&] {
                if (floor.traffic == Traffic::read) {
                    read_only(frame.memory.bytes().first(floor.bytes));
                } else {
                    std::memcpy(output.data(), frame.memory.data(), floor.bytes);
                    benchmark::ClobberMemory();
                }
            });
        });
}

}  // namespace

void add_cpu(bool all) {
    for (const FrameKind& kind : frame_kinds()) {
        if (kind.stride != Stride::tight) continue;
        for (const tools::Task& task : tools::tasks()) {
            if (!is_measured_on(task, kind, all)) continue;
            for (const Picture picture : pictures_of(task)) {
                add_row(fmt::format("{}/cpu/{}{}", task.name, picture_text(task, picture),
                                    text_of(task, kind)),
                        [&task, kind, picture] {
                            return measure(task, make_frame(task, kind, picture));
                        });
            }
        }
    }
}

}  // namespace glint::bench
