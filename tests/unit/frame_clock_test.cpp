// Frame numbers and times: what counts as a loss, what as a restart, and which clock is believed.
#include <string>

#include "zero_copy/frame_clock.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;

namespace {

constexpr uint64_t msec = 1'000'000;
constexpr uint64_t sec = 1000 * msec;

}  // namespace

TEST_GROUP(FrameNumbers) {
    FrameCounter counter{0};
    uint64_t now = 100 * sec;

    /// The number of a frame that comes `after` nanoseconds later.
    long number(uint32_t sequence, uint64_t after = 33 * msec) {
        now += after;
        return static_cast<long>(counter.next(sequence, now));
    }
};

TEST(FrameNumbers, BeginAtZeroAndGapsAreLosses) {
    LONGS_EQUAL(0, number(17));
    LONGS_EQUAL(1, number(18));
    LONGS_EQUAL(4, number(21, 99 * msec));
    LONGS_EQUAL(5, number(22));
    CHECK_FALSE(counter.estimates());
}

TEST(FrameNumbers, GoOnWhenTheDriversWrap) {
    LONGS_EQUAL(0, number(UINT32_MAX - 1));
    LONGS_EQUAL(1, number(UINT32_MAX));
    LONGS_EQUAL(2, number(0));
    LONGS_EQUAL(4, number(2, 66 * msec));
}

TEST(FrameNumbers, AJumpBackIsARestartAndNoLoss) {
    LONGS_EQUAL(0, number(1000));
    LONGS_EQUAL(1, number(1001));
    LONGS_EQUAL(2, number(0));
    LONGS_EQUAL(3, number(1));
    CHECK_FALSE(counter.estimates());
}

TEST(FrameNumbers, ARestartIsTheNextFrameWhateverItsNumber) {
    LONGS_EQUAL(0, number(5));
    counter.restart();
    LONGS_EQUAL(1, number(500000));
    LONGS_EQUAL(2, number(500001));
    counter.restart();
    LONGS_EQUAL(3, number(500001));
    CHECK_FALSE(counter.estimates());
}

TEST(FrameNumbers, AJumpAheadNeedsTime) {
    for (uint32_t i = 0; i < 5; ++i) LONGS_EQUAL(i, number(i));
    LONGS_EQUAL(5, number(1'000'000));  // nine hours of frames in one period
    LONGS_EQUAL(105, number(1'000'100, 3300 * msec));
    LONGS_EQUAL(125, number(1'000'120));  // frames come in bursts
}

TEST(FrameNumbers, APromisedRateServesUntilThreeFramesHaveBeenTimed) {
    counter = FrameCounter(30);
    LONGS_EQUAL(0, number(0));
    LONGS_EQUAL(1, number(1'000'000));
    counter = FrameCounter(0);
    LONGS_EQUAL(0, number(0));
    LONGS_EQUAL(1'000'000, number(1'000'000));  // nothing speaks against it
}

TEST(FrameNumbers, StuckOnesAreEstimatedFromTheTimes) {
    LONGS_EQUAL(0, number(0));
    CHECK_FALSE(counter.estimates());
    for (long expected = 1; expected < 6; ++expected) LONGS_EQUAL(expected, number(0));
    CHECK_TRUE(counter.estimates());
    LONGS_EQUAL(8, number(0, 99 * msec));
    LONGS_EQUAL(9, number(0, 40 * msec));
    LONGS_EQUAL(10, number(0, 10 * msec));  // never twice the same
    LONGS_EQUAL(11, number(0, 0));
}

TEST(FrameNumbers, StuckOnesTakeThePromisedRateFirst) {
    counter = FrameCounter(30);
    LONGS_EQUAL(0, number(0));
    LONGS_EQUAL(3, number(0, 100 * msec));
}

TEST(FrameNumbers, OneLongPauseDoesNotSpoilTheEstimate) {
    for (long expected = 0; expected < 5; ++expected) LONGS_EQUAL(expected, number(0));
    const long after_pause = number(0, 33 * sec);
    LONGS_EQUAL(1004, after_pause);
    LONGS_EQUAL(1006, number(0, 66 * msec));
}

TEST_GROUP(FrameTimes) {
    static constexpr uint64_t now = 1000 * sec;
    FrameClock clock;

    void expect(const char* source, uint64_t time, int64_t stamp, TimestampClaim claim) {
        CHECK_TRUE(clock.take(stamp, claim, now) == time);
        STRCMP_EQUAL(source, std::string(clock.source()).c_str());
    }
};

TEST(FrameTimes, BeforeTheFirstFrameNothingIsClaimed) {
    STRCMP_EQUAL("dequeue", std::string(clock.source()).c_str());
}

TEST(FrameTimes, MonotonicOnesAreKept) {
    constexpr auto stamp = static_cast<int64_t>(now - 20 * msec);
    expect("end-of-frame", now - 20 * msec, stamp, {.monotonic = true});
    expect("start-of-exposure", now - 20 * msec, stamp,
           {.monotonic = true, .start_of_exposure = true});
    expect("end-of-frame", now, static_cast<int64_t>(now), {.monotonic = true});
    expect("end-of-frame", now - 10 * sec, static_cast<int64_t>(now - 10 * sec),
           {.monotonic = true});
}

TEST(FrameTimes, OtherClocksAndImpossibleTimesAreReplaced) {
    constexpr auto good = static_cast<int64_t>(now - 20 * msec);
    expect("dequeue", now, good, {.monotonic = false, .start_of_exposure = true});
    for (const int64_t bad : {int64_t{0}, int64_t{-5}, static_cast<int64_t>(now + 1),
                              static_cast<int64_t>(now - 10 * sec - 1), INT64_MAX, INT64_MIN}) {
        expect("dequeue", now, bad, {.monotonic = true});
    }
    expect("end-of-frame", now - 20 * msec, good, {.monotonic = true});
}
