// One task on one frame size, ready to be measured by glint-tune.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/gpu/scratch_buffer.hpp"
#include "daemon/gpu/tuning.hpp"
#include "tools/task_launch.hpp"

namespace glint::tools {

/// The lane of a frame of that size as the task is made for it, without padding.
[[nodiscard]] gpu::Lane lane_for(const Task& task, gpu::FrameSize size);

/// A frame, half gradient, half noise: some kernels suffer where neighbours are alike, others where
/// they are not. Everything here blocks, and throws ClError or GpuBufferError when a call fails.
class Workload {
  public:
    /// `queue` must measure (Context::make_queue(true)); all must outlive the object.
    Workload(const gpu::Context& context, cl_command_queue queue, const Task& task,
             gpu::FrameSize size);

    /// Throws DoesNotFit too.
    [[nodiscard]] Launch launch(std::shared_ptr<const gpu::BuiltVariant> built);

    /// Device time of all kernels of one launch, from profiling events, in ms.
    [[nodiscard]] double device_ms(const Launch& launch);
    /// As the service does it: the frame and the result to the device, the kernels, both back.
    [[nodiscard]] double wall_ms(const Launch& launch);
    /// The cpu variant on one thread.
    [[nodiscard]] double cpu_ms();
    /// What differs from the cpu variant's result on this frame, or an empty text.
    [[nodiscard]] std::string wrong_result(const Launch& launch);

  private:
    void enqueue(const Launch& launch, gpu::Events* events);
    void clear_result(const Launch& launch);

    const gpu::Context& context_;
    cl_command_queue queue_;
    const Task& task_;
    gpu::Lane lane_;
    std::vector<uint8_t> pixels_;  ///< the CPU's own; the frame stays the device's between calls
    std::vector<uint8_t> expected_;
    std::optional<gpu::ScratchBuffer> frame_;
    std::optional<gpu::ScratchBuffer> result_;  ///< for the launch that leaves most
};

}  // namespace glint::tools
