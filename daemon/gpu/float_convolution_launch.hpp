// Enqueueing filters of float coefficients. Each object belongs to one thread: kernels hold
// arguments.
#pragma once

#include <memory>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/float_filter.hpp"
#include "daemon/gpu/frame_image.hpp"
#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

class FloatConvolutionLaunch {
  public:
    /// Throws ClError.
    FloatConvolutionLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built);
    [[nodiscard]] const kernels::Variant& variant() const { return *built_->variant; }
    [[nodiscard]] uint32_t filter_size() const { return built_->filter_size; }

    /// Filters bytes, for variants that do. The filter is of filter_size(), the stride of `output`
    /// a multiple of 64. Throws ClError.
    void enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane, const FloatFilter& filter,
                 cl_mem output, uint32_t output_stride_bytes, Events* events = nullptr);
    /// Filters floats, for variants that do; the stride counts floats, and is a multiple of 16.
    void enqueue(cl_command_queue queue, cl_mem frame, const FloatPicture& picture,
                 const FloatFilter& filter, cl_mem output, uint32_t output_stride,
                 Events* events = nullptr);

  private:
    template <typename BorderValue>
    void launch(cl_command_queue queue, cl_mem frame, const Lane& lane, const FloatFilter& filter,
                BorderValue border_value, cl_mem output, uint32_t output_stride, Events* events);
    void use(const FloatFilter& filter);

    std::shared_ptr<const BuiltVariant> built_;
    cl_context context_;
    KernelHandle kernel_;
    FloatFilter filter_{};
    MemHandle coefficients_;             ///< of filter_
    std::unique_ptr<FrameImage> image_;  ///< of variants that read one, for image_picture_
    FloatPicture image_picture_;
};

}  // namespace glint::gpu
