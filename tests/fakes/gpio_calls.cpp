// The C library's functions that libgpiod calls, defined in the program so that the dynamic linker
// binds the library to them: what concerns a played chip goes to the GpioKernel, all else to the
// machine's.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/gpio_kernel.hpp"

namespace {

using glint::fakes::GpioKernel;

/// A kernel's result as the C library gives it.
template <typename Result>
Result answered(Result result) {
    if (result >= 0) return result;
    errno = static_cast<int>(-result);
    return -1;
}

std::string real_path(const char* path) {
    const GpioKernel* const kernel = GpioKernel::current();
    return kernel != nullptr ? kernel->real_path(path) : path;
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
    if (GpioKernel* const kernel = GpioKernel::current()) {
        if (const auto result = kernel->open(path)) return answered(*result);
    }
    return static_cast<int>(::syscall(SYS_openat, folder, real_path(path).c_str(), flags, mode));
}

int status_of(const char* path, struct stat* status, int flags) {
    const int result = ::fstatat(AT_FDCWD, real_path(path).c_str(), status, flags);
    const GpioKernel* const kernel = GpioKernel::current();
    if (result == 0 && kernel != nullptr) kernel->mend_status(path, *status);
    return result;
}

/// The third argument of open(), which is there only where a file may be made.
mode_t mode_of(int flags, va_list arguments) {
    return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_at(folder, path, flags, mode);
}

#if !defined(_FILE_OFFSET_BITS) || _FILE_OFFSET_BITS != 64  // which makes openat() this one
/// By which a 32-bit libstdc++ lists folders.
int openat64(int folder, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_at(folder, path, flags | O_LARGEFILE, mode);
}
#endif

int close(int fd) {
    if (GpioKernel* const kernel = GpioKernel::current()) kernel->close(fd);
    return static_cast<int>(::syscall(SYS_close, fd));
}

int ioctl(int fd, unsigned long request, ...) noexcept {
    va_list arguments;
    va_start(arguments, request);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    if (GpioKernel* const kernel = GpioKernel::current()) {
        if (const auto result = kernel->ioctl(fd, request, argument)) return answered(*result);
    }
    return static_cast<int>(::syscall(SYS_ioctl, fd, request, argument));
}

ssize_t read(int fd, void* bytes, size_t size) {
    if (GpioKernel* const kernel = GpioKernel::current()) {
        if (const auto result = kernel->read(fd, bytes, size)) return answered(*result);
    }
    return ::syscall(SYS_read, fd, bytes, size);
}

int access(const char* path, int mode) noexcept {
    return ::faccessat(AT_FDCWD, real_path(path).c_str(), mode, 0);
}

int stat(const char* path, struct stat* status) noexcept {
    return status_of(path, status, 0);
}

int lstat(const char* path, struct stat* status) noexcept {
    return status_of(path, status, AT_SYMLINK_NOFOLLOW);
}

char* realpath(const char* path, char* resolved) noexcept {
    using Function = char* (*)(const char*, char*);
    static const auto machine = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "realpath"));
    char* const found = machine(real_path(path).c_str(), resolved);
    const GpioKernel* const kernel = GpioKernel::current();
    if (found != nullptr && kernel != nullptr)
        std::strcpy(found, kernel->played_path(found).c_str());
    return found;
}

}  // extern "C"
