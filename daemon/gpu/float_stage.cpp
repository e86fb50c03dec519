#include "daemon/gpu/float_stage.hpp"

#include "daemon/gpu/launch.hpp"

namespace glint::gpu {
namespace {

void warm_up(const Context& context, FloatConvolutionLaunch& launch,
             const FloatStageRequest& request) {
    const QueueHandle queue = context.make_queue();
    const cl_context handle = context.handle.get();
    const MemHandle frame = make_buffer(handle, CL_MEM_READ_ONLY, request.frame_bytes);
    const MemHandle picture = make_buffer(
        handle, CL_MEM_WRITE_ONLY, size_t{request.output_stride_bytes} * request.lane.height);
    launch.enqueue(queue.get(), frame.get(), request.lane, request.filter, picture.get(),
                   request.output_stride_bytes);
    check(clFinish(queue.get()), "clFinish");
}

}  // namespace

FloatStage make_float_stage(const Runtime& runtime, const FloatStageRequest& request) {
    const uint32_t size = request.filter.size;
    const FloatChoice& chosen = runtime.float_choice_for(request.frame, size);
    FloatStage stage{size, chosen.choice, nullptr, chosen.refused};
    if (stage.choice.built == nullptr || stage.choice.on_cpu) return stage;
    try {
        auto launch = std::make_unique<FloatConvolutionLaunch>(runtime.context, stage.choice.built);
        warm_up(runtime.context, *launch, request);
        stage.launch = std::move(launch);
    } catch (const ClError& error) {
        // No room for another frame, perhaps; if it is worse, the stream's own frames will tell.
        stage.choice = {nullptr, "fallback", error.what()};
    }
    return stage;
}

}  // namespace glint::gpu
