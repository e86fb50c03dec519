// Memory that devices share, played with memfds: dma-bufs, the heaps that give them, udmabuf.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fakes/fake_machine.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint::fakes {

/// A memfd of whole pages; throws std::system_error.
[[nodiscard]] zero_copy::UniqueFd make_memory(const char* name, size_t bytes);

/// A descriptor of `memory`'s pages that passes as a dma-buf, which a plain memfd does not, here as
/// little as in the kernel. `flags`: O_RDONLY, O_WRONLY or O_RDWR, and O_CLOEXEC; memory that was
/// exported O_RDONLY cannot be mapped for writing. A negative errno value on failure.
[[nodiscard]] int export_memory(int memory, int flags);
[[nodiscard]] bool is_dma_buf(int fd);
/// Bytes, or 0 for a descriptor that has no size.
[[nodiscard]] uint64_t memory_bytes(int fd);

/// Of this process, from /proc/self; `name` as make_memory() was given it.
[[nodiscard]] size_t live_mappings(std::string_view name);
[[nodiscard]] size_t live_descriptors(std::string_view name);
/// Whether the pages are mapped, or there is a descriptor of them besides `memory`.
[[nodiscard]] bool used_elsewhere(int memory);

/// Answers DMA_BUF_IOCTL_SYNC; give it to FakeMachine::set_memory_node().
class DmaBufs final : public FakeNode {
  public:
    int ioctl(int fd, unsigned long request, void* argument) override;

    /// The next `times` calls fail with `code`, an errno value.
    void fail_next(int code, uint32_t times = 1);
    [[nodiscard]] uint32_t starts() const;
    [[nodiscard]] uint32_t ends() const;
    /// Ends without a start, and ends in another direction than the start.
    [[nodiscard]] uint32_t wrong_ends() const;
    /// The descriptors through which a CPU access was begun that has not ended.
    [[nodiscard]] std::vector<int> left_open() const;

  private:
    struct Access {
        int fd;
        uint64_t direction;
    };
    int end(std::pair<dev_t, ino_t> memory, uint64_t direction);

    mutable std::mutex mutex_;
    uint32_t starts_ = 0;
    uint32_t ends_ = 0;
    uint32_t wrong_ends_ = 0;
    std::multimap<std::pair<dev_t, ino_t>, Access> open_;
    uint32_t failures_ = 0;
    int failure_ = 0;
};

/// A node below /dev/dma_heap. Its memory is named "fake-dma-heap".
class DmaHeap final : public FakeNode {
  public:
    int ioctl(int fd, unsigned long request, void* argument) override;

    /// From now on allocations fail with `code` (ENOMEM ...); 0: they succeed.
    void fail_with(int code);
    /// An allocation that would exceed this, with all before it, fails with ENOMEM.
    void limit(uint64_t bytes);
    [[nodiscard]] uint32_t allocations() const;

  private:
    mutable std::mutex mutex_;
    int failure_ = 0;
    uint64_t bytes_left_ = UINT64_MAX;
    uint32_t allocations_ = 0;
};

/// /dev/udmabuf: a memfd as a dma-buf. Only whole from offset 0, other offsets are refused.
class Udmabuf final : public FakeNode {
  public:
    int ioctl(int fd, unsigned long request, void* argument) override;
    [[nodiscard]] uint32_t creations() const;

  private:
    mutable std::mutex mutex_;
    uint32_t creations_ = 0;
};

}  // namespace glint::fakes
