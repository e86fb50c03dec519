// A processor that finishes when the test says so, with the result that the test wants.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/processor.hpp"

namespace glint::fakes {

class FakeProcessor final : public Processor {
  public:
    explicit FakeProcessor(bool is_gpu) : is_gpu_(is_gpu) {}

    [[nodiscard]] std::string submit(const Work& submitted, Done done) noexcept override {
        ++submissions;
        if (busy()) overlapped = true;
        work = submitted;
        if (!submit_failure.empty()) return submit_failure;
        done_ = std::move(done);
        return {};
    }
    [[nodiscard]] bool on_gpu() const noexcept override { return is_gpu_; }
    [[nodiscard]] bool can_filter(const gpu::AnyFilter&) const noexcept override { return filters; }
    [[nodiscard]] bool can_measure_sharpness() const noexcept override { return sharpens; }
    [[nodiscard]] uint64_t take_bytes_copied() noexcept override {
        return std::exchange(bytes_copied, 0);
    }

    [[nodiscard]] bool busy() const { return done_ != nullptr; }
    /// Finishes with bins that sum to their samples: all of them are in bin `lane index`.
    void complete() {
        std::vector<uint32_t> bins = right_bins();
        if (work.filter && picture != nullptr) {
            gpu::reference::convolve(work.frame(), work.plan->filter_lane,
                                     std::get<gpu::Filter>(*work.plan->filter),
                                     {picture->memory.data(), picture->stride_bytes});
        }
        finish({.failure = {}, .bins = bins, .sharpness = sharpness});
    }
    /// Finishes with a sharpness that did not pass its check.
    void complete_with_wrong_sharpness() {
        const std::vector<uint32_t> bins = right_bins();
        finish({.failure = {}, .bins = bins, .sharpness = sharpness, .sharpness_right = false});
    }
    /// Finishes with one count too many in the last lane.
    void complete_wrongly() {
        std::vector<uint32_t> bins = right_bins();
        ++bins.back();
        finish({.failure = {}, .bins = bins});
    }
    void fail(const std::string& why) { finish({.failure = why, .bins = {}}); }

    Work work;  ///< the last that was submitted
    uint32_t submissions = 0;
    bool overlapped = false;  ///< submit() came while another frame was running
    bool filters = true;
    bool sharpens = true;
    std::vector<uint64_t> sharpness;  ///< what complete() says of the region that was asked for
    uint64_t bytes_copied = 0;
    std::string submit_failure;
    std::shared_ptr<FilteredPicture> picture;  ///< where complete() filters to; null: nowhere

  private:
    [[nodiscard]] std::vector<uint32_t> right_bins() const {
        const Plan& plan = *work.plan;
        std::vector<uint32_t> bins(plan.counting->counters());
        for (size_t i = 0; i < plan.counts.size(); ++i) {
            bins[i * plan.bins + i] = static_cast<uint32_t>(plan.counts[i]);
        }
        return bins;
    }
    void finish(const ProcessorResult& result) { std::exchange(done_, nullptr)(result); }

    bool is_gpu_;
    Done done_;
};

}  // namespace glint::fakes
