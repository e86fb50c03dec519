// Memory that frames live in: whole pages, so that a GPU can map it without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace glint::zero_copy {

/// The kernel driver imports user memory only when address and size are whole cache lines, OpenCL
/// drivers only when they are whole pages; 4096 serves both.
inline constexpr size_t page_bytes = 4096;

/// Page-aligned anonymous memory ("host_pages"), zeroed. Move-only; unmaps itself.
class FrameMemory {
  public:
    FrameMemory() = default;
    /// At least `size_bytes`, rounded up to whole pages. Throws std::system_error (ENOMEM ...).
    explicit FrameMemory(size_t size_bytes);
    ~FrameMemory();
    FrameMemory(FrameMemory&& other) noexcept;
    FrameMemory& operator=(FrameMemory&& other) noexcept;
    FrameMemory(const FrameMemory&) = delete;
    FrameMemory& operator=(const FrameMemory&) = delete;

    /// Leaves the pages mapped for ever: for a device that cannot be waited for any more and may
    /// still write to them.
    void abandon() noexcept { abandoned_ = true; }

    [[nodiscard]] uint8_t* data() const noexcept { return data_; }
    [[nodiscard]] size_t size() const noexcept { return size_; }
    [[nodiscard]] std::span<uint8_t> bytes() const noexcept { return {data_, size_}; }

  private:
    uint8_t* data_ = nullptr;
    size_t size_ = 0;
    bool abandoned_ = false;
};

}  // namespace glint::zero_copy
