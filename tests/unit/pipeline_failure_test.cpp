// What the pipeline does when parts of it fail or stop: nothing wrong is published, every buffer
// comes back, and `drained` comes exactly once.
#include <optional>
#include <vector>

#include "tests/unit/expect.hpp"
#include "tests/unit/pipeline_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

namespace {

using Sequences = std::vector<uint64_t>;
constexpr zero_copy::Captured unread{.sequence = 0, .unread = true};

}  // namespace

TEST_GROUP(PipelineFailures) {
    std::optional<test::PipelineBench> bench;

    void setup() override {
        bench.emplace();
        bench->start();
    }
    void teardown() override {
        if (bench->pipeline) CHECK_TRUE(bench->shut_down());
        LONGS_EQUAL(1, bench->drained);
        CHECK_FALSE(bench->gpu.overlapped);
        bench.reset();
    }
    void check_measured(const Sequences& expected) {
        CHECK_TRUE(bench->measured == expected);
    }
    void check_drained(uint32_t times) {
        LONGS_EQUAL(times, bench->drained);
        if (times > 0) LONGS_EQUAL(0, bench->pool->leased());
    }
    void check_failures(const std::vector<std::string>& expected) {
        CHECK_TRUE(bench->failures == expected);
    }
};

TEST(PipelineFailures, AResultThatDoesNotSumIsRejectedAndNotPublished) {
    bench->send(0);
    bench->gpu.complete_wrongly();
    LONGS_EQUAL(1, bench->counters.rejected);
    CHECK_TRUE(bench->rejected == std::vector<std::string>{"histogram"});
    LONGS_EQUAL(0, bench->counters.processed);
    LONGS_EQUAL(0, bench->pool->leased());
    check_measured({});
    bench->send(1);
    bench->gpu.complete();
    check_measured({1});
}

TEST(PipelineFailures, ARejectedResultAnswersNoCaller) {
    int replies = 0;
    CHECK_TRUE(bench->pipeline->exporter().request(Stage::raw, [&](const auto&) { ++replies; }));
    bench->send(0);
    bench->gpu.complete_wrongly();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(0, replies);
    bench->send(1);
    bench->gpu.complete();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, replies);
}

TEST(PipelineFailures, AfterARejectedResultTheWaitingFrameRuns) {
    bench->send(0);
    bench->send(1);
    bench->gpu.complete_wrongly();
    LONGS_EQUAL(2, bench->gpu.submissions);
    CHECK_TRUE(bench->gpu.busy());
    bench->gpu.complete();
    check_measured({1});
}

TEST(PipelineFailures, NoFrameIsPublishedAfterALaterOne) {
    bench->send(0);
    bench->send(1);
    bench->gpu.complete_wrongly();
    bench->send(2);
    bench->complete_all();
    for (size_t i = 1; i < bench->measured.size(); ++i) {
        CHECK_TRUE(bench->measured[i - 1] < bench->measured[i]);
    }
    LONGS_EQUAL(2, bench->measured.back());
}

TEST(PipelineFailures, AProcessorThatFailsAtSubmissionHaltsThePipeline) {
    bench->gpu.submit_failure = "clEnqueueNDRangeKernel: -5";
    bench->send(0);
    check_failures({"clEnqueueNDRangeKernel: -5"});
    LONGS_EQUAL(0, bench->pool->leased());
    check_measured({});
    check_drained(0);
    bench->stop();
    check_drained(1);
}

TEST(PipelineFailures, AProcessorThatFailsAtCompletionHaltsThePipeline) {
    bench->send(0);
    bench->send(1);
    bench->gpu.fail("event status -14");
    check_failures({"event status -14"});
    LONGS_EQUAL(0, bench->pool->leased());
    LONGS_EQUAL(1, bench->gpu.submissions);
    check_measured({});
    bench->stop();
    check_drained(1);
}

TEST(PipelineFailures, AProcessorThatFailsForTheWaitingFrameHaltsThePipeline) {
    bench->send(0);
    bench->send(1);
    bench->gpu.submit_failure = "out of memory";
    bench->gpu.complete();
    check_failures({"out of memory"});
    LONGS_EQUAL(1, bench->counters.processed);
    LONGS_EQUAL(0, bench->pool->leased());
}

TEST(PipelineFailures, AHaltedPipelineSubmitsNothingMoreAndSaysSoOnce) {
    bench->gpu.submit_failure = "broken";
    bench->send(0);
    bench->send(1);
    bench->send(2);
    check_failures({"broken"});
    LONGS_EQUAL(1, bench->gpu.submissions);
    LONGS_EQUAL(0, bench->pool->leased());
}

TEST(PipelineFailures, AHaltedPipelineDropsFramesThatAreBeingRead) {
    fakes::Gate release;
    bench->source.before_read = [&](const zero_copy::Captured& frame) {
        if (frame.sequence == 1) release.wait();
    };
    bench->send(unread);
    CHECK_TRUE(bench->turn_until_idle());
    bench->send({.sequence = 1, .unread = true});
    bench->gpu.fail("broken");
    release.open();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, bench->gpu.submissions);
    check_failures({"broken"});
    LONGS_EQUAL(0, bench->pool->leased());
}

TEST(PipelineFailures, StopInsideTheFailureEventDrains) {
    bench->on_failed = [this] { bench->stop(); };
    bench->send(0);
    bench->send(1);
    bench->gpu.fail("broken");
    check_drained(1);
    check_failures({"broken"});
}

