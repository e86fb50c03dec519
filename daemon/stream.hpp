// What exists from one start of a source to the return of its last buffer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/cpu_processor.hpp"
#include "daemon/gpu/gpu_processor.hpp"
#include "daemon/memory_budget.hpp"
#include "daemon/pipeline.hpp"
#include "daemon/plan.hpp"

namespace glint {

struct Stream {
    zero_copy::Transport transport = zero_copy::Transport::copy;
    /// Rungs that were tried before, and doubts about the one that serves: rung, reason.
    std::vector<std::pair<std::string, std::string>> ladder;
    std::shared_ptr<zero_copy::BufferPool> pool;
    MemoryBudget::Share share;  ///< of the pool
    std::shared_ptr<FilteredPicture> picture;
    std::unique_ptr<gpu::GpuProcessor> gpu;  ///< null: the CPU alone
    std::string measured_reason;             ///< why it is the CPU though there is a GPU; or empty
    bool slow_to_read = false;               ///< the frames' memory is not cached
    std::unique_ptr<CpuProcessor> cpu;
    std::optional<Pipeline> pipeline;
    uint32_t bins = 0;  ///< that its kernels were built for

    [[nodiscard]] bool serves(uint32_t wanted) const { return gpu == nullptr || bins == wanted; }

    [[nodiscard]] Processor& processor() const {
        if (gpu != nullptr) return *gpu;
        return *cpu;
    }
    /// `cpu_reason`: why the CPU serves, if it does and was not measured faster.
    [[nodiscard]] std::vector<VariantInForce> variants(const Plan& plan,
                                                       const std::string& cpu_reason) const;
};

/// What tuning goes by.
[[nodiscard]] inline gpu::FrameSize frame_size(const zero_copy::FrameLayout& layout) {
    return {layout.width, layout.height};
}

struct StreamRequest {
    zero_copy::Source* source = nullptr;  ///< nobody else uses it meanwhile
    uint32_t buffers = 0;
    std::shared_ptr<const gpu::Runtime> runtime;  ///< null: the CPU alone
    gpu::Completion* completion = nullptr;
    std::shared_ptr<const Plan> plan;
    std::optional<zero_copy::Transport> pinned;  ///< nothing: the first that serves
};

/// Makes the buffers by the first transport of the source's ladder that source and GPU both take
/// and, with a runtime, everything on the GPU. Blocks: for a worker. The processor for the CPU and
/// the pipeline belong to the loop thread and are added there. Throws SourceError: broken when no
/// transport serves, or not the pinned one; format when the source has no such transport; and what
/// the parts throw.
[[nodiscard]] std::unique_ptr<Stream> make_stream(const StreamRequest& request);

}  // namespace glint
