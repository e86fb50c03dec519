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
    [[nodiscard]] uint32_t filter_size() const { return built_->filter_size; }
    /// Whether this variant is exact for the filter.
    [[nodiscard]] bool accepts(const Filter& filter) const;

    /// Filters `lane` of `frame` into `output`, whose stride is a multiple of 64. Throws ClError.
    void enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane, const Filter& filter,
                 cl_mem output, uint32_t output_stride_bytes, Events* events = nullptr);

  private:
    void use(const Filter& filter);

    std::shared_ptr<const BuiltVariant> built_;
    cl_context context_;
    KernelHandle kernel_;
    Filter filter_{};
    MemHandle coefficients_;  ///< of filter_
};

[[nodiscard]] bool accepts(const BuiltVariant& built, const Filter& filter);

}  // namespace glint::gpu