TEST(PipelineFailures, AFailedSourceIsReportedOnce) {
    bench->send(0);
    bench->source.break_down();
    bench->source.break_down();
    fakes::turn_while_busy(bench->loop);
    LONGS_EQUAL(1, bench->source_failures);
    bench->gpu.complete();
    check_measured({0});
    bench->stop();
    check_drained(1);
}

TEST(PipelineFailures, StopWithNothingUnderWayDrainsAtOnce) {
    bench->stop();
    check_drained(1);
    LONGS_EQUAL(1, bench->source.stops);
    bench->stop();
    check_drained(1);
}

TEST(PipelineFailures, StopWhileAFrameRunsDrainsWithItsEnd) {
    bench->send(0);
    bench->stop();
    check_drained(0);
    bench->gpu.complete();
    check_drained(1);
    check_measured({});  // nobody wants it any more
    LONGS_EQUAL(1, bench->counters.processed);
    LONGS_EQUAL(0, bench->source.queue_calls);
}

TEST(PipelineFailures, StopDropsTheWaitingFrame) {
    bench->send(0);
    bench->send(1);
    bench->stop();
    LONGS_EQUAL(1, bench->pool->leased());
    bench->gpu.complete();
    LONGS_EQUAL(1, bench->gpu.submissions);
    check_drained(1);
}

TEST(PipelineFailures, StopWhileARunningFrameFailsOrIsRejectedDrains) {
    bench->send(0);
    bench->stop();
    bench->gpu.complete_wrongly();
    check_drained(1);
    LONGS_EQUAL(0, bench->rejected.size());
    LONGS_EQUAL(1, bench->counters.rejected);
}

TEST(PipelineFailures, StopWhileARunningFrameFailsDrains) {
    bench->send(0);
    bench->stop();
    bench->gpu.fail("broken");
    check_drained(1);
}

TEST(PipelineFailures, StopWhileAFrameIsReadDrainsWithItsEnd) {
    for (const bool succeeds : {true, false}) {
        test::PipelineBench other;
        fakes::Gate release;
        other.source.read_succeeds = succeeds;
        other.source.before_read = [&](const zero_copy::Captured&) { release.wait(); };
        other.start();
        other.send(unread);
        other.stop();
        LONGS_EQUAL(0, other.drained);
        LONGS_EQUAL(1, other.pool->leased());
        release.open();
        CHECK_TRUE(fakes::turn_until(other.loop, [&] { return other.drained == 1; }));
        LONGS_EQUAL(0, other.leased_when_drained);
        LONGS_EQUAL(0, other.gpu.submissions);
        LONGS_EQUAL(0, other.source.queue_calls);
        CHECK_TRUE(other.shut_down());
    }
}

TEST(PipelineFailures, StopInsideAMeasurementDrainsOnce) {
    bench->on_measured = [this] { bench->stop(); };
    bench->send(0);
    bench->gpu.complete();
    check_drained(1);
}

TEST(PipelineFailures, StopInsideAMeasurementWaitsForTheNextFrame) {
    bench->on_measured = [this] { bench->stop(); };
    bench->send(0);
    bench->send(1);
    bench->gpu.complete();
    check_drained(0);
    bench->gpu.complete();
    check_drained(1);
    check_measured({0});
}

TEST(PipelineFailures, StopWaitsForAPictureThatIsBeingCopied) {
    fakes::Gate release;
    int replies = 0;
    bench->worker.post(
        std::chrono::seconds(60),
        [&] {
            release.wait();
            return 0;
        },
        [](Outcome<int>) {});
    CHECK_TRUE(bench->pipeline->exporter().request(Stage::raw, [&](const auto&) { ++replies; }));
    bench->send(0);
    bench->gpu.complete();
    bench->stop();
    check_drained(0);
    LONGS_EQUAL(1, bench->pool->leased());
    release.open();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, replies);
    check_drained(1);
}

TEST(PipelineFailures, CallersThatWaitAtTheStopAreRefusedOnce) {
    std::vector<std::string> texts;
    const auto note = [&](Outcome<ExportedFrame> outcome) {
        texts.push_back(test::text_thrown<std::runtime_error>([&] { (void)outcome.get(); }));
    };
    for (const Stage stage : {Stage::raw, Stage::raw, Stage::filtered}) {
        CHECK_TRUE(bench->pipeline->exporter().request(stage, note));
    }
    const auto why = std::make_exception_ptr(std::runtime_error("stopped"));
    for (const Stage stage : {Stage::raw, Stage::filtered}) {
        bench->pipeline->exporter().refuse(stage, why);
    }
    bench->send(0);
    bench->stop();
    bench->gpu.complete();
    check_drained(1);
    LONGS_EQUAL(3, texts.size());
    for (const std::string& text : texts) STRCMP_EQUAL("stopped", text.c_str());
    LONGS_EQUAL(0, bench->counters.bytes_exported);
}

TEST(PipelineFailures, ARequestDuringRefusalWaitsForTheNextFrame) {
    int refused = 0;
    int answered = 0;
    FrameExporter& exporter = bench->pipeline->exporter();
    CHECK_TRUE(exporter.request(Stage::raw, [&](const auto&) {
        ++refused;
        (void)exporter.request(Stage::raw, [&](const auto&) { ++answered; });
    }));
    exporter.refuse(Stage::raw, std::make_exception_ptr(std::runtime_error("changed")));
    LONGS_EQUAL(1, refused);
    LONGS_EQUAL(0, answered);
    bench->send(0);
    bench->gpu.complete();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, answered);
}
