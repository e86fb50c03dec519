// Memory that devices share, played with memfds.
#include "tests/fakes/dma_bufs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "zero_copy/formats.hpp"
#include "zero_copy/frame_memory.hpp"

namespace glint::fakes {
namespace {

using zero_copy::align_up;
using zero_copy::page_bytes;
using zero_copy::UniqueFd;

// Means nothing to memory, and a descriptor keeps it through dup(2): the mark of a dma-buf.
constexpr int dma_buf_mark = O_DSYNC;
constexpr uint64_t udmabuf_limit = 64ULL << 20;  // the module's size_limit_mb

std::string path_of(int fd) {
    return fmt::format("/proc/self/fd/{}", fd);
}

std::string shown_as(std::string_view name) {
    return fmt::format("/memfd:{} (deleted)", name);
}

template <typename Matches>
size_t descriptors(Matches matches) {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        if (matches(entry.path())) ++count;
    }
    return count;
}

template <typename Matches>
size_t mappings(Matches matches) {
    size_t count = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (matches(line)) ++count;
    }
    return count;
}

}  // namespace

UniqueFd make_memory(const char* name, size_t bytes) {
    UniqueFd memory(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const auto size = static_cast<off_t>(align_up(bytes, page_bytes));
    if (!memory.valid() || ::ftruncate(memory.get(), size) != 0) {
        throw std::system_error(errno, std::generic_category(),
                                fmt::format("cannot make a memfd {} of {} bytes", name, bytes));
    }
    return memory;
}

int export_memory(int memory, int flags) {
    const int fd = ::open(path_of(memory).c_str(), flags | dma_buf_mark);
    return fd < 0 ? -errno : fd;
}

bool is_dma_buf(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & dma_buf_mark) != 0 && ::fcntl(fd, F_GET_SEALS) >= 0;
}

