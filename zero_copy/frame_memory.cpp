#include "zero_copy/frame_memory.hpp"

#include <fmt/format.h>
#include <linux/dma-buf.h>
#include <linux/ioctl.h>  // _IOW, which dma-buf.h takes for granted
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

namespace glint::zero_copy {

FrameMemory::FrameMemory(size_t size_bytes) : size_(whole_pages(size_bytes)) {
    // MAP_POPULATE: a page fault belongs to start-up, not to the first frame.
    void* pages = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (pages == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(),
                                fmt::format("cannot map {} bytes for a frame", size_));
    }
    data_ = static_cast<uint8_t*>(pages);
}

FrameMemory::FrameMemory(DeviceCalls& calls, int fd, off_t offset, size_t size_bytes)
    : size_(whole_pages(size_bytes)) {
    map(calls, fd, offset);
}

FrameMemory::FrameMemory(DeviceFd dmabuf, size_t size_bytes)
    : size_(whole_pages(size_bytes)), dmabuf_(std::move(dmabuf)) {
    map(dmabuf_.calls(), dmabuf_.get(), 0);
}

void FrameMemory::map(DeviceCalls& calls, int fd, off_t offset) {
    void* pages = calls.map(size_, fd, offset);
    if (pages == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(),
                                fmt::format("cannot map a buffer of {} bytes", size_));
    }
    data_ = static_cast<uint8_t*>(pages);
}

FrameMemory::~FrameMemory() {
    if (data_ != nullptr && !abandoned_) ::munmap(data_, size_);
}

FrameMemory::FrameMemory(FrameMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      abandoned_(other.abandoned_),
      dmabuf_(std::move(other.dmabuf_)) {}

FrameMemory& FrameMemory::operator=(FrameMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(abandoned_, other.abandoned_);
    std::swap(dmabuf_, other.dmabuf_);
    return *this;
}

std::vector<FrameMemory> host_pages(uint32_t count, size_t bytes_each) {
    std::vector<FrameMemory> buffers;
    buffers.reserve(count);
    for (uint32_t i = 0; i < count; ++i) buffers.emplace_back(bytes_each);
    return buffers;
}

bool is_slow_to_read(const FrameMemory& memory) {
    constexpr size_t most = size_t{1} << 20;
    constexpr int most_runs = 10;  // in turns: on a busy machine any of them may be held up
    constexpr int slow = 4;        // times: caches differ by less, uncached pages by ten and more
    using Duration = std::chrono::steady_clock::duration;
    const size_t bytes = std::min(memory.size(), most);
    const FrameMemory ordinary(bytes);
    std::vector<uint8_t> to(bytes);
    const auto time_of = [&](const FrameMemory& from) {
        const CpuAccess access(from);
        const auto start = std::chrono::steady_clock::now();
        std::memcpy(to.data(), from.data(), bytes);
        return std::chrono::steady_clock::now() - start;
    };
    Duration own = Duration::max();
    Duration usual = Duration::max();
    for (int run = 0; run < most_runs; ++run) {
        own = std::min(own, time_of(memory));
        usual = std::min(usual, time_of(ordinary));
        if (run > 0 && own <= slow * usual) return false;  // the first one brings the pages in
    }
    return true;
}

CpuAccess::CpuAccess(const FrameMemory& memory, Kind kind) noexcept
    : memory_(memory), kind_(kind), granted_(sync(DMA_BUF_SYNC_START)) {}

CpuAccess::~CpuAccess() {
    if (granted_) (void)sync(DMA_BUF_SYNC_END);
}

bool CpuAccess::sync(uint64_t phase) const noexcept {
    if (!memory_.dmabuf()) return true;
    dma_buf_sync request{};
    request.flags = phase | (kind_ == Kind::read ? DMA_BUF_SYNC_READ : DMA_BUF_SYNC_RW);
    // The kernel gives EAGAIN for waits that a signal ended, too.
    int result = 0;
    do {
        result = memory_.dmabuf().ioctl(DMA_BUF_IOCTL_SYNC, &request);
    } while (result == -1 && errno == EAGAIN);
    return result == 0;
}

}  // namespace glint::zero_copy
