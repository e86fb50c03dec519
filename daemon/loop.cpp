#include "daemon/loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <system_error>

namespace glint {

uint64_t now_nsec() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

int check_errno(int result, std::string_view what) {
    if (result < 0) throw std::system_error(-result, std::generic_category(), std::string(what));
    return result;
}

Loop::Loop() {
    check_errno(sd_event_new(&event_), "cannot create the event loop");
}

Loop::~Loop() {
    sd_event_unref(event_);
}

void Loop::run() {
    // Not sd_event_loop with sd_event_exit: that lets every attached sd-bus flush first, which
    // waits for ever for a bus that does not read.
    while (!exiting_) check_errno(sd_event_run(event_, UINT64_MAX), "the event loop failed");
    if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void Loop::exit() noexcept {
    exiting_ = true;
}

void Loop::guarded(const std::function<void()>& handler) noexcept {
    try {
        handler();
    } catch (...) {
        if (failure_ == nullptr) failure_ = std::current_exception();
        exit();
    }
}

IoSource::IoSource(Loop& loop, int fd, uint32_t events, Handler handler, int64_t priority)
    : loop_(loop), handler_(std::move(handler)) {
    const auto call = [](sd_event_source*, int, uint32_t revents, void* self) {
        auto* io = static_cast<IoSource*>(self);
        io->loop_.guarded([&] { io->handler_(revents); });
        return 0;
    };
    check_errno(sd_event_add_io(loop.get(), &source_, fd, events, call, this),
                "cannot watch a descriptor");
    check_errno(sd_event_source_set_priority(source_, priority), "cannot watch a descriptor");
}

IoSource::~IoSource() {
    sd_event_source_disable_unref(source_);
}

Timer::Timer(Loop& loop, std::function<void()> handler)
    : loop_(loop), handler_(std::move(handler)) {
    const auto call = [](sd_event_source*, uint64_t, void* self) {
        auto* timer = static_cast<Timer*>(self);
        timer->loop_.guarded(timer->handler_);
        return 0;
    };
    // One millisecond of accuracy: no timer of ours needs more, and it lets wake-ups coincide.
    constexpr uint64_t accuracy_usec = 1000;
    check_errno(sd_event_add_time(loop.get(), &source_, CLOCK_MONOTONIC, UINT64_MAX, accuracy_usec,
                                  call, this),
                "cannot create a timer");
    cancel();
}

Timer::~Timer() {
    sd_event_source_disable_unref(source_);
}

void Timer::arm(microseconds delay) {
    check_errno(sd_event_source_set_time_relative(source_, static_cast<uint64_t>(delay.count())),
                "cannot arm a timer");
    check_errno(sd_event_source_set_enabled(source_, SD_EVENT_ONESHOT), "cannot arm a timer");
}

void Timer::cancel() {
    check_errno(sd_event_source_set_enabled(source_, SD_EVENT_OFF), "cannot stop a timer");
}

namespace {
zero_copy::UniqueFd make_eventfd() {
    zero_copy::UniqueFd fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!fd.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
    return fd;
}
}  // namespace

Wakeup::Wakeup(Loop& loop, std::function<void()> handler)
    : fd_(make_eventfd()),
      io_(loop, fd_.get(), EPOLLIN, [this, handler = std::move(handler)](uint32_t) {
          uint64_t count = 0;
          // Reset first: a signal that comes while the handler runs must not be lost.
          [[maybe_unused]] const ssize_t got = ::read(fd_.get(), &count, sizeof count);
          handler();
      }) {}

void Wakeup::signal() const noexcept {
    const uint64_t one = 1;
    // Fails only when the counter is about to overflow, and then the loop is awake already.
    [[maybe_unused]] const ssize_t put = ::write(fd_.get(), &one, sizeof one);
}

SignalSource::SignalSource(Loop& loop, int signal, std::function<void()> handler)
    : loop_(loop), handler_(std::move(handler)) {
    const auto call = [](sd_event_source*, const signalfd_siginfo*, void* self) {
        auto* source = static_cast<SignalSource*>(self);
        source->loop_.guarded(source->handler_);
        return 0;
    };
    check_errno(sd_event_add_signal(loop.get(), &source_, signal, call, this),
                "cannot watch a signal");
}

SignalSource::~SignalSource() {
    sd_event_source_disable_unref(source_);
}

}  // namespace glint
