// The last rung: the cpu variants, run on the worker.
#pragma once

#include <utility>

#include "daemon/processor.hpp"
#include "daemon/worker.hpp"

namespace glint {

class CpuProcessor final : public Processor {
  public:
    /// `copies_first`: frames lie in memory that is slow to read (uncached), so each is copied
    /// once.
    CpuProcessor(Worker& worker, std::shared_ptr<FilteredPicture> picture,
                 bool copies_first = false);

    [[nodiscard]] std::string submit(const Work& work, Done done) noexcept override;
    [[nodiscard]] bool on_gpu() const noexcept override { return false; }
    [[nodiscard]] bool can_filter(const gpu::AnyFilter&) const noexcept override { return true; }
    [[nodiscard]] bool can_measure_sharpness() const noexcept override { return true; }
    [[nodiscard]] uint64_t take_bytes_copied() noexcept override {
        return std::exchange(bytes_copied_, 0);
    }

  private:
    Worker& worker_;
    std::shared_ptr<FilteredPicture> picture_;
    std::shared_ptr<zero_copy::FrameMemory> copy_;  ///< if frames are copied first; the worker's
    uint64_t bytes_copied_ = 0;
};

}  // namespace glint
