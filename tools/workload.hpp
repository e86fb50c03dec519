// One operator on one frame size, ready to be measured: the one place of the tools that knows how
// an operator is launched, what it must compute and what it moves.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/gpu/built_variant.hpp"
#include "daemon/gpu/frame_image.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "daemon/gpu/tuning.hpp"

namespace glint::tools {

/// Enqueues all kernels of one build on the workload's frame.
using Launch = std::function<void(gpu::Events* events)>;

/// The names of the build's kernels, in the order in which they run.
[[nodiscard]] std::vector<const char*> kernel_names(const gpu::BuiltVariant& built);

/// Whether there is a workload of this operator: those that serve every frame.
[[nodiscard]] bool has_workload(kernels::Operator op);

/// The filter sizes that the operator has; one 0 when it takes no filter.
[[nodiscard]] std::vector<uint32_t> filter_sizes(kernels::Operator op);

/// What one launch must read and write at least, and its multiplications and additions (0 where
/// counting them says nothing).
struct Cost {
    uint64_t bytes = 0;
    uint64_t operations = 0;
};
[[nodiscard]] Cost cost_of(kernels::Operator op, uint32_t filter_size, gpu::FrameSize size);

/// A grey frame, half gradient, half noise: some kernels suffer where neighbours are alike, others
/// where they are not. The variant says which filter: the binomial one where it takes no other,
/// else uneven coefficients of both signs. Everything here blocks, and throws ClError or
/// GpuBufferError when a call fails.
class Workload {
  public:
    /// `queue` must measure (Context::make_queue(true)); both must outlive the object.
    Workload(const gpu::Context& context, cl_command_queue queue, const kernels::Variant& variant,
             uint32_t filter_size, gpu::FrameSize size);

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
    [[nodiscard]] bool is_histogram() const;
    void compute_on_cpu(std::vector<uint8_t>& result) const;
    void clear_result();

    const gpu::Context& context_;
    cl_command_queue queue_;
    kernels::Operator op_;
    gpu::Lane lane_;
    std::shared_ptr<const gpu::HistogramTask> counting_;  ///< all of the lane
    gpu::Filter filter_;
    std::vector<uint8_t> pixels_;  ///< the CPU's own; the frame stays the device's between calls
    std::vector<uint8_t> expected_;
    uint32_t output_stride_bytes_ = 0;
    std::optional<gpu::ScratchBuffer> frame_;
    std::optional<gpu::ScratchBuffer> result_;
};

}  // namespace glint::tools
