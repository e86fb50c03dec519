// Device nodes that exist in a test only, below the seam of zero_copy/device_calls.hpp.
#pragma once

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "zero_copy/device_calls.hpp"

namespace glint::fakes {

/// What is behind a node. Every function may be called on any thread, one at a time; results are 0
/// (or what the call returns) or a negative errno value.
class FakeNode {
  public:
    virtual ~FakeNode() = default;
    /// `fd` is an eventfd in semaphore mode: written to, it is readable, as poll(2) sees it.
    virtual int opened(int fd) {
        (void)fd;
        return 0;
    }
    /// For a node that behaves otherwise with O_NONBLOCK than without.
    virtual int opened_with(int fd, int flags) {
        (void)flags;
        return opened(fd);
    }
    virtual void closed(int fd) { (void)fd; }
    virtual int ioctl(int fd, unsigned long request, void* argument) = 0;
    /// A descriptor to map from and the offset in it, or a negative errno value.
    virtual int memory_at(off_t offset, size_t bytes, off_t& offset_in_memory) {
        (void)offset, (void)bytes, (void)offset_in_memory;
        return -ENODEV;
    }
};

/// Nodes by path. Descriptors that no node handed out (those of memory) go to `other`.
class FakeMachine final : public zero_copy::DeviceCalls {
  public:
    void add(const std::string& path, std::shared_ptr<FakeNode> node) {
        const std::scoped_lock lock(mutex_);
        nodes_[path] = std::move(node);
    }
    /// Gives the node at `path` its device number.
    void number(const std::string& path, zero_copy::NodeNumber number) {
        const std::scoped_lock lock(mutex_);
        numbers_[path] = number;
    }
    /// Descriptors that are open stay with the node.
    void remove(const std::string& path) {
        const std::scoped_lock lock(mutex_);
        nodes_.erase(path);
    }
    /// Takes the ioctls of descriptors that are no node's, such as DMA_BUF_IOCTL_SYNC on memory.
    void set_memory_node(std::shared_ptr<FakeNode> node) { memory_ = std::move(node); }
    [[nodiscard]] size_t open_count() const {
        const std::scoped_lock lock(mutex_);
        return open_.size();
    }

    int open(const char* path, int flags) noexcept override {
        const std::scoped_lock lock(mutex_);
        const auto found = nodes_.find(path);
        if (found == nodes_.end()) return fail(ENOENT);
        const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
        if (const int result = found->second->opened_with(fd, flags); result < 0) {
            ::close(fd);
            return fail(-result);
        }
        open_[fd] = found->second;
        return fd;
    }
    void close(int fd) noexcept override {
        const std::scoped_lock lock(mutex_);
        if (const auto found = open_.find(fd); found != open_.end()) {
            found->second->closed(fd);
            open_.erase(found);
        }
        ::close(fd);
    }
    int ioctl(int fd, unsigned long request, void* argument) noexcept override {
        const std::scoped_lock lock(mutex_);
        const auto found = open_.find(fd);
        FakeNode* node = found != open_.end() ? found->second.get() : memory_.get();
        if (node == nullptr) return fail(ENOTTY);
        const int result = node->ioctl(fd, request, argument);
        return result < 0 ? fail(-result) : result;
    }
    void* map(size_t bytes, int fd, off_t offset) noexcept override {
        const std::scoped_lock lock(mutex_);
        int memory = fd;
        if (const auto found = open_.find(fd); found != open_.end()) {
            off_t inside = 0;
            memory = found->second->memory_at(offset, bytes, inside);
            offset = inside;
        }
        if (memory < 0) {
            errno = -memory;
            return MAP_FAILED;
        }
        return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, offset);
    }
    std::string node_path(zero_copy::NodeNumber number) override {
        const std::scoped_lock lock(mutex_);
        for (const auto& [path, known] : numbers_) {
            if (known == number) return path;
        }
        return {};
    }
    std::optional<zero_copy::NodeNumber> node_number(const std::string& path) override {
        const std::scoped_lock lock(mutex_);
        const auto found = numbers_.find(path);
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    static int fail(int code) {
        errno = code;
        return -1;
    }

    mutable std::mutex mutex_;
    std::map<std::string, std::shared_ptr<FakeNode>> nodes_;
    std::map<std::string, zero_copy::NodeNumber> numbers_;
    std::map<int, std::shared_ptr<FakeNode>> open_;
    std::shared_ptr<FakeNode> memory_;
};

}  // namespace glint::fakes
