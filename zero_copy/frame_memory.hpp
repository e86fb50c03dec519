// Memory that frames live in: whole pages, so that a GPU can map it without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zero_copy/device_calls.hpp"

namespace glint::zero_copy {

/// The kernel driver imports user memory only when address and size are whole cache lines, OpenCL
/// drivers only when they are whole pages; 4096 serves both.
inline constexpr size_t page_bytes = 4096;

/// `bytes` up to the end of their last page. A frame is below 2 GiB: so is this, where size_t has
/// 32 bits.
[[nodiscard]] constexpr size_t whole_pages(size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Mapped pages: anonymous ones, a driver's, or a dma-buf's. Move-only; unmaps itself.
class FrameMemory {
  public:
    FrameMemory() = default;
    /// Anonymous pages, zeroed: at least `size_bytes`, rounded up to whole pages. Throws
    /// std::system_error (ENOMEM ...).
    explicit FrameMemory(size_t size_bytes);
    /// Maps `size_bytes`, rounded up to whole pages, of what lies at `offset` of a device. Throws
    /// std::system_error.
    FrameMemory(DeviceCalls& calls, int fd, off_t offset, size_t size_bytes);
    /// Maps a dma-buf, whole, and keeps its descriptor. Throws std::system_error.
    FrameMemory(DeviceFd dmabuf, size_t size_bytes);
    ~FrameMemory();
    FrameMemory(FrameMemory&& other) noexcept;
    FrameMemory& operator=(FrameMemory&& other) noexcept;
    FrameMemory(const FrameMemory&) = delete;
    FrameMemory& operator=(const FrameMemory&) = delete;

    /// Leaves the pages mapped for ever: for a device that cannot be waited for any more and may
    /// still write to them.
    void abandon() noexcept { abandoned_ = true; }
    /// This memory is the dma-buf's as well: CPU access is announced to it.
    void attach(DeviceFd dmabuf) noexcept { dmabuf_ = std::move(dmabuf); }

    [[nodiscard]] uint8_t* data() const noexcept { return data_; }
    [[nodiscard]] size_t size() const noexcept { return size_; }
    [[nodiscard]] std::span<uint8_t> bytes() const noexcept { return {data_, size_}; }
    /// Not open for memory that is no dma-buf.
    [[nodiscard]] const DeviceFd& dmabuf() const noexcept { return dmabuf_; }

  private:
    void map(DeviceCalls& calls, int fd, off_t offset);

    uint8_t* data_ = nullptr;
    size_t size_ = 0;
    bool abandoned_ = false;
    DeviceFd dmabuf_;
};

/// Anonymous pages for `count` frames. Throws std::system_error.
[[nodiscard]] std::vector<FrameMemory> host_pages(uint32_t count, size_t bytes_each);

/// Whether the CPU reads this memory far slower than ordinary pages, as it does uncached ones:
/// found by reading both. Takes some milliseconds.
[[nodiscard]] bool is_slow_to_read(const FrameMemory& memory);

/// The CPU's access to a frame, from construction to destruction: on a dma-buf the kernel makes the
/// caches agree at both ends (DMA_BUF_IOCTL_SYNC); elsewhere it costs nothing. Blocks for as long
/// as the caches take, a millisecond for a large frame.
class CpuAccess {
  public:
    enum class Kind { read, write };
    explicit CpuAccess(const FrameMemory& memory, Kind kind = Kind::read) noexcept;
    ~CpuAccess();
    CpuAccess(const CpuAccess&) = delete;
    CpuAccess& operator=(const CpuAccess&) = delete;

    /// False: the kernel refused, and what the CPU would see may be old.
    [[nodiscard]] bool granted() const noexcept { return granted_; }

  private:
    [[nodiscard]] bool sync(uint64_t phase) const noexcept;

    const FrameMemory& memory_;
    Kind kind_;
    bool granted_;
};

}  // namespace glint::zero_copy
