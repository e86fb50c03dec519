#include "tools/bench/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/histogram_launch.hpp"
#include "daemon/gpu/runtime.hpp"

namespace glint::bench {
namespace {

Arithmetic arithmetic_of(const kernels::Variant& variant) {
    return variant.needs.sums_exact_in_float ? Arithmetic::floats : Arithmetic::integers;
}

void check_tunables(const gpu::BuiltVariant& built, const gpu::TunableValues& asked) {
    for (const auto& [name, value] : asked) {
        if (built.tunable(name) == static_cast<size_t>(value)) continue;
        throw Skip(
            fmt::format("this device takes no more than {} = {}", name, built.tunable(name)));
    }
}

std::shared_ptr<const gpu::BuiltVariant> build(Device& device, const kernels::Variant& variant,
                                               uint32_t filter_size,
                                               const gpu::TunableValues& tunables) {
    try {
        return gpu::build_variant(device.context(), device.cache(), variant, filter_size, tunables);
    } catch (const gpu::ClError& error) {
        // How small GPUs say that a kernel has too many instructions or registers for them.
        if (error.code() == CL_OUT_OF_RESOURCES) throw Skip(error.what());
        throw;
    }
}

struct HistogramState {
    gpu::MemHandle frame;
    gpu::MemHandle bins;
    std::shared_ptr<const gpu::HistogramTask> task;
    gpu::HistogramLaunch launch;
};

struct ConvolutionState {
    gpu::MemHandle frame;
    gpu::MemHandle output;
    gpu::Lane lane;
    gpu::Filter filter;
    uint32_t output_stride_bytes;
    gpu::ConvolutionLaunch launch;
};

uint32_t built_size(const kernels::Variant& variant, const gpu::Filter& filter) {
    return variant.needs.any_size ? 0 : filter.size;
}

}  // namespace

Variants::Built Variants::built(const kernels::Variant& variant, uint32_t filter_size,
                                const gpu::TunableValues& tunables) {
    Built& kept = built_[{&variant, filter_size, tunables}];
    if (kept == nullptr) {
        Built fresh = build(device_, variant, filter_size, tunables);
        check_tunables(*fresh, tunables);
        const std::string wrong = gpu::recheck(device_.context(), fresh);
        if (!wrong.empty()) throw std::runtime_error("wrong result: " + wrong);
        kept = std::move(fresh);
    }
    return kept;
}

Job Variants::histogram(const kernels::Variant& variant, const Frame& frame,
                        const gpu::TunableValues& tunables) {
    const size_t bytes = frame.bytes_to_read();
    const auto state = std::make_shared<HistogramState>(
        HistogramState{.frame = device_.buffer(frame.memory.size(), frame.memory.data()),
                       .bins = device_.buffer(sizeof(gpu::Bins)),
                       .task = std::make_shared<const gpu::HistogramTask>(frame.lane),
                       .launch = {device_.context(), built(variant, 0, tunables)}});
    if (!state->launch.accepts(*state->task)) throw Skip("the device has no images of this size");
    return {.enqueue =
                [state](cl_command_queue queue, Events* events) {
                    state->launch.enqueue(queue, state->frame.get(), state->task, state->bins.get(),
                                          events);
                },
            .frame = state->frame.get(),
            .scratch = state->bins.get(),
            .traffic = Traffic::read,
            .floor_bytes = bytes,
            .demand = {.bytes = static_cast<double>(bytes),
                       .multiply_adds = operations_of_histogram(frame.size)},
            .arithmetic = Arithmetic::integers};
}

Job Variants::convolution(const kernels::Variant& variant, const Frame& frame,
                          const gpu::Filter& filter, const gpu::TunableValues& tunables) {
    const auto stride =
        static_cast<uint32_t>(zero_copy::align_up(frame.size.width, zero_copy::stride_alignment));
    const size_t moved = frame.bytes_to_read() + frame.bytes_filtered();
    // The floor moves as many bytes: half of them each way.
    const size_t output_bytes = std::max(size_t{stride} * frame.size.height, moved / 2);
    const auto state = std::make_shared<ConvolutionState>(ConvolutionState{
        .frame = device_.buffer(frame.memory.size(), frame.memory.data()),
        .output = device_.buffer(output_bytes),
        .lane = frame.lane,
        .filter = filter,
        .output_stride_bytes = stride,
        .launch = {device_.context(), built(variant, built_size(variant, filter), tunables)}});
    return {.enqueue =
                [state](cl_command_queue queue, Events* events) {
                    state->launch.enqueue(queue, state->frame.get(), state->lane, state->filter,
                                          state->output.get(), state->output_stride_bytes, events);
                },
            .frame = state->frame.get(),
            .scratch = state->output.get(),
            .traffic = Traffic::copy,
            .floor_bytes = moved / 2,
            .demand = {.bytes = static_cast<double>(moved),
                       .multiply_adds = operations_of_filter(frame.size, filter)},
            .arithmetic = arithmetic_of(variant)};
}

bool takes(const kernels::Variant& variant, const gpu::Filter& filter) {
    if (variant.op != kernels::Operator::convolution) return false;
    gpu::BuiltVariant unbuilt;
    unbuilt.variant = &variant;
    unbuilt.filter_size = built_size(variant, filter);
    return gpu::accepts(unbuilt, filter);
}

}  // namespace glint::bench
