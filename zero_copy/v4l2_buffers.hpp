// The buffer queue of a V4L2 node: made by one transport, then filled and given back in turn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zero_copy/frame_memory.hpp"
#include "zero_copy/transport.hpp"
#include "zero_copy/v4l2_device.hpp"

namespace glint::zero_copy {

/// A buffer that the driver has filled.
struct Filled {
    uint32_t slot = 0;
    uint32_t bytes_used = 0;
    uint32_t offset_bytes = 0;  ///< of the data in the buffer; only multi-planar drivers have one
    uint32_t flags = 0;         ///< V4L2_BUF_FLAG_...
    uint32_t sequence = 0;
    int64_t timestamp_nsec = 0;
};

/// Order of calls: allocate, start, (dequeue, queue)*, stop, and again.
class V4l2Buffers {
  public:
    /// `device` must outlive this.
    explicit V4l2Buffers(const V4l2Device& device) : device_(device) {}
    ~V4l2Buffers() { release(); }
    V4l2Buffers(const V4l2Buffers&) = delete;
    V4l2Buffers& operator=(const V4l2Buffers&) = delete;

    /// Memory for `count` frames or as many as the driver gives, at least min_buffers, tried out by
    /// queueing one and taking it back; of `heaps` (for dmabuf) from the first whose memory the
    /// driver takes. The memory of an earlier call must be gone. `transport` is
    /// dmabuf, mmap or userptr. Throws TransportRefused when the driver will not, SourceError when
    /// it is gone or busy.
    [[nodiscard]] std::vector<FrameMemory> allocate(Transport transport, uint32_t count,
                                                    size_t size_bytes,
                                                    std::span<const std::string> heaps);
    /// Queues every buffer and starts the stream. Throws SourceError; start_error() then is the
    /// errno value of VIDIOC_STREAMON, or 0 when it did not come to that.
    void start(std::span<const FrameMemory> buffers);
    [[nodiscard]] int start_error() const noexcept { return start_error_; }
    /// Every buffer comes back. Errors are of no interest: the device may be gone.
    void stop() noexcept;

    /// 0 or an errno value.
    [[nodiscard]] int queue(uint32_t slot) noexcept;
    /// 0 or an errno value: EAGAIN when none is filled, EBADSLT when the driver names a buffer that
    /// there is not.
    [[nodiscard]] int dequeue(Filled& filled) noexcept;

  private:
    /// Lets the driver forget its buffers.
    void release() noexcept;
    [[nodiscard]] uint32_t ask_capabilities() const;
    [[nodiscard]] uint32_t request(uint32_t count);
    [[nodiscard]] std::vector<FrameMemory> allocate_from(const std::string& heap, uint32_t count,
                                                         size_t size_bytes);
    [[nodiscard]] FrameMemory memory_for(uint32_t slot, size_t size_bytes, const std::string& heap);
    [[nodiscard]] FrameMemory mapped(uint32_t slot, size_t size_bytes);
    void try_out();
    [[nodiscard]] bool is_queued(uint32_t slot) const noexcept;

    const V4l2Device& device_;
    Transport transport_ = Transport::mmap;
    uint32_t memory_kind_ = 0;  ///< V4L2_MEMORY_...; 0: none are allocated
    std::span<const FrameMemory> buffers_;
    uint32_t capabilities_ = 0;  ///< V4L2_BUF_CAP_... for transport_
    int start_error_ = 0;
};

}  // namespace glint::zero_copy
