// Which frame answers which edge, on each basis that a timestamp may stand.
#include <string>
#include <tuple>

#include "daemon/trigger.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

namespace {

constexpr uint64_t msec = 1'000'000;

Trigger edge_at(uint64_t nsec, uint64_t sequence = 1) {
    return {.line = "button", .sequence = sequence, .timestamp_nsec = nsec};
}

}  // namespace

TEST_GROUP(Triggers) {
    TriggerQueue queue;
    uint64_t missed = 0;

    /// The sequence of the edge that is answered; 0: none.
    uint64_t answer(uint64_t nsec) {
        const auto trigger = queue.answer(nsec, missed);
        return trigger ? trigger->sequence : 0;
    }
};

TEST(Triggers, TheExposureBeganByTheTimestampsBasis) {
    const struct {
        FrameTime frame;
        uint64_t start;
        const char* basis;
    } rows[]{
        {{"start-of-exposure", 100 * msec, 50, 5000}, 100 * msec, "start-of-exposure"},
        {{"end-of-frame", 100 * msec, 50, 5000},
         75 * msec,
         "end-of-frame-less-period-and-exposure"},
        {{"end-of-frame", 100 * msec, 50, -1}, 80 * msec, "end-of-frame-less-period"},
        {{"end-of-frame", 100 * msec, 0, 5000}, 95 * msec, "end-of-frame-less-exposure"},
        {{"end-of-frame", 100 * msec, 0, -1}, 100 * msec, "end-of-frame"},
        {{"dequeue", 100 * msec, 50, 5000}, 100 * msec, "dequeue"},
        {{"end-of-frame", 1 * msec, 50, 5000}, 0, "end-of-frame-less-period-and-exposure"},
    };
    for (const auto& row : rows) {
        CHECK_EQUAL(row.start, exposure_start_nsec(row.frame));
        STRCMP_EQUAL(row.basis, std::string(trigger_basis(row.frame)).c_str());
    }
}

TEST(Triggers, TheFirstFrameAtOrAfterTheEdgeAnswersIt) {
    LONGS_EQUAL(0, queue.arm(edge_at(50 * msec, 7)));
    LONGS_EQUAL(0, answer(49 * msec));
    LONGS_EQUAL(7, answer(50 * msec));
    LONGS_EQUAL(0, answer(90 * msec));
    CHECK(queue.empty());
    LONGS_EQUAL(0, missed);
}

TEST(Triggers, EdgesOfLaterFramesWait) {
    // The second edge came before the first one's frame was there.
    std::ignore = queue.arm(edge_at(10 * msec, 1));
    std::ignore = queue.arm(edge_at(40 * msec, 2));
    LONGS_EQUAL(1, answer(33 * msec));
    LONGS_EQUAL(2, answer(66 * msec));
    LONGS_EQUAL(0, missed);
}

TEST(Triggers, OfEdgesBetweenTwoFramesTheFirstIsAnsweredAndTheOthersAreMissed) {
    for (uint64_t i = 1; i <= 5; ++i) std::ignore = queue.arm(edge_at(i * msec, i));
    std::ignore = queue.arm(edge_at(70 * msec, 6));
    LONGS_EQUAL(1, answer(33 * msec));
    LONGS_EQUAL(4, missed);
    LONGS_EQUAL(6, answer(99 * msec));
}

TEST(Triggers, EdgesOfSeveralLinesAreTakenByTime) {
    std::ignore = queue.arm(edge_at(40 * msec, 2));
    std::ignore = queue.arm(edge_at(10 * msec, 1));
    LONGS_EQUAL(1, answer(33 * msec));
    LONGS_EQUAL(2, answer(66 * msec));
}

TEST(Triggers, WhenNoFrameComesTheOldestIsMissedAndTheQueueStaysSmall) {
    size_t over = 0;
    for (uint64_t i = 1; i <= TriggerQueue::most_waiting + 3; ++i) over += queue.arm(edge_at(i, i));
    LONGS_EQUAL(3, over);
    LONGS_EQUAL(4, answer(msec));
    LONGS_EQUAL(TriggerQueue::most_waiting - 1, missed);
    std::ignore = queue.arm(edge_at(2 * msec));
    LONGS_EQUAL(1, queue.clear());
    LONGS_EQUAL(0, queue.clear());
}
