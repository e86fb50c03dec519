// The timer that stands for a sensor: numbers, gaps, start and stop.
#include <poll.h>

#include <cstdint>
#include <vector>

#include "daemon/loop.hpp"
#include "zero_copy/lease.hpp"
#include "zero_copy/test_source.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;

namespace {

constexpr double fast = 1000;
constexpr uint64_t period_nsec = 1'000'000;

bool wait_for_tick(const Source& source) {
    pollfd descriptor{.fd = source.fd(), .events = POLLIN, .revents = 0};
    constexpr int limit_msec = 5000;
    return ::poll(&descriptor, 1, limit_msec) == 1 && (descriptor.revents & POLLIN) != 0;
}

}  // namespace

TEST_GROUP(PacedSource) {
    FrameLayout layout = make_layout(PixelFormat::grey, 8, 4);
    TestSource source{{TestPattern::Kind::flat, 7}, layout, fast};
    std::vector<FrameMemory> buffers;

    void setup() override {
        for (int i = 0; i < 3; ++i) buffers.emplace_back(layout.size_bytes);
    }

    /// The next frame, or a failed check.
    Captured next() {
        Captured frame;
        CHECK_TRUE(wait_for_tick(source));
        CHECK_TRUE(source.dequeue(frame) == Dequeued::frame);
        return frame;
    }
};

TEST(PacedSource, HandsEveryBufferOutOnceOldestFirst) {
    source.start(buffers);
    for (uint32_t slot = 0; slot < 3; ++slot) {
        const Captured frame = next();
        LONGS_EQUAL(slot, frame.slot);
        CHECK_TRUE(frame.unread);
        CHECK_FALSE(frame.corrupt);
    }
    source.queue(2);
    source.queue(0);
    LONGS_EQUAL(2, next().slot);
    LONGS_EQUAL(0, next().slot);
}

TEST(PacedSource, SequenceCountsTicksAndNeverMoreThanTimeHasPassed) {
    const uint64_t started = glint::now_nsec();
    source.start(buffers);
    uint64_t expected_at_least = 0;
    for (int i = 0; i < 20; ++i) {
        const uint64_t before = glint::now_nsec();
        const Captured frame = next();
        const uint64_t after = glint::now_nsec();
        CHECK_TRUE(frame.sequence >= expected_at_least);
        CHECK_TRUE(frame.sequence < (after - started) / period_nsec + 1);
        CHECK_TRUE(frame.timestamp_nsec >= before && frame.timestamp_nsec <= after);
        expected_at_least = frame.sequence + 1;
        source.queue(frame.slot);
    }
}

TEST(PacedSource, TicksThatNobodyFetchedInTimeAreGaps) {
    source.start(buffers);
    const uint64_t started = glint::now_nsec();
    while (glint::now_nsec() < started + 20 * period_nsec) {
    }
    CHECK_TRUE(next().sequence >= 19);
}

TEST(PacedSource, TicksWithoutAFreeBufferAreGaps) {
    source.start(buffers);
    uint64_t last = 0;
    for (int i = 0; i < 3; ++i) last = next().sequence;
    Captured frame{.slot = 99};
    for (int i = 0; i < 4; ++i) {
        CHECK_TRUE(wait_for_tick(source));
        CHECK_TRUE(source.dequeue(frame) == Dequeued::nothing);
        LONGS_EQUAL(99, frame.slot);
    }
    source.queue(1);
    CHECK_TRUE(next().sequence >= last + 5);
}

TEST(PacedSource, DequeueBeforeTheTickIsNothing) {
    TestSource slow({TestPattern::Kind::flat, 7}, layout, 0.01);
    slow.start(buffers);
    Captured frame;
    CHECK_TRUE(slow.dequeue(frame) == Dequeued::nothing);
}

TEST(PacedSource, StopIsHarmlessAtAnyTime) {
    source.stop();
    source.start(buffers);
    source.stop();
    source.stop();
    LONGS_EQUAL(-1, source.fd());
    Captured frame;
    CHECK_TRUE(source.dequeue(frame) == Dequeued::failed);
}

TEST(PacedSource, WhatIsQueuedAfterStopIsForgotten) {
    source.start(buffers);
    const uint32_t held = next().slot;
    source.stop();
    for (int i = 0; i < 10; ++i) source.queue(held);
    source.start(buffers);
    // Each slot once, and then nothing: the late ones are not there.
    for (uint32_t slot = 0; slot < 3; ++slot) LONGS_EQUAL(slot, next().slot);
    CHECK_TRUE(wait_for_tick(source));
    Captured frame;
    CHECK_TRUE(source.dequeue(frame) == Dequeued::nothing);
}

TEST(PacedSource, TheNextStartCountsOn) {
    source.start(buffers);
    const uint64_t last = next().sequence;
    source.stop();
    source.start(buffers);
    CHECK_TRUE(next().sequence > last);
}

TEST(PacedSource, TooManyQueuedSlotsAreIgnored) {
    source.start(buffers);
    for (uint32_t i = 0; i < 100; ++i) source.queue(0);
    for (uint32_t slot = 0; slot < 3; ++slot) LONGS_EQUAL(slot, next().slot);
    CHECK_TRUE(wait_for_tick(source));
    Captured frame;
    CHECK_TRUE(source.dequeue(frame) == Dequeued::nothing);
}

TEST(PacedSource, AlsoServesABufferPool) {
    const auto pool = std::make_shared<BufferPool>(host_pages(2, layout.size_bytes));
    pool->start(source);
    {
        const Lease first = pool->lease(next().slot);
        const Lease second = pool->lease(next().slot);
        CHECK_TRUE(source.read({.slot = second.slot()}));
        LONGS_EQUAL(7, second.memory().data()[0]);
        LONGS_EQUAL(2, pool->leased());
    }
    (void)next();
    pool->stop();
}
