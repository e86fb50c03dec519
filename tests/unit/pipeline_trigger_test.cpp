// Frames that answer triggers on their way through the pipeline.
#include <optional>
#include <vector>

#include "tests/unit/pipeline_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

TEST_GROUP(PipelineTriggers) {
    std::optional<test::PipelineBench> bench;

    void start(bool only_triggered, std::set<uint64_t> triggered) {
        bench.emplace(only_triggered);
        bench->triggered = std::move(triggered);
        bench->start();
    }
    void teardown() override {
        CHECK_TRUE(bench->shut_down());
        bench.reset();
    }
};

TEST(PipelineTriggers, TheMeasurementNamesItsTrigger) {
    start(false, {1});
    for (uint64_t sequence = 0; sequence < 3; ++sequence) {
        bench->send(sequence);
        bench->gpu.complete();
        CHECK_EQUAL(sequence == 1, bench->newest->trigger.has_value());
    }
    LONGS_EQUAL(1, bench->counters.triggers_answered);
    LONGS_EQUAL(3, bench->counters.processed);
}

TEST(PipelineTriggers, WithoutOneAFrameGoesBackWhereOnlyTriggeredOnesAreWanted) {
    start(true, {2});
    for (uint64_t sequence = 0; sequence < 5; ++sequence) bench->send(sequence);
    bench->gpu.complete();
    CHECK_TRUE(bench->measured == std::vector<uint64_t>{2});
    LONGS_EQUAL(5, bench->counters.captured);
    LONGS_EQUAL(0, bench->counters.dropped);
    LONGS_EQUAL(0, bench->pool->leased());
}

TEST(PipelineTriggers, ALaterFrameDoesNotReplaceOneThatAnswers) {
    start(false, {1});
    for (uint64_t sequence = 0; sequence < 4; ++sequence) bench->send(sequence);
    bench->complete_all();
    CHECK_TRUE((bench->measured == std::vector<uint64_t>{0, 1}));
    LONGS_EQUAL(2, bench->counters.dropped);
    LONGS_EQUAL(0, bench->counters.triggers_missed);
}

TEST(PipelineTriggers, OfTwoThatAnswerTheLaterOneWaitsAndTheOtherIsMissed) {
    start(false, {1, 2});
    for (uint64_t sequence = 0; sequence < 4; ++sequence) bench->send(sequence);
    bench->complete_all();
    CHECK_TRUE((bench->measured == std::vector<uint64_t>{0, 2}));
    LONGS_EQUAL(1, bench->counters.triggers_missed);
    LONGS_EQUAL(1, bench->counters.triggers_answered);
}

TEST(PipelineTriggers, EachIsEitherAnsweredOrMissedWhateverFails) {
    start(false, {0, 1, 2, 3});
    bench->send(0);
    bench->gpu.complete_wrongly();
    LONGS_EQUAL(1, bench->counters.triggers_missed);
    bench->send(1);
    bench->send(2);
    bench->gpu.fail("out of order");
    LONGS_EQUAL(3, bench->counters.triggers_missed);
    bench->send(3);  // the pipeline has halted: nobody was asked
    LONGS_EQUAL(3, bench->counters.triggers_missed);
    LONGS_EQUAL(0, bench->counters.triggers_answered);
}

TEST(PipelineTriggers, AStopMissesWhatRunsAndWhatWaits) {
    start(false, {0, 1});
    bench->send(0);
    bench->send(1);
    bench->stop();
    bench->complete_all();
    LONGS_EQUAL(2, bench->counters.triggers_missed);
}

TEST(PipelineTriggers, ACorruptFrameAnswersNothing) {
    start(false, {0});
    bench->send({.slot = 0, .sequence = 0, .corrupt = true});
    LONGS_EQUAL(0, bench->counters.triggers_missed + bench->counters.triggers_answered);
}
