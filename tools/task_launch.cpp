#include "tools/task_launch.hpp"

#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/filtered_histogram_launch.hpp"
#include "daemon/gpu/float_convolution_launch.hpp"
#include "daemon/gpu/histogram_launch.hpp"
#include "daemon/gpu/picture_launch.hpp"
#include "daemon/gpu/sharpness_launch.hpp"

namespace glint::tools {
namespace {

using Built = std::shared_ptr<const gpu::BuiltVariant>;

Launch launch(const Counting&, const gpu::Context& context, Built built, const gpu::Lane& lane) {
    const auto task = std::make_shared<const gpu::HistogramTask>(lane);
    const auto launch = std::make_shared<gpu::HistogramLaunch>(context, std::move(built));
    if (!launch->accepts(*task)) throw DoesNotFit("the device has no images of this size");
    return {[launch, task](auto queue, auto frame, auto result, auto* events) {
                launch->enqueue(queue, frame, task, result, events);
            },
            sizeof(gpu::Bins), true};
}

Launch launch(const Filtering& task, const gpu::Context& context, Built built,
              const gpu::Lane& lane) {
    const auto launch = std::make_shared<gpu::ConvolutionLaunch>(context, std::move(built));
    const uint32_t stride = output_stride_bytes(lane.width);
    return {[launch, lane, stride, filter = task.filter](auto queue, auto frame, auto result,
                                                         auto* events) {
                launch->enqueue(queue, frame, lane, filter, result, stride, events);
            },
            size_t{stride} * lane.height};
}

Launch launch(const FloatFiltering& task, const gpu::Context& context, Built built,
              const gpu::Lane& lane) {
    const auto launch = std::make_shared<gpu::FloatConvolutionLaunch>(context, std::move(built));
    if (!task.float_samples) {
        const uint32_t stride = output_stride_bytes(lane.width);
        return {[launch, lane, stride, filter = task.filter](auto queue, auto frame, auto result,
                                                             auto* events) {
                    launch->enqueue(queue, frame, lane, filter, result, stride, events);
                },
                size_t{stride} * lane.height};
    }
    const gpu::FloatPicture picture{.offset = lane.offset_bytes,
                                    .stride = lane.stride_bytes,
                                    .width = lane.width,
                                    .height = lane.height};
    constexpr auto float_bytes = static_cast<uint32_t>(sizeof(cl_float));
    const uint32_t stride = output_stride_bytes(lane.width * float_bytes);
    return {[launch, picture, stride, filter = task.filter](auto queue, auto frame, auto result,
                                                            auto* events) {
                launch->enqueue(queue, frame, picture, filter, result, stride / float_bytes,
                                events);
            },
            size_t{stride} * lane.height};
}

Launch launch(const gpu::PictureTask& task, const gpu::Context& context, Built built,
              const gpu::Lane& lane) {
    const auto launch = std::make_shared<gpu::PictureLaunch>(context, std::move(built));
    const gpu::PictureSize size = gpu::output_size(task, lane);
    const uint32_t stride = output_stride_bytes(size.width);
    return {[launch, lane, stride, task](auto queue, auto frame, auto result, auto* events) {
                launch->enqueue(queue, frame, lane, task, result, stride, events);
            },
            size_t{stride} * size.height};
}

Launch launch(const FocusFigure&, const gpu::Context&, Built built, const gpu::Lane& lane) {
    const auto launch = std::make_shared<gpu::SharpnessLaunch>(std::move(built));
    return {[launch, lane](auto queue, auto frame, auto result, auto* events) {
                launch->enqueue(queue, frame, lane, result, 0, events);
            },
            launch->partials(lane) * sizeof(cl_uint)};
}

Launch launch(const FilteredCounting& task, const gpu::Context& context, Built built,
              const gpu::Lane& lane) {
    const auto launch = std::make_shared<gpu::FilteredHistogramLaunch>(context, std::move(built));
    return {
        [launch, lane, filter = task.filter](auto queue, auto frame, auto result, auto* events) {
            launch->enqueue(queue, frame, lane, filter, result, events);
        },
        sizeof(gpu::Bins)};
}

}  // namespace

Launch make_launch(const gpu::Context& context, Built built, const Task& task,
                   const gpu::Lane& lane) {
    return std::visit(
        [&](const auto& kind) { return launch(kind, context, std::move(built), lane); },
        task.operation);
}

bool takes(const kernels::Variant& variant, const Task& task) {
    if (variant.op != task.op || variant.float_samples != has_float_samples(task)) return false;
    if (!variant.needs.any_size && task.filter_size > gpu::largest_built_size) return false;
    const auto* filtering = std::get_if<Filtering>(&task.operation);
    if (filtering == nullptr) return true;
    gpu::BuiltVariant unbuilt;
    unbuilt.variant = &variant;
    unbuilt.filter_size = built_size(variant, task);
    return gpu::accepts(unbuilt, filtering->filter);
}

uint32_t built_size(const kernels::Variant& variant, const Task& task) {
    return variant.needs.any_size ? 0 : task.filter_size;
}

const Task* hardest_task(const kernels::Variant& variant, uint32_t filter_size) {
    const Task* result = nullptr;
    for (const Task& task : tasks()) {
        if (task.filter_size == filter_size && takes(variant, task)) result = &task;
    }
    return result;
}

}  // namespace glint::tools
