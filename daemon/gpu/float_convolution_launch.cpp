#include "daemon/gpu/float_convolution_launch.hpp"

#include <algorithm>

#include "daemon/gpu/launch.hpp"

namespace glint::gpu {

FloatConvolutionLaunch::FloatConvolutionLaunch(const Context& context,
                                               std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)),
      context_(context.handle.get()),
      kernel_(built_->make_kernel("convolve")) {}

void FloatConvolutionLaunch::use(const FloatFilter& filter) {
    if (coefficients_ && filter == filter_) return;
    const auto used = filter.coefficients.begin();
    // A new buffer, not a write into the old one: frames that are enqueued keep theirs.
    coefficients_ = make_constant(context_, std::vector<cl_float>(used, used + filter.taps()));
    filter_ = filter;
}

template <typename BorderValue>
void FloatConvolutionLaunch::launch(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                    const FloatFilter& filter, BorderValue border_value,
                                    cl_mem output, uint32_t output_stride, Events* events) {
    use(filter);
    const cl_mem coefficients = coefficients_.get();
    const auto border = static_cast<cl_uint>(filter.border);
    const cl_uint no_shift = 0;
    set_args(kernel_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, output, output_stride, coefficients, no_shift, border, border_value,
             filter.size);
    const size_t local[] = {built_->tunable("LOCAL_X"), built_->tunable("LOCAL_Y")};
    const size_t global[] = {round_up(divide_up(lane.width, built_->tunable("COLUMNS")), local[0]),
                             round_up(divide_up(lane.height, built_->tunable("ROWS")), local[1])};
    run(queue, kernel_.get(), 2, global, local, events);
}

void FloatConvolutionLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                     const FloatFilter& filter, cl_mem output,
                                     uint32_t output_stride_bytes, Events* events) {
    const auto border_value = static_cast<cl_uint>(filter.border_value);
    launch(queue, frame, lane, filter, border_value, output, output_stride_bytes, events);
}

void FloatConvolutionLaunch::enqueue(cl_command_queue queue, cl_mem frame,
                                     const FloatPicture& picture, const FloatFilter& filter,
                                     cl_mem output, uint32_t output_stride, Events* events) {
    if (variant().needs.image) {
        if (!image_ || picture != image_picture_) {
            const size_t floats =
                picture.offset + size_t{picture.stride} * (picture.height - 1) + picture.width;
            image_ = std::make_unique<FrameImage>(
                context_, static_cast<uint32_t>(picture.stride * sizeof(cl_float)),
                floats * sizeof(cl_float), CL_FLOAT);
            image_picture_ = picture;
        }
        image_->enqueue_copy(queue, frame, events);
        frame = image_->get();
    }
    // The kernels' arguments are those of a lane, in floats instead of bytes.
    const Lane lane{.offset_bytes = picture.offset,
                    .stride_bytes = picture.stride,
                    .width = picture.width,
                    .height = picture.height};
    launch(queue, frame, lane, filter, cl_float{filter.border_value}, output, output_stride,
           events);
}

}  // namespace glint::gpu
