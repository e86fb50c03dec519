// The last rung: the cpu variants, run on the worker.
#pragma once

#include "daemon/processor.hpp"
#include "daemon/worker.hpp"

namespace glint {

class CpuProcessor final : public Processor {
  public:
    /// `reason` says on the bus why the CPU serves. `picture` must outlive the processor's work.
    CpuProcessor(Worker& worker, std::shared_ptr<FilteredPicture> picture, std::string source,
                 std::string reason);

    [[nodiscard]] std::string submit(const Work& work, Done done) noexcept override;
    [[nodiscard]] bool on_gpu() const noexcept override { return false; }
    [[nodiscard]] bool can_filter(const gpu::Filter&) const noexcept override { return true; }
    [[nodiscard]] std::vector<VariantInForce> variants(const Plan& plan) const override;
    [[nodiscard]] uint64_t take_bytes_copied() noexcept override { return 0; }

  private:
    Worker& worker_;
    std::shared_ptr<FilteredPicture> picture_;
    std::string source_;
    std::string reason_;
};

}  // namespace glint
