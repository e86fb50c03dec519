#include "tools/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace glint::tools {
namespace {

[[noreturn]] void fail(const std::string& what, int code) {
    throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(code)));
}

}  // namespace

NewFile::NewFile(std::string target) : target_(std::move(target)) {
    struct stat status {};
    if (stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        throw std::runtime_error(
            fmt::format("{} is there and not a regular file: name another", target_));
    }
    temporary_ = target_ + ".XXXXXX";
    const int fd = mkostemp(temporary_.data(), O_CLOEXEC);
    if (fd < 0) fail(fmt::format("{} cannot be created", target_), errno);
    // mkostemp makes files private; this one shall be like any other that the user makes.
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    stream_.reset(fdopen(fd, "wb"));
    if (stream_) return;
    const int code = errno;
    close(fd);
    unlink(temporary_.c_str());
    fail(fmt::format("{} cannot be opened", temporary_), code);
}

NewFile::~NewFile() {
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void NewFile::commit() {
    if (std::fflush(stream_.get()) != 0 || fsync(fileno(stream_.get())) != 0)
        fail(fmt::format("{} cannot be written", target_), errno);
    stream_.reset();
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
        fail(fmt::format("{} cannot be replaced", target_), errno);
    temporary_.clear();
}

void write_new_file(const std::string& target, std::string_view text) {
    NewFile file(target);
    if (std::fwrite(text.data(), 1, text.size(), file.stream()) != text.size())
        fail(fmt::format("{} cannot be written", target), errno);
    file.commit();
}

}  // namespace glint::tools
