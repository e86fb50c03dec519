// What the pipeline asks for a frame: measure it, filter it. Served by the GPU or by the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/plan.hpp"
#include "zero_copy/frame_memory.hpp"

namespace glint {

/// One frame's work. The frame stays leased until `done` has been called.
struct Work {
    uint32_t slot = 0;
    const zero_copy::FrameMemory* memory = nullptr;  ///< the frame
    std::shared_ptr<const Plan> plan;
    bool filter = false;  ///< also write plan->filter's picture into the stream's FilteredPicture
    std::optional<size_t> sharpness_region;  ///< also measure the sharpness of this region's lanes

    /// To be read by the CPU under CpuAccess only.
    [[nodiscard]] const uint8_t* frame() const noexcept { return memory->data(); }
};

struct ProcessorResult {
    /// Empty when all went well; otherwise what failed, and the rest means nothing.
    std::string failure;
    /// The kernel did not let the CPU see the frame as it is; nothing was measured.
    bool unreadable = false;
    /// plan->bins for each of the plan's regions and channels; valid during the call.
    std::span<const uint32_t> bins;
    std::vector<uint64_t> sharpness = {};  ///< of each channel of Work::sharpness_region
    bool sharpness_right = true;           ///< whether that passed its check
};

/// Where the filter writes: one picture per stream, width x height bytes.
struct FilteredPicture {
    zero_copy::FrameMemory memory;
    uint32_t stride_bytes = 0;  ///< a multiple of 64
    /// Whether one of those who write it may round towards zero in a filter of floats.
    bool rounds_to_zero = false;
};

/// The variant that serves an operator now, for the bus.
struct VariantInForce {
    std::string op;
    std::string variant;
    std::string set;     ///< "ep", "fp" or "cpu"
    std::string source;  ///< "tuned", "default", "fallback" or "measured"
    std::string reason;
};

/// One frame at a time. Loop thread only.
class Processor {
  public:
    using Done = std::function<void(const ProcessorResult&)>;

    Processor() = default;
    virtual ~Processor() = default;
    Processor(const Processor&) = delete;
    Processor& operator=(const Processor&) = delete;

    /// Begins; must not be called again before `done`, which runs on the loop, never inside submit.
    /// Returns what failed, and then `done` is not called; or an empty text.
    [[nodiscard]] virtual std::string submit(const Work& work, Done done) noexcept = 0;
    [[nodiscard]] virtual bool on_gpu() const noexcept = 0;
    [[nodiscard]] virtual bool can_filter(const gpu::AnyFilter& filter) const noexcept = 0;
    [[nodiscard]] virtual bool can_measure_sharpness() const noexcept = 0;
    /// Bytes of frames the CPU has copied towards the device since the last call.
    [[nodiscard]] virtual uint64_t take_bytes_copied() noexcept = 0;
};

}  // namespace glint
