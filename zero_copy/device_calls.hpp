// The system calls that reach a device, behind an interface: tests put scripted drivers below it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace glint::zero_copy {

/// What a device node refers to, whatever its name.
struct NodeNumber {
    uint32_t major = 0;
    uint32_t minor = 0;
    [[nodiscard]] bool operator==(const NodeNumber&) const = default;
};

/// Each call is as its namesake in section 2 of the manual: -1 (map: MAP_FAILED) and errno on
/// failure. ioctl() starts again when a signal interrupts it.
class DeviceCalls {
  public:
    DeviceCalls() = default;
    virtual ~DeviceCalls() = default;
    DeviceCalls(const DeviceCalls&) = delete;
    DeviceCalls& operator=(const DeviceCalls&) = delete;

    /// O_CLOEXEC is added to `flags`.
    [[nodiscard]] virtual int open(const char* path, int flags) noexcept = 0;
    /// Of a descriptor that open() gave.
    virtual void close(int fd) noexcept = 0;
    [[nodiscard]] virtual int ioctl(int fd, unsigned long request, void* argument) noexcept = 0;
    /// Shared, for reading and writing. Undone with munmap(2).
    [[nodiscard]] virtual void* map(size_t bytes, int fd, off_t offset) noexcept = 0;
    /// The path below /dev of a character device; empty when there is none.
    [[nodiscard]] virtual std::string node_path(NodeNumber number) = 0;
    /// Of the node behind a path, links followed; none when that is no character device.
    [[nodiscard]] virtual std::optional<NodeNumber> node_number(const std::string& path) = 0;
};

/// The kernel's.
[[nodiscard]] DeviceCalls& system_calls() noexcept;

/// Owns a descriptor that DeviceCalls::open() gave.
class DeviceFd {
  public:
    DeviceFd() = default;
    DeviceFd(DeviceCalls& calls, int fd) noexcept : calls_(&calls), fd_(fd) {}
    ~DeviceFd() { reset(); }
    DeviceFd(DeviceFd&& other) noexcept : calls_(other.calls_), fd_(other.release()) {}
    DeviceFd& operator=(DeviceFd&& other) noexcept {
        if (this != &other) {
            reset();
            calls_ = other.calls_;
            fd_ = other.release();
        }
        return *this;
    }
    DeviceFd(const DeviceFd&) = delete;
    DeviceFd& operator=(const DeviceFd&) = delete;

    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
    [[nodiscard]] int ioctl(unsigned long request, void* argument) const noexcept {
        return calls_->ioctl(fd_, request, argument);
    }
    [[nodiscard]] DeviceCalls& calls() const noexcept { return *calls_; }
    void reset() noexcept {
        if (fd_ >= 0) calls_->close(release());
    }

  private:
    int release() noexcept {
        const int fd = fd_;
        fd_ = -1;
        return fd;
    }

    DeviceCalls* calls_ = nullptr;
    int fd_ = -1;
};

}  // namespace glint::zero_copy
