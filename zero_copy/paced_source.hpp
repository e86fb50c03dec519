// The common half of sources without hardware: a timer stands for the sensor's frame rate.
#pragma once

#include <deque>
#include <vector>

#include "zero_copy/source.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint::zero_copy {

/// Hands out queued slots at a steady rate, numbers them, and counts a tick without a free buffer
/// as a lost frame, as a camera does. A derived class fills the pixels in read().
class PacedSource : public Source {
  public:
    [[nodiscard]] const FrameLayout& layout() const noexcept final { return layout_; }
    [[nodiscard]] std::string_view timestamp_source() const noexcept final {
        return "start-of-exposure";
    }
    [[nodiscard]] double rate() const noexcept final { return rate_; }
    [[nodiscard]] std::vector<Transport> transports() const final {
        return {Transport::host_pages, Transport::copy};
    }
    [[nodiscard]] std::vector<FrameMemory> allocate(Transport transport, uint32_t count) final;
    void start(std::span<const FrameMemory> buffers) final;
    void stop() noexcept final;
    [[nodiscard]] int fd() const noexcept final { return timer_.get(); }
    void queue(uint32_t slot) noexcept final;
    [[nodiscard]] Dequeued dequeue(Captured& frame) noexcept final;

  protected:
    PacedSource(const FrameLayout& layout, double rate) : layout_(layout), rate_(rate) {}
    [[nodiscard]] uint8_t* pixels(uint32_t slot) const noexcept { return buffers_[slot].data(); }

  private:
    FrameLayout layout_;
    double rate_;
    UniqueFd timer_;
    std::span<const FrameMemory> buffers_;
    std::vector<uint32_t> queued_;  ///< oldest first; capacity is reserved in start()
    uint64_t next_sequence_ = 0;
};

}  // namespace glint::zero_copy
