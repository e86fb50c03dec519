// The last rung: the cpu variants, run on the worker.
#pragma once

#include "daemon/processor.hpp"
#include "daemon/worker.hpp"

namespace glint {

class CpuProcessor final : public Processor {
  public:
    CpuProcessor(Worker& worker, std::shared_ptr<FilteredPicture> picture);

    [[nodiscard]] std::string submit(const Work& work, Done done) noexcept override;
    [[nodiscard]] bool on_gpu() const noexcept override { return false; }
    [[nodiscard]] bool can_filter(const gpu::Filter&) const noexcept override { return true; }
    [[nodiscard]] bool can_measure_sharpness() const noexcept override { return true; }
    [[nodiscard]] uint64_t take_bytes_copied() noexcept override { return 0; }

  private:
    Worker& worker_;
    std::shared_ptr<FilteredPicture> picture_;
};

}  // namespace glint
