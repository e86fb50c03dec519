#include "daemon/mask_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "daemon/failure.hpp"

namespace glint {
namespace {

constexpr const char* invalid_args = "org.freedesktop.DBus.Error.InvalidArgs";

std::vector<uint8_t> read_all(int fd, size_t size) {
    std::vector<uint8_t> bytes(size);
    for (size_t done = 0; done < size;) {
        const ssize_t got = ::pread(fd, bytes.data() + done, size - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw std::system_error(errno, std::generic_category(), "reading the mask");
        if (got == 0) throw Failure(invalid_args, "the mask shrank while it was read");
        done += static_cast<size_t>(got);
    }
    return bytes;
}

}  // namespace

std::shared_ptr<const Mask> read_mask(int fd, uint32_t width, uint32_t height) {
    struct stat status {};
    if (::fcntl(fd, F_GET_SEALS) < 0 || ::fstat(fd, &status) != 0) {
        throw Failure(invalid_args, "the mask is no memfd; make one with memfd_create");
    }
    if (status.st_size == 0) return nullptr;
    const size_t size = size_t{width} * height;
    if (static_cast<uint64_t>(status.st_size) != size) {
        throw Failure(invalid_args,
                      fmt::format("the mask has {} bytes; a frame of {}x{} takes {}, one per pixel",
                                  status.st_size, width, height, size));
    }
    return std::make_shared<const Mask>(Mask::of_bytes(width, height, read_all(fd, size)));
}

}  // namespace glint
