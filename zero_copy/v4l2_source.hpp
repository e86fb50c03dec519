// "v4l2:NODE": a capture driver of the kernel.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "zero_copy/frame_clock.hpp"
#include "zero_copy/media_graph.hpp"
#include "zero_copy/source.hpp"
#include "zero_copy/v4l2_buffers.hpp"
#include "zero_copy/v4l2_controls.hpp"
#include "zero_copy/v4l2_device.hpp"
#include "zero_copy/v4l2_format.hpp"

namespace glint::zero_copy {

class V4l2Source final : public Source {
  public:
    /// Sets the media graph up, opens the node, and sets controls, format, size and rate. Throws
    /// SourceError.
    V4l2Source(DeviceCalls& calls, const std::string& node, const SourceRequest& request);

    [[nodiscard]] const FrameLayout& layout() const noexcept override { return given_.layout; }
    [[nodiscard]] std::string_view timestamp_source() const noexcept override {
        return clock_.source();
    }
    [[nodiscard]] double rate() const noexcept override { return given_.rate; }
    [[nodiscard]] size_t buffer_bytes() const noexcept override;
    [[nodiscard]] bool losses_estimated() const noexcept override { return counter_.estimates(); }
    [[nodiscard]] std::vector<Transport> transports() const override;
    [[nodiscard]] std::vector<FrameMemory> allocate(Transport transport, uint32_t count) override;
    void start(std::span<const FrameMemory> buffers) override;
    void stop() noexcept override;
    [[nodiscard]] int fd() const noexcept override { return device_->fd(); }
    void queue(uint32_t slot) noexcept override;
    [[nodiscard]] Dequeued dequeue(Captured& frame) noexcept override;
    [[nodiscard]] SourceError failure() const override;
    [[nodiscard]] bool read(const Captured&) noexcept override { return true; }
    [[nodiscard]] std::shared_ptr<const DeviceFd> control_device() const override;

  private:
    [[nodiscard]] const DeviceFd& knobs() const noexcept;
    [[nodiscard]] std::optional<BusFormat> look_at_graph();
    void set_controls(const std::map<std::string, int64_t>& controls) const;
    void requeue_refused() noexcept;
    [[nodiscard]] bool drain_events(const DeviceFd& from) noexcept;
    [[nodiscard]] SourceError with_diagnosis(const SourceError& error) const;
    [[nodiscard]] Captured describe(const Filled& filled) noexcept;
    [[nodiscard]] bool is_whole(const Filled& filled) const noexcept;

    std::shared_ptr<const V4l2Device> device_;
    std::shared_ptr<const Subdevice> sensor_;  ///< of a media graph; null: there is none
    Negotiated given_;
    std::vector<std::string> heaps_;
    V4l2Buffers buffers_;
    size_t buffer_bytes_ = 0;        ///< of each, as allocated
    std::vector<uint32_t> refused_;  ///< slots that the driver did not take; capacity reserved
    FrameCounter counter_;
    FrameClock clock_;
    ExposureWatch exposure_;
    bool has_events_ = false;
    int failure_code_ = 0;  ///< an errno value; 0 with a failure: the picture's size changed
};

}  // namespace glint::zero_copy
