// What the bus tests need of the system: time, files, child processes that do not outlive a test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glint::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

#ifdef GLINT_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// For limits that are requirements: instrumented code gets more.
constexpr milliseconds limit(milliseconds plain) {
    return sanitized ? plain * 6 : plain;
}

/// CLOCK_MONOTONIC.
milliseconds now();

/// Looks again every few milliseconds until `met` or the limit; returns whether it was met.
bool wait_for(milliseconds at_most, const std::function<bool()>& met);

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, std::string_view text);
size_t count_of(std::string_view text, std::string_view part);
inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// A test whose exceptions are failures of that test alone; CppUTest lets them end the program.
#define BUS_TEST(group, name)                     \
    static void group##_##name();                 \
    TEST(group, name) {                           \
        glint::test::run_guarded(group##_##name); \
    }                                             \
    static void group##_##name()
void run_guarded(void (*test)());

/// True inside a test that has failed or is failing.
bool test_fails();

/// Removed with all that is in it. Other users may look inside.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
        return path_ / name;
    }

  private:
    std::filesystem::path path_;
};

class Fd {
  public:
    explicit Fd(int owned = -1) noexcept : fd_(owned) {}
    ~Fd();
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    [[nodiscard]] int get() const noexcept { return fd_; }

  private:
    int fd_;
};

struct Command {
    std::vector<std::string> arguments;              ///< the program's path first
    std::map<std::string, std::string> environment;  ///< beside what is inherited; "@": its own pid
    std::filesystem::path output;                    ///< takes stdout
    std::filesystem::path errors;                    ///< takes stderr
};

/// A child process. Its end is SIGTERM, and SIGKILL ten seconds later; it also ends when the test
/// program does.
class Process {
  public:
    explicit Process(const Command& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool running();
    void signal(int number) const;
    /// The exit code, or 128 + signal; nothing when it runs on.
    std::optional<int> wait_exit(milliseconds at_most);

  private:
    pid_t pid_ = -1;
    Fd pidfd_;
    std::optional<int> status_;
};

struct RunResult {
    int code = -1;
    std::string output;
    std::string errors;
};

/// Runs a program to its end.
RunResult run_program(std::vector<std::string> arguments,
                      std::map<std::string, std::string> environment = {});

// Of /proc/PID.
size_t fd_count(pid_t pid);
size_t map_count(pid_t pid);
size_t resident_kib(pid_t pid);

}  // namespace glint::test
