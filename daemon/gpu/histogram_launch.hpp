// Enqueueing histograms. Each object belongs to one thread: kernels hold arguments.
#pragma once

#include <memory>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/frame_image.hpp"
#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

class HistogramLaunch {
  public:
    /// Throws ClError.
    HistogramLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built);
    [[nodiscard]] const kernels::Variant& variant() const { return *built_->variant; }
    /// Bins per result; only tasks of as many can be launched.
    [[nodiscard]] uint32_t bins() const { return built_->bins; }

    /// Whether the device can hold the task's frame as the variant wants it.
    [[nodiscard]] bool accepts(const HistogramTask& task) const;

    /// bins[0 .. task->counters() - 1], which must be zero, become what the task counts in `frame`.
    /// A task seen for the first time is prepared, which allocates. Throws ClError.
    void enqueue(cl_command_queue queue, cl_mem frame,
                 const std::shared_ptr<const HistogramTask>& task, cl_mem bins,
                 Events* events = nullptr);

  private:
    void prepare(std::shared_ptr<const HistogramTask> task);
    void reduce(cl_command_queue queue, cl_mem bins, Events* events);

    std::shared_ptr<const BuiltVariant> built_;
    cl_context context_;
    size_t max_image_width_;
    size_t max_image_height_;
    size_t wanted_groups_;  ///< for the whole of a frame
    KernelHandle count_;
    KernelHandle reduce_;  ///< null unless the variant leaves partial histograms

    std::shared_ptr<const HistogramTask> task_;  ///< what the rest was made for
    size_t groups_ = 0;
    size_t first_lane_groups_ = 0;
    MemHandle lanes_;
    MemHandle parts_;
    MemHandle results_;
    MemHandle table_;
    MemHandle mask_;
    MemHandle partials_;
    std::unique_ptr<FrameImage> image_;  ///< of variants that read one
};

}  // namespace glint::gpu
