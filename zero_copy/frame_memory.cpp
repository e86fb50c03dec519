#include "zero_copy/frame_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "zero_copy/formats.hpp"

namespace glint::zero_copy {

FrameMemory::FrameMemory(size_t size_bytes)
    : size_(static_cast<size_t>(align_up(size_bytes, page_bytes))) {
    // MAP_POPULATE: a page fault belongs to start-up, not to the first frame.
    void* pages = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (pages == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(),
                                fmt::format("cannot map {} bytes for a frame", size_));
    }
    data_ = static_cast<uint8_t*>(pages);
}

FrameMemory::~FrameMemory() {
    if (data_ != nullptr && !abandoned_) ::munmap(data_, size_);
}

FrameMemory::FrameMemory(FrameMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      abandoned_(other.abandoned_) {}

FrameMemory& FrameMemory::operator=(FrameMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(abandoned_, other.abandoned_);
    return *this;
}

}  // namespace glint::zero_copy
