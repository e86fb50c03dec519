#include "daemon/memfd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace glint {

using zero_copy::UniqueFd;

void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

UniqueFd make_memfd(const char* name) {
    UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.valid()) throw_errno("memfd_create");
    return fd;
}

UniqueFd reopen_read_only(const UniqueFd& memfd) {
    UniqueFd fd(::open(fmt::format("/proc/self/fd/{}", memfd.get()).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) throw_errno("/proc/self/fd");
    return fd;
}

}  // namespace glint
