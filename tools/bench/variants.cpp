#include "tools/bench/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "daemon/gpu/runtime.hpp"

namespace glint::bench {
namespace {

Arithmetic arithmetic_of(const kernels::Variant& variant, const tools::Task& task) {
    const bool floats = variant.needs.sums_exact_in_float || is_of_floats(task);
    return floats ? Arithmetic::floats : Arithmetic::integers;
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

struct State {
    gpu::MemHandle frame;
    gpu::MemHandle result;
    tools::Launch launch;
};

tools::Launch launch_of(const Device& device, std::shared_ptr<const gpu::BuiltVariant> built,
                        const tools::Task& task, const gpu::Lane& lane) {
    try {
        return tools::make_launch(device.context(), std::move(built), task, lane);
    } catch (const tools::DoesNotFit& error) {
        throw Skip(error.what());
    }
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

Job Variants::job(const kernels::Variant& variant, const tools::Task& task, const Frame& frame,
                  const gpu::TunableValues& tunables) {
    const tools::Cost cost = cost_of(task, frame.lane);
    const FloorTraffic floor = floor_of(cost);
    tools::Launch launch = launch_of(
        device_, built(variant, tools::built_size(variant, task), tunables), task, frame.lane);
    // The floor writes where the variant does.
    const size_t result_bytes =
        std::max(launch.result_bytes, floor.traffic == Traffic::copy ? floor.bytes : 0);
    const auto state =
        std::make_shared<State>(State{device_.buffer(frame.memory.size(), frame.memory.data()),
                                      device_.buffer(result_bytes), std::move(launch)});
    return {.enqueue =
                [state](cl_command_queue queue, Events* events) {
                    state->launch.enqueue(queue, state->frame.get(), state->result.get(), events);
                },
            .frame = state->frame.get(),
            .scratch = state->result.get(),
            .traffic = floor.traffic,
            .floor_bytes = floor.bytes,
            .demand = demand_of(cost),
            .arithmetic = arithmetic_of(variant, task)};
}

FloorTraffic floor_of(const tools::Cost& cost) {
    if (cost.bytes_written == 0) return {Traffic::read, cost.bytes_read};
    return {Traffic::copy, cost.bytes() / 2};
}

}  // namespace glint::bench
