#include "tools/bench/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/bench/ceiling_kernels.hpp"

namespace glint::bench {
namespace {

struct Loads {
    size_t words;  ///< of 4 bytes, per load
    size_t per_round;

    [[nodiscard]] size_t chunk_bytes() const { return words * 4; }
};
constexpr std::array loads{Loads{4, 1}, Loads{4, 2}, Loads{4, 4}, Loads{16, 1}, Loads{16, 2}};
constexpr std::array memory_kernels{"read_strided", "copy_strided", "read_blocks", "copy_blocks"};
/// Small GPUs take at most 65536 work-items in a dimension.
constexpr size_t widest_row = 32768;
constexpr Budget floor_budget{.least_runs = 5, .most_runs = 21, .seconds = 0.5};

enum class Access { one_shot, grid_stride, blocks };

/// `items` work-items at least, folded into two dimensions where one is not enough.
Range range_for(size_t items, size_t local) {
    const size_t row = std::min(widest_row, zero_copy::align_up(items, local));
    return {.global = {row, (items + row - 1) / row}, .local = {local, 1}};
}

struct Sizes {
    std::vector<size_t> locals;
    std::vector<size_t> items_per_unit;
};

/// A GPU needs many work-items to hide its memory's latency; on a CPU a few per core are enough.
Sizes sizes_for(const gpu::DeviceTraits& traits) {
    if (traits.is_cpu()) return {{16, 128}, {16, 128, 1024}};
    return {{64, 256}, {512, 1024, 2048, 4096}};
}

std::string describe(const char* access, const Loads& loads, const Range& range) {
    return fmt::format("{}, {} x {} bytes, work-group {}, {} work-items", access, loads.per_round,
                       loads.chunk_bytes(), range.local[0], range.global[0] * range.global[1]);
}

/// Runs the candidates that can run in turn; `run(candidate)` is one's Contender. Returns those
/// that did, with their timing.
template <typename Candidate, typename Run>
std::vector<Candidate> measured(std::vector<Candidate> candidates, Run run) {
    std::erase_if(candidates, [&](const Candidate& candidate) {
        try {
            (void)run(candidate)();
            return false;
        } catch (const gpu::ClError&) {
            return true;
        }
    });
    if (candidates.empty()) throw std::runtime_error("no kernel for this ceiling runs here");
    std::vector<Contender> contenders;
    contenders.reserve(candidates.size());
    for (const Candidate& candidate : candidates) contenders.push_back(run(candidate));
    const std::vector<Timing> timings = in_turn(contenders, floor_budget);
    for (size_t i = 0; i < timings.size(); ++i) candidates[i].timing = timings[i];
    return candidates;
}

struct PeakCandidate {
    gpu::BuiltProgram program;
    Range range;
    cl_uint rounds = 1;
    int width = 4;
    const char* element = "float";
    Timing timing;

