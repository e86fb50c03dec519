// The loop's parts: timers, wake-ups, descriptors, and what handlers throw.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "daemon/loop.hpp"
#include "tests/fakes/turn.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/unique_fd.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::fakes::turn_until;
using glint::fakes::turn_while_busy;
using glint::test::text_thrown;

namespace {

constexpr microseconds at_once{0};
constexpr microseconds soon{2000};
constexpr std::chrono::hours never{1000};

}  // namespace

TEST_GROUP(Loops) {
    Loop loop;
    int calls = 0;
    zero_copy::UniqueFd ready{::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)};

    std::string text_out_of_run() {
        return text_thrown<std::logic_error>([this] { loop.run(); });
    }
};

TEST(Loops, RunReturnsAfterExit) {
    Timer timer(loop, [this] {
        ++calls;
        loop.exit();
    });
    timer.arm(at_once);
    loop.run();
    LONGS_EQUAL(1, calls);
}

TEST(Loops, WhatATimerThrowsComesOutOfRun) {
    Timer timer(loop, [] { throw std::logic_error("timer"); });
    timer.arm(at_once);
    STRCMP_EQUAL("timer", text_out_of_run().c_str());
}

TEST(Loops, WhatADescriptorsHandlerThrowsComesOutOfRun) {
    IoSource io(loop, ready.get(), EPOLLIN, [](uint32_t) { throw std::logic_error("io"); });
    STRCMP_EQUAL("io", text_out_of_run().c_str());
}

TEST(Loops, WhatAWakeupsHandlerThrowsComesOutOfRun) {
    Wakeup wakeup(loop, [] { throw std::logic_error("wakeup"); });
    wakeup.signal();
    STRCMP_EQUAL("wakeup", text_out_of_run().c_str());
}

TEST(Loops, TheFirstOfTwoExceptionsComesOut) {
    loop.guarded([] { throw std::logic_error("first"); });
    loop.guarded([] { throw std::logic_error("second"); });
    STRCMP_EQUAL("first", text_out_of_run().c_str());
}