uint64_t memory_bytes(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

size_t live_mappings(std::string_view name) {
    return mappings([shown = shown_as(name)](const std::string& line) {
        return line.size() > shown.size() && line.ends_with(' ' + shown);
    });
}

size_t live_descriptors(std::string_view name) {
    return descriptors([shown = shown_as(name)](const std::filesystem::path& path) {
        std::error_code gone;  // the one that reads the folder
        return std::filesystem::read_symlink(path, gone) == shown;
    });
}

bool used_elsewhere(int memory) {
    struct stat sought {};
    if (::fstat(memory, &sought) != 0) return false;
    const size_t open = descriptors([&](const std::filesystem::path& path) {
        struct stat found {};
        return ::stat(path.c_str(), &found) == 0 && found.st_dev == sought.st_dev &&
               found.st_ino == sought.st_ino;
    });
    if (open > 1) return true;
    return mappings([&](const std::string& line) {
               std::istringstream words(line);
               std::string range, rights, offset, device, inode;
               words >> range >> rights >> offset >> device >> inode;
               return inode == std::to_string(sought.st_ino) &&
                      line.find("/memfd:") != std::string::npos;
           }) > 0;
}

int DmaBufs::ioctl(int fd, unsigned long request, void* argument) {
    const std::scoped_lock lock(mutex_);
    if (request != DMA_BUF_IOCTL_SYNC || !is_dma_buf(fd)) return -ENOTTY;
    const uint64_t flags = static_cast<const dma_buf_sync*>(argument)->flags;
    const uint64_t direction = flags & DMA_BUF_SYNC_RW;
    if ((flags & ~static_cast<uint64_t>(DMA_BUF_SYNC_VALID_FLAGS_MASK)) != 0 || direction == 0) {
        return -EINVAL;
    }
    if (failures_ > 0) {
        --failures_;
        return -failure_;
    }
    struct stat status {};
    if (::fstat(fd, &status) != 0) return -errno;
    const std::pair memory(status.st_dev, status.st_ino);
    if ((flags & DMA_BUF_SYNC_END) != 0) return end(memory, direction);
    ++starts_;
    open_.emplace(memory, Access{fd, direction});
    return 0;
}

int DmaBufs::end(std::pair<dev_t, ino_t> memory, uint64_t direction) {
    ++ends_;
    const auto [first, last] = open_.equal_range(memory);
    const auto found =
        std::find_if(first, last, [&](const auto& it) { return it.second.direction == direction; });
    if (found == last) {
        ++wrong_ends_;
    } else {
        open_.erase(found);
    }
    return 0;  // the kernel does not pair them either
}

void DmaBufs::fail_next(int code, uint32_t times) {
    const std::scoped_lock lock(mutex_);
    failure_ = code;
    failures_ = times;
}

uint32_t DmaBufs::starts() const {
    const std::scoped_lock lock(mutex_);
    return starts_;
}

uint32_t DmaBufs::ends() const {
    const std::scoped_lock lock(mutex_);
    return ends_;
}

uint32_t DmaBufs::wrong_ends() const {
    const std::scoped_lock lock(mutex_);
    return wrong_ends_;
}

std::vector<int> DmaBufs::left_open() const {
    const std::scoped_lock lock(mutex_);
    std::vector<int> fds;
    for (const auto& [memory, access] : open_) fds.push_back(access.fd);
    return fds;
}

int DmaHeap::ioctl(int, unsigned long request, void* argument) {
    const std::scoped_lock lock(mutex_);
    if (request != DMA_HEAP_IOCTL_ALLOC) return -ENOTTY;
    auto& data = *static_cast<dma_heap_allocation_data*>(argument);
    const uint64_t bytes = align_up(data.len, page_bytes);
    if (data.fd != 0 || data.heap_flags != 0 || bytes == 0) return -EINVAL;
    if ((data.fd_flags & ~static_cast<uint32_t>(O_CLOEXEC | O_ACCMODE)) != 0) return -EINVAL;
    if (failure_ != 0) return -failure_;
    if (bytes > bytes_left_) return -ENOMEM;
    const UniqueFd memory = make_memory("fake-dma-heap", static_cast<size_t>(bytes));
    const int exported = export_memory(memory.get(), static_cast<int>(data.fd_flags));
    if (exported < 0) return exported;
    bytes_left_ -= bytes;
    ++allocations_;
    data.fd = static_cast<uint32_t>(exported);
    return 0;
}

void DmaHeap::fail_with(int code) {
    const std::scoped_lock lock(mutex_);
    failure_ = code;
}

void DmaHeap::limit(uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    bytes_left_ = bytes;
}

uint32_t DmaHeap::allocations() const {
    const std::scoped_lock lock(mutex_);
    return allocations_;
}

int Udmabuf::ioctl(int, unsigned long request, void* argument) {
    const std::scoped_lock lock(mutex_);
    if (request != UDMABUF_CREATE) return -ENOTTY;
    const auto& asked = *static_cast<const udmabuf_create*>(argument);
    if (asked.size == 0 || asked.size % page_bytes != 0 || asked.offset % page_bytes != 0) {
        return -EINVAL;
    }
    const auto memory = static_cast<int>(asked.memfd);
    const int seals = ::fcntl(memory, F_GET_SEALS);
    if (seals < 0) return -EBADFD;
    if ((seals & F_SEAL_SHRINK) == 0 || (seals & F_SEAL_WRITE) != 0) return -EINVAL;
    if (asked.offset != 0 || asked.size > udmabuf_limit) return -EINVAL;
    if (asked.size > memory_bytes(memory)) return -EINVAL;
    const bool closes = (asked.flags & UDMABUF_FLAGS_CLOEXEC) != 0;
    const int exported = export_memory(memory, O_RDWR | (closes ? O_CLOEXEC : 0));
    if (exported >= 0) ++creations_;
    return exported;
}

uint32_t Udmabuf::creations() const {
    const std::scoped_lock lock(mutex_);
    return creations_;
}

}  // namespace glint::fakes
