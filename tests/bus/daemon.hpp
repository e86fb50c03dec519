// The real glintd as a child process, and what it tells the service manager.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/bus/support.hpp"

namespace glint::test {

/// The manager's end of sd_notify(3). A thread reads all the time, as a manager does: a sender
/// would wait for it.
class NotifySocket {
  public:
    explicit NotifySocket(std::filesystem::path path);
    ~NotifySocket();
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    [[nodiscard]] std::string path() const { return path_.string(); }
    /// Waits until a message contains `part`, or more than `already` messages do.
    bool wait_for_part(std::string_view part, milliseconds at_most, size_t already = 0) const;
    /// Everything so far, one entry a datagram.
    [[nodiscard]] std::vector<std::string> messages() const;
    [[nodiscard]] size_t count(std::string_view part) const;

  private:
    void read_on();

    std::filesystem::path path_;
    Fd fd_;
    mutable std::mutex mutex_;
    mutable std::condition_variable arrived_;
    std::vector<std::string> messages_;
    std::atomic<bool> ending_ = false;
    std::thread reader_;
};

struct DaemonOptions {
    std::string config;       ///< TOML beside the [gpu] table
    std::string gpu;          ///< lines of the [gpu] table
    std::string cache_dir;    ///< empty: the one that all tests share
    std::string tuning_file;  ///< empty: one that is not there, whatever the machine has
    std::map<std::string, std::string> environment;
};

class Daemon {
  public:
    /// Does not wait for READY=1.
    Daemon(const TemporaryFolder& folder, const std::string& bus_address,
           const DaemonOptions& options, const std::string& name = "glintd");
    /// Prints the log if the test has failed.
    ~Daemon();
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    /// Waits for READY=1.
    void wait_ready();
    [[nodiscard]] NotifySocket& notify() noexcept { return notify_; }
    [[nodiscard]] Process& process() noexcept { return *process_; }
    [[nodiscard]] pid_t pid() const noexcept { return process_->pid(); }
    [[nodiscard]] std::string log() const { return read_file(log_); }
    /// SIGTERM; how long it took to end. Fails the test unless the exit code is 0.
    milliseconds stop(milliseconds at_most = limit(seconds(5)));
    /// Fails the test if a sanitizer has spoken.
    void check_sanitizers() const;

  private:
    std::filesystem::path log_;
    NotifySocket notify_;
    std::optional<Process> process_;
};

/// The folder that keeps built programs from one test to the next.
std::filesystem::path shared_cache();

/// What the daemon must say of its device: PoCL's own answers, or those of the device that the
/// layer (tests/layer) plays when the tests run through it.
struct DeviceUnderTest {
    std::string profile = "FULL_PROFILE";
    std::string zero_copy = "proven";
    bool played = false;  ///< with a real one's limits: variants may be refused
    bool runs_fp = true;  ///< at least one histogram variant for the Full Profile fits
};
DeviceUnderTest device_under_test();

/// What every glintd and glintctl of a test has in its environment.
std::map<std::string, std::string> daemon_environment(const std::string& bus_address);

}  // namespace glint::test
