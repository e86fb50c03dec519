// What the service logs while the object lives: its standard error, in a file.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace glint::fakes {

class CapturedLog {
  public:
    CapturedLog() : file_(std::tmpfile()), before_(::dup(STDERR_FILENO)) {
        std::fflush(stderr);
        ::dup2(::fileno(file_), STDERR_FILENO);
    }
    ~CapturedLog() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
        std::fclose(file_);
    }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;

    [[nodiscard]] std::string text() const {
        std::string text(size_t{1} << 16, '\0');
        const ssize_t got = ::pread(::fileno(file_), text.data(), text.size(), 0);
        text.resize(got < 0 ? 0 : static_cast<size_t>(got));
        return text;
    }

  private:
    std::FILE* file_;
    int before_;
};

}  // namespace glint::fakes
