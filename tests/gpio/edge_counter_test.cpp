// Which edges are known to be missing: from numbers, and without them.
#include <cstdint>

#include "daemon/gpio/edge_counter.hpp"

#include <CppUTest/TestHarness.h>

using glint::gpio::EdgeCounter;

TEST_GROUP(EdgeCounters) {
    EdgeCounter numbered{true, false};
    EdgeCounter plain{false, false};

    /// As a kernel's queue gives them: rising, falling and so on.
    static void count(EdgeCounter & counter, unsigned edges) {
        for (unsigned at = 0; at < edges; ++at) counter.count(!counter.active(), 0);
    }
};

TEST(EdgeCounters, AGapInTheNumbersIsALoss) {
    LONGS_EQUAL(1, numbered.count(true, 1));
    CHECK_FALSE(numbered.level_wanted());
    LONGS_EQUAL(5, numbered.count(true, 5));
    CHECK_TRUE(numbered.level_wanted());
    LONGS_EQUAL(3, numbered.missed());
    numbered.settle(true);
    CHECK_FALSE(numbered.level_wanted());
    LONGS_EQUAL(6, numbered.count(false, 6));
    CHECK_FALSE(numbered.level_wanted());
    LONGS_EQUAL(3, numbered.missed());
    LONGS_EQUAL(6, numbered.edges());
}

TEST(EdgeCounters, TheFirstOnesMayBeMissingToo) {
    LONGS_EQUAL(8, numbered.count(true, 8));
    LONGS_EQUAL(7, numbered.missed());
}

TEST(EdgeCounters, NumbersWrapAndSequencesDoNot) {
    numbered.count(true, UINT32_MAX - 1);
    const uint64_t before = numbered.missed();
    LONGLONGS_EQUAL(uint64_t{UINT32_MAX} + 2,
                    numbered.count(false, 1));  // UINT32_MAX and 0 missing
    LONGLONGS_EQUAL(before + 2, numbered.missed());
}

TEST(EdgeCounters, ALevelAddsNothingToNumbers) {
    numbered.count(true, 2);
    numbered.settle(false);
    CHECK_FALSE(numbered.active());
    LONGS_EQUAL(2, numbered.edges());
    LONGS_EQUAL(1, numbered.missed());
}

TEST(EdgeCounters, ShortPulsesAreNoLoss) {
    for (unsigned at = 0; at < EdgeCounter::queue_length; ++at) plain.count(false, 0);
    LONGS_EQUAL(0, plain.missed());
    LONGS_EQUAL(16, plain.edges());
}

TEST(EdgeCounters, AFullQueueMayHaveLost) {
    count(plain, EdgeCounter::queue_length - 1);
    CHECK_FALSE(plain.level_wanted());
    count(plain, 1);
    CHECK_TRUE(plain.level_wanted());
    plain.settle(false);
    LONGS_EQUAL(0, plain.missed());
    CHECK_FALSE(plain.level_wanted());
    count(plain, EdgeCounter::queue_length - 1);
    CHECK_FALSE(plain.level_wanted());
}

TEST(EdgeCounters, BehindAFullQueueTwoOfOneDirectionShowALoss) {
    count(plain, EdgeCounter::queue_length);
    LONGS_EQUAL(18, plain.count(false, 0));
    LONGS_EQUAL(1, plain.missed());
    LONGS_EQUAL(19, plain.count(true, 0));
    LONGS_EQUAL(21, plain.count(true, 0));  // still not empty
    LONGS_EQUAL(2, plain.missed());
    plain.settle(true);
    LONGS_EQUAL(22, plain.count(true, 0));  // a short pulse
    LONGS_EQUAL(2, plain.missed());
}

TEST(EdgeCounters, AnotherLevelShowsALoss) {
    count(plain, EdgeCounter::queue_length);
    plain.settle(true);
    CHECK_TRUE(plain.active());
    LONGS_EQUAL(1, plain.missed());
    LONGS_EQUAL(17, plain.edges());
    LONGS_EQUAL(18, plain.count(false, 0));
    LONGS_EQUAL(1, plain.missed());
}

TEST(EdgeCounters, ALateEdgeTakesBackWhatTheLevelShowed) {
    count(plain, EdgeCounter::queue_length);
    plain.settle(true);
    LONGS_EQUAL(17, plain.count(true, 0));
    LONGS_EQUAL(0, plain.missed());
    LONGS_EQUAL(18, plain.count(true, 0));  // only once
    LONGS_EQUAL(0, plain.missed());
}
