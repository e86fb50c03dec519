// Enqueueing histograms of what a filter makes, in one pass. Each object belongs to one thread:
// kernels hold arguments.
#pragma once

#include <memory>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/launch.hpp"
#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

class FilteredHistogramLaunch {
  public:
    /// Throws ClError.
    FilteredHistogramLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built);
    [[nodiscard]] const kernels::Variant& variant() const { return *built_->variant; }
    [[nodiscard]] uint32_t filter_size() const { return built_->filter_size; }

    /// bins[0 .. 255], which must be zero, become the histogram of `lane` after `filter`, whose
    /// size must be filter_size() and which is no gradient. Throws ClError.
    void enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane, const Filter& filter,
                 cl_mem bins, Events* events = nullptr);

  private:
    void use(const Filter& filter);
    [[nodiscard]] size_t items_for(const Lane& lane) const;

    std::shared_ptr<const BuiltVariant> built_;
    cl_context context_;
    size_t max_items_;
    KernelHandle count_;
    KernelHandle reduce_;  ///< null unless the variant leaves partial histograms
    MemHandle partials_;   ///< of max_items_ work-items
    Filter filter_{};
    MemHandle coefficients_;  ///< of filter_
};

}  // namespace glint::gpu
