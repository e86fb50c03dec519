// Enqueueing filters. Each object belongs to one thread: kernels hold arguments.
#pragma once

#include <memory>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/frame_image.hpp"
#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

class ConvolutionLaunch {
  public:
    /// Throws ClError.
    ConvolutionLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built);
    [[nodiscard]] const kernels::Variant& variant() const { return *built_->variant; }
    /// 0: any.
    [[nodiscard]] uint32_t filter_size() const { return built_->filter_size; }
    /// Whether this variant is exact for the filter.
    [[nodiscard]] bool accepts(const Filter& filter) const;

    /// Filters `lane` of `frame` into `output`, whose stride is a multiple of 64. The filter must
    /// be one that is accepted. A filter seen for the first time, and a larger lane, allocate.
    /// Throws ClError.
    void enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane, const Filter& filter,
                 cl_mem output, uint32_t output_stride_bytes, Events* events = nullptr);

  private:
    void use(const Filter& filter);
    [[nodiscard]] cl_mem image_of(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                  Events* events);
    void enqueue_two_passes(cl_command_queue queue, cl_mem frame, const Lane& lane, cl_mem output,
                            uint32_t output_stride_bytes, Events* events);
    /// `columns` x `rows` output pixels per work-item.
    void run_over(cl_command_queue queue, cl_kernel kernel, const Lane& lane, size_t columns,
                  size_t rows, Events* events) const;

    std::shared_ptr<const BuiltVariant> built_;
    cl_context context_;
    KernelHandle kernel_;   ///< the only one, or the first of two passes
    KernelHandle columns_;  ///< the second of two passes
    Filter filter_{};
    MemHandle coefficients_;  ///< of filter_, or its table of terms
    size_t terms_ = 0;        ///< of filter_, for variants that take it apart
    MemHandle sums_;          ///< between two passes
    size_t sums_bytes_ = 0;
    std::unique_ptr<FrameImage> image_;  ///< of variants that read one, for image_lane_
    Lane image_lane_;
};

[[nodiscard]] bool accepts(const BuiltVariant& built, const Filter& filter);

/// A filter that the variant takes and that leaves constant pictures as they are: to warm up with,
/// and for tests. Every variant takes one of the few that are tried; std::logic_error otherwise.
[[nodiscard]] Filter smoothing_filter(const ConvolutionLaunch& launch);

}  // namespace glint::gpu
