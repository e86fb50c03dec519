#include "zero_copy/device_calls.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace glint::zero_copy {
namespace {

class SystemCalls final : public DeviceCalls {
  public:
    int open(const char* path, int flags) noexcept override {
        return ::open(path, flags | O_CLOEXEC);
    }
    void close(int fd) noexcept override { ::close(fd); }
    int ioctl(int fd, unsigned long request, void* argument) noexcept override {
        int result = 0;
        do {
            result = ::ioctl(fd, request, argument);
        } while (result == -1 && errno == EINTR);
        return result;
    }
    void* map(size_t bytes, int fd, off_t offset) noexcept override {
        return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    }
};

}  // namespace

DeviceCalls& system_calls() noexcept {
    static SystemCalls calls;
    return calls;
}

}  // namespace glint::zero_copy