    [[nodiscard]] double multiply_adds() const {
        return static_cast<double>(range.global[0]) * rounds * width * multiply_add_chains;
    }
};

Contender peak_contender(const Device& device, const PeakCandidate& candidate,
                         Arithmetic arithmetic, cl_mem out) {
    const cl_kernel kernel = candidate.program.kernels[0].get();
    return device.timed_by_device([kernel, arithmetic, out, range = candidate.range,
                                   rounds = candidate.rounds](auto queue, auto* events) {
        // Values that stay normal numbers for ever.
        if (arithmetic == Arithmetic::floats) {
            gpu::set_args(kernel, cl_float{0.5F}, cl_float{1.5F}, rounds, out);
        } else {
            gpu::set_args(kernel, cl_uint{1664525}, cl_uint{1013904223}, rounds, out);
        }
        Device::enqueue(queue, kernel, range, events);
    });
}

/// Enough rounds for a millisecond, beside which starting the kernel does not count.
void fit_rounds(const Device& device, PeakCandidate& candidate, Arithmetic arithmetic, cl_mem out) {
    constexpr double long_enough_sec = 1e-3;
    constexpr cl_uint most_rounds = 1U << 20;
    while (candidate.rounds < most_rounds &&
           peak_contender(device, candidate, arithmetic, out)() < long_enough_sec) {
        candidate.rounds *= 4;
    }
}

std::vector<PeakCandidate> peak_candidates(Device& device, Arithmetic arithmetic) {
    const bool floats = arithmetic == Arithmetic::floats;
    const std::vector<const char*> elements =
        floats ? std::vector{"float"} : std::vector{"uint", "ushort"};
    const Sizes sizes = sizes_for(device.traits());
    std::vector<PeakCandidate> result;
    for (const char* element : elements) {
        for (const int width : {4, 16}) {
            for (const size_t local : sizes.locals) {
                PeakCandidate one{.program = device.build(
                                      multiply_add_source, {floats ? "mad_floats" : "mad_integers"},
                                      fmt::format("-cl-std=CL1.1 -DWIDTH={} -DINTEGER={}", width,
                                                  floats ? "uint" : element)),
                                  .width = width,
                                  .element = element};
                const cl_kernel kernel = one.program.kernels[0].get();
                if (local > gpu::max_work_group(kernel, device.context().device.id)) continue;
                const size_t items = sizes.items_per_unit.back() * device.traits().compute_units;
                one.range = {.global = {zero_copy::align_up(items, local), 1}, .local = {local, 1}};
                result.push_back(std::move(one));
            }
        }
    }
    return result;
}

}  // namespace

Ceilings::Ceilings(Device& device) : device_(device) {
    const std::vector<const char*> names(memory_kernels.begin(), memory_kernels.end());
    for (const Loads& one : loads) {
        memory_programs_.push_back(device_.build(
            memory_source, names,
            fmt::format("-cl-std=CL1.1 -DWORDS={} -DLOADS={}u", one.words, one.per_round)));
    }
}

std::vector<Floor> Ceilings::floor_candidates(Traffic traffic, size_t bytes) const {
    const Sizes sizes = sizes_for(device_.traits());
    std::vector<Floor> result;
    for (size_t place = 0; place < loads.size(); ++place) {
        const Loads& one = loads[place];
        const size_t chunks = bytes / one.chunk_bytes();
        const auto add = [&](size_t kernel, const char* access, size_t items, size_t local) {
            const size_t offset = traffic == Traffic::copy ? 1 : 0;
            const cl_kernel raw = memory_programs_[place].kernels[kernel + offset].get();
            if (local > gpu::max_work_group(raw, device_.context().device.id)) return;
            const Range range = range_for(items, local);
            const auto moved = static_cast<double>(chunks * one.chunk_bytes());
            result.push_back({.kernel = raw,
                              .range = range,
                              .chunk_bytes = one.chunk_bytes(),
                              .bytes_moved = traffic == Traffic::copy ? 2 * moved : moved,
                              .description = describe(access, one, range)});
        };
        constexpr size_t strided = 0;
        constexpr size_t blocks = 2;
        for (const size_t local : sizes.locals) {
            add(strided, "one-shot", chunks / one.per_round, local);
            for (const size_t per_unit : sizes.items_per_unit) {
                const size_t items = per_unit * device_.traits().compute_units;
                if (items >= chunks) continue;
                add(strided, "grid-stride", items, local);
                add(blocks, "blocks", items, local);
            }
        }
    }
    return result;
}

void Ceilings::enqueue(cl_command_queue queue, const Floor& floor, size_t bytes, cl_mem from,
                       cl_mem to, Events* events) {
    gpu::set_args(floor.kernel, from, static_cast<cl_uint>(bytes / floor.chunk_bytes), to);
    Device::enqueue(queue, floor.kernel, floor.range, events);
}

const Floor& Ceilings::measure_floor(Traffic traffic, size_t bytes) {
    // Memory that was never written may be one page of zeros, which no cache would miss.
    zero_copy::FrameMemory noise(bytes);
    for (size_t i = 0; i < bytes; ++i) noise.data()[i] = static_cast<uint8_t>(i * 131);
    const gpu::MemHandle from = device_.buffer(bytes, noise.data());
    const gpu::MemHandle to = device_.buffer(traffic == Traffic::copy ? bytes : sizeof(cl_uint16));
    const auto run = [&](const Floor& floor) {
        return device_.timed_by_device(
            [floor = &floor, bytes, from = from.get(), to = to.get()](auto queue, auto* events) {
                enqueue(queue, *floor, bytes, from, to, events);
            });
    };
    auto floors = measured(floor_candidates(traffic, bytes), run);
    const auto best = std::ranges::min_element(
        floors, {}, [](const Floor& floor) { return floor.timing.seconds; });
    return floors_.insert_or_assign({traffic, bytes}, std::move(*best)).first->second;
}

const Peak& Ceilings::measure_peak(Arithmetic arithmetic) {
    const gpu::MemHandle out = device_.buffer(sizeof(cl_uint));
    const auto run = [&](const PeakCandidate& candidate) {
        return peak_contender(device_, candidate, arithmetic, out.get());
    };
    std::vector<PeakCandidate> candidates = peak_candidates(device_, arithmetic);
    for (PeakCandidate& candidate : candidates)
        fit_rounds(device_, candidate, arithmetic, out.get());
    candidates = measured(std::move(candidates), run);
    const auto best = std::ranges::max_element(candidates, {}, [](const PeakCandidate& one) {
        return one.multiply_adds() / one.timing.seconds;
    });
    const Peak peak{
        .timing = best->timing,
        .multiply_adds = best->multiply_adds(),
        .description = fmt::format("vectors of {}, work-group {}, {} work-items", best->width,
                                   best->range.local[0], best->range.global[0])};
    return peaks_.insert_or_assign(arithmetic, peak).first->second;
}

const Floor& Ceilings::floor(Traffic traffic, size_t bytes) {
    const auto found = floors_.find({traffic, bytes});
    return found != floors_.end() ? found->second : measure_floor(traffic, bytes);
}

const Peak& Ceilings::peak(Arithmetic arithmetic) {
    const auto found = peaks_.find(arithmetic);
    return found != peaks_.end() ? found->second : measure_peak(arithmetic);
}

}  // namespace glint::bench
