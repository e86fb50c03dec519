// What exists from one start of a source to the return of its last buffer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemon/cpu_processor.hpp"
#include "daemon/gpu/gpu_processor.hpp"
#include "daemon/pipeline.hpp"
#include "daemon/plan.hpp"

namespace glint {

struct Stream {
    std::shared_ptr<zero_copy::BufferPool> pool;
    std::shared_ptr<FilteredPicture> picture;
    std::unique_ptr<gpu::GpuProcessor> gpu;  ///< null: the CPU alone
    std::unique_ptr<CpuProcessor> cpu;
    std::optional<Pipeline> pipeline;
    uint32_t bins = 0;  ///< that its kernels were built for

    [[nodiscard]] bool serves(uint32_t wanted) const { return gpu == nullptr || bins == wanted; }

    [[nodiscard]] Processor& processor() const {
        if (gpu != nullptr) return *gpu;
        return *cpu;
    }
};

struct StreamRequest {
    zero_copy::FrameLayout layout;
    uint32_t buffers = 0;
    std::shared_ptr<const gpu::Runtime> runtime;  ///< null: the CPU alone
    gpu::Completion* completion = nullptr;
    std::shared_ptr<const Plan> plan;
    std::string pinned_transport;  ///< empty: whatever serves
};

/// Makes the buffers and, with a runtime, everything on the GPU. Blocks: for a worker. The
/// processor for the CPU and the pipeline belong to the loop thread and are added there. Throws
/// what the parts throw.
[[nodiscard]] std::unique_ptr<Stream> make_stream(const StreamRequest& request);

}  // namespace glint
