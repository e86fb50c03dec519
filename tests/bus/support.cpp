#include "tests/bus/support.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <sstream>
#include <system_error>

#include <CppUTest/TestHarness.h>

namespace glint::test {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// What a session or a service around the tests would bring in and what must not reach a daemon.
constexpr std::string_view not_inherited[] = {"NOTIFY_SOCKET",   "WATCHDOG_USEC",
                                              "WATCHDOG_PID",    "JOURNAL_STREAM",
                                              "OPENCL_LAYERS",   "LISTEN_FDS",
                                              "CACHE_DIRECTORY", "STATE_DIRECTORY",
                                              "NO_COLOR",        "DBUS_SYSTEM_BUS_ADDRESS"};

std::vector<std::string> make_environment(const std::map<std::string, std::string>& additions) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string name(*entry, std::string_view(*entry).find('='));
        const bool dropped = additions.contains(name) ||
                             std::ranges::find(not_inherited, name) != std::end(not_inherited);
        if (!dropped) result.emplace_back(*entry);
    }
    for (const auto& [name, value] : additions) {
        if (value != "@") result.push_back(name + "=" + value);
    }
    return result;
}

Fd open_output(const std::filesystem::path& file) {
    const std::string path = file.empty() ? "/dev/null" : file.string();
    Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (fd.get() < 0) fail(path);
    return fd;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::string status_field(pid_t pid, std::string_view field) {
    std::istringstream lines(read_file(fmt::format("/proc/{}/status", pid)));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(field)) return line.substr(field.size() + 1);
    }
    return {};
}

}  // namespace

milliseconds now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::chrono::duration_cast<milliseconds>(seconds(time.tv_sec) +
                                                    std::chrono::nanoseconds(time.tv_nsec));
}

bool wait_for(milliseconds at_most, const std::function<bool()>& met) {
    const milliseconds end = now() + at_most;
    while (!met()) {
        if (now() >= end) return false;
        ::poll(nullptr, 0, 5);
    }
    return true;
}

std::string read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void write_file(const std::filesystem::path& file, std::string_view text) {
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << text;
    if (!stream.flush()) fail(file.string());
}

size_t count_of(std::string_view text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

void run_guarded(void (*test)()) {
    std::string what;
    try {
        return test();
    } catch (const std::exception& error) {
        what = error.what();
    }
    FAIL(what.c_str());
}

bool test_fails() {
    return std::uncaught_exceptions() > 0 ||
           (UtestShell::getCurrent() != nullptr && UtestShell::getCurrent()->hasFailed());
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "glint-bus-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) fail(name);
    ::chmod(name.c_str(), 0755);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Fd::~Fd() {
    if (fd_ >= 0) ::close(fd_);
}

Process::Process(const Command& command) {
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment = make_environment(command.environment);
    for (const auto& [name, value] : command.environment) {
        if (value == "@") environment.push_back(name + "=" + std::string(16, '\0'));
    }
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(environment);
    const Fd output = open_output(command.output);
    const Fd errors = open_output(command.errors);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) fail("fork");
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(126);
        for (std::string& entry : environment) {
            const size_t value = entry.find('=') + 1;
            if (value < entry.size() && entry[value] == '\0') {
                ::snprintf(entry.data() + value, 16, "%d", ::getpid());
            }
        }
        ::dup2(output.get(), STDOUT_FILENO);
        ::dup2(errors.get(), STDERR_FILENO);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
}

Process::~Process() {
    if (!running()) return;
    signal(SIGTERM);
    if (wait_exit(seconds(10))) return;
    signal(SIGKILL);
    wait_exit(seconds(10));
}

bool Process::running() {
    return !wait_exit(milliseconds(0));
}

void Process::signal(int number) const {
    if (!status_) ::kill(pid_, number);
}

std::optional<int> Process::wait_exit(milliseconds at_most) {
    if (status_) return status_;
    pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    const milliseconds end = now() + at_most;
    while (::poll(&ended, 1, static_cast<int>(std::max(end - now(), milliseconds(0)).count())) <
           0) {
        if (errno != EINTR) fail("poll");
    }
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return status_;
}

RunResult run_program(std::vector<std::string> arguments,
                      std::map<std::string, std::string> environment) {
    const TemporaryFolder folder;
    Process process({.arguments = std::move(arguments),
                     .environment = std::move(environment),
                     .output = folder / "output",
                     .errors = folder / "errors"});
    // A probe builds every variant, on a played device with every one checked by clang.
    const auto code = process.wait_exit(seconds(180));
    if (!code) throw std::runtime_error("a program did not end within 180 s");
    return {*code, read_file(folder / "output"), read_file(folder / "errors")};
}

size_t fd_count(pid_t pid) {
    const std::filesystem::directory_iterator entries(fmt::format("/proc/{}/fd", pid));
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

size_t map_count(pid_t pid) {
    return count_of(read_file(fmt::format("/proc/{}/maps", pid)), "\n");
}

size_t resident_kib(pid_t pid) {
    return std::stoul(status_field(pid, "VmRSS"));
}

}  // namespace glint::test
