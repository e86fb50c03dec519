#include "zero_copy/device_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string_view>

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
    std::string node_path(NodeNumber number) override {
        constexpr std::string_view key = "DEVNAME=";
        std::ifstream uevent(fmt::format("/sys/dev/char/{}:{}/uevent", number.major, number.minor));
        for (std::string line; std::getline(uevent, line);) {
            if (line.starts_with(key)) return "/dev/" + line.substr(key.size());
        }
        return {};
    }
    std::optional<NodeNumber> node_number(const std::string& path) override {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) return std::nullopt;
        return NodeNumber{gnu_dev_major(status.st_rdev), gnu_dev_minor(status.st_rdev)};
    }
};

}  // namespace

DeviceCalls& system_calls() noexcept {
    static SystemCalls calls;
    return calls;
}

}  // namespace glint::zero_copy
