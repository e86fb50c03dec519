// Processes of a test's own: what ends a process, or is told when it ends, is not seen from inside.
// Include before TestHarness.h.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace glint::layer::test {

struct Outcome {
    int code = -1;   ///< of exit()
    int signal = 0;  ///< that ended it
    std::string out;
    std::string err;
};

/// Runs the body in a fork and lets it end with exit(0). 99: the body threw, or a check in it
/// failed. The caller must not have touched OpenCL.
[[nodiscard]] Outcome in_child(const std::function<void()>& body);

/// A program with this process' environment.
[[nodiscard]] Outcome run_program(const std::vector<std::string>& arguments);

/// Looks every few milliseconds; false if it never came true.
[[nodiscard]] bool wait_for(std::chrono::milliseconds at_most, const std::function<bool()>& met);

[[nodiscard]] size_t count_of(std::string_view text, std::string_view part);

/// A file of this process' own below the system's temporary folder; removed with the object.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::string_view text = {});
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string read() const;

  private:
    std::string path_;
};

}  // namespace glint::layer::test