TEST(Loops, ASignalIsDeliveredOnTheLoop) {
    sigset_t one;
    sigset_t before;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    LONGS_EQUAL(0, ::pthread_sigmask(SIG_BLOCK, &one, &before));
    {
        SignalSource source(loop, SIGUSR1, [this] { ++calls; });
        ::pthread_kill(::pthread_self(), SIGUSR1);
        CHECK_TRUE(turn_until(loop, [this] { return calls == 1; }));
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Loops, ATimerFiresOncePerArming) {
    Timer timer(loop, [this] { ++calls; });
    turn_while_busy(loop);
    LONGS_EQUAL(0, calls);  // not before it is armed
    for (int round = 1; round <= 3; ++round) {
        timer.arm(at_once);
        CHECK_TRUE(turn_until(loop, [&] { return calls == round; }));
        turn_while_busy(loop);
        LONGS_EQUAL(round, calls);
    }
}

TEST(Loops, ACancelledTimerDoesNotFire) {
    bool later = false;
    Timer cancelled(loop, [this] { ++calls; });
    Timer sentinel(loop, [&] { later = true; });
    cancelled.arm(at_once);
    cancelled.cancel();
    sentinel.arm(soon);
    CHECK_TRUE(turn_until(loop, [&] { return later; }));
    LONGS_EQUAL(0, calls);
    cancelled.arm(at_once);
    CHECK_TRUE(turn_until(loop, [this] { return calls == 1; }));
}

TEST(Loops, ArmingAgainReplacesTheDelay) {
    bool later = false;
    Timer timer(loop, [this] { ++calls; });
    Timer sentinel(loop, [&] { later = true; });
    timer.arm(never);
    timer.arm(at_once);
    CHECK_TRUE(turn_until(loop, [this] { return calls == 1; }));
    timer.arm(at_once);
    timer.arm(never);
    sentinel.arm(soon);
    CHECK_TRUE(turn_until(loop, [&] { return later; }));
    LONGS_EQUAL(1, calls);
}

TEST(Loops, ATimerMayArmItselfAgain) {
    std::optional<Timer> timer;
    timer.emplace(loop, [&] {
        if (++calls < 5) timer->arm(at_once);
    });
    timer->arm(at_once);
    CHECK_TRUE(turn_until(loop, [this] { return calls == 5; }));
    turn_while_busy(loop);
    LONGS_EQUAL(5, calls);
}

TEST(Loops, ADestroyedTimerDoesNotFire) {
    bool later = false;
    Timer sentinel(loop, [&] { later = true; });
    {
        Timer timer(loop, [this] { ++calls; });
        timer.arm(at_once);
    }
    sentinel.arm(soon);
    CHECK_TRUE(turn_until(loop, [&] { return later; }));
    LONGS_EQUAL(0, calls);
}

TEST(Loops, SignalsBeforeTheHandlerRunsAreMerged) {
    Wakeup wakeup(loop, [this] { ++calls; });
    for (int i = 0; i < 1000; ++i) wakeup.signal();
    turn_while_busy(loop);
    LONGS_EQUAL(1, calls);
    wakeup.signal();
    turn_while_busy(loop);
    LONGS_EQUAL(2, calls);
}

TEST(Loops, ASignalInsideTheHandlerIsNotLost) {
    std::optional<Wakeup> wakeup;
    wakeup.emplace(loop, [&] {
        if (++calls == 1) wakeup->signal();
    });
    wakeup->signal();
    turn_while_busy(loop);
    LONGS_EQUAL(2, calls);
}

TEST(Loops, AnyThreadMayWakeTheLoop) {
    std::thread::id handled_by;
    Wakeup wakeup(loop, [&] {
        handled_by = std::this_thread::get_id();
        loop.exit();
    });
    std::thread other([&] { wakeup.signal(); });
    loop.run();
    other.join();
    CHECK_TRUE(handled_by == std::this_thread::get_id());
}

TEST(Loops, AReadyDescriptorIsReportedUntilItIsNot) {
    uint32_t seen = 0;
    IoSource io(loop, ready.get(), EPOLLIN, [&](uint32_t events) {
        seen = events;
        if (++calls < 3) return;
        uint64_t count = 0;
        LONGS_EQUAL(sizeof count, ::read(ready.get(), &count, sizeof count));
    });
    turn_while_busy(loop);
    LONGS_EQUAL(3, calls);
    LONGS_EQUAL(EPOLLIN, seen);
}

TEST(Loops, ADescriptorsSourceMayEndInsideItsHandler) {
    std::optional<IoSource> io;
    io.emplace(loop, ready.get(), EPOLLIN, [&](uint32_t) {
        ++calls;
        io.reset();
    });
    turn_while_busy(loop);
    LONGS_EQUAL(1, calls);
}

TEST(Loops, ADestroyedSourceIsNotCalled) {
    {
        IoSource io(loop, ready.get(), EPOLLIN, [this](uint32_t) { ++calls; });
    }
    turn_while_busy(loop);
    LONGS_EQUAL(0, calls);
}

TEST(Loops, ABadDescriptorIsAnErrorWithItsReason) {
    const std::string text = text_thrown<std::system_error>(
        [&] { IoSource io(loop, 100'000, EPOLLIN, [](uint32_t) {}); });
    STRCMP_CONTAINS("cannot watch a descriptor", text.c_str());
    STRCMP_CONTAINS("Bad file descriptor", text.c_str());
}

TEST(Loops, NegativeErrnoValuesAreThrown) {
    LONGS_EQUAL(7, check_errno(7, "nothing"));
    const std::string text =
        text_thrown<std::system_error>([] { check_errno(-ENOENT, "open it"); });
    STRCMP_EQUAL("open it: No such file or directory", text.c_str());
}

TEST(Loops, TheClockNeverGoesBack) {
    uint64_t last = now_nsec();
    for (int i = 0; i < 1000; ++i) {
        const uint64_t now = now_nsec();
        CHECK_TRUE(now >= last);
        last = now;
    }
}
