// RAII over sd-event: what the one loop thread waits for.
#pragma once

#include <systemd/sd-event.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>

#include "zero_copy/unique_fd.hpp"

namespace glint {

using std::chrono::microseconds;

/// CLOCK_MONOTONIC, the clock of every instant in the service.
[[nodiscard]] uint64_t now_nsec() noexcept;

class Loop {
  public:
    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// Returns after exit(); rethrows what a handler threw.
    void run();
    /// From a handler: run() returns after it.
    void exit() noexcept;
    [[nodiscard]] sd_event* get() const noexcept { return event_; }
    /// Runs a handler; an exception ends the loop and comes out of run(), since none may cross
    /// sd-event's C frames.
    void guarded(const std::function<void()>& handler) noexcept;

  private:
    sd_event* event_ = nullptr;
    bool exiting_ = false;
    std::exception_ptr failure_;
};

/// Throws std::system_error for a negative errno value as libsystemd returns it.
int check_errno(int result, std::string_view what);

/// Calls the handler while the descriptor is ready for `events` (EPOLLIN ...).
class IoSource {
  public:
    using Handler = std::function<void(uint32_t events)>;
    /// Of those that are ready at the same time, the lower comes first.
    static constexpr int64_t first = SD_EVENT_PRIORITY_IMPORTANT;
    static constexpr int64_t usual = SD_EVENT_PRIORITY_NORMAL;
    IoSource(Loop& loop, int fd, uint32_t events, Handler handler, int64_t priority = usual);
    ~IoSource();
    IoSource(const IoSource&) = delete;
    IoSource& operator=(const IoSource&) = delete;

  private:
    Loop& loop_;
    Handler handler_;
    sd_event_source* source_ = nullptr;
};

/// One shot each time it is armed.
class Timer {
  public:
    Timer(Loop& loop, std::function<void()> handler);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    void arm(microseconds delay);
    void cancel();

  private:
    Loop& loop_;
    std::function<void()> handler_;
    sd_event_source* source_ = nullptr;
};

/// Lets any thread call the handler on the loop thread, via an eventfd. Signals sent before the
/// handler runs are merged into one call.
class Wakeup {
  public:
    Wakeup(Loop& loop, std::function<void()> handler);
    void signal() const noexcept;

  private:
    zero_copy::UniqueFd fd_;
    IoSource io_;
};

/// A blocked signal delivered on the loop. Block it in every thread first.
class SignalSource {
  public:
    SignalSource(Loop& loop, int signal, std::function<void()> handler);
    ~SignalSource();
    SignalSource(const SignalSource&) = delete;
    SignalSource& operator=(const SignalSource&) = delete;

  private:
    Loop& loop_;
    std::function<void()> handler_;
    sd_event_source* source_ = nullptr;
};

}  // namespace glint
