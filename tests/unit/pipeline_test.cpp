// The life of a frame: admission, counting, publishing, draining.
#include <optional>
#include <vector>

#include "tests/unit/expect.hpp"
#include "tests/unit/pipeline_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

namespace {

using Sequences = std::vector<uint64_t>;

}  // namespace

TEST_GROUP(Pipelines) {
    std::optional<test::PipelineBench> bench;

    void setup() override {
        bench.emplace();
    }
    void teardown() override {
        if (bench->pipeline) CHECK_TRUE(bench->shut_down());
        CHECK_FALSE(bench->gpu.overlapped);
        CHECK_FALSE(bench->cpu.overlapped);
        bench.reset();
    }
    void check_measured(const Sequences& expected) {
        CHECK_TRUE(bench->measured == expected);
    }
};

TEST(Pipelines, OneFrameRunsOneWaitsAndTheLatestWins) {
    bench->start();
    for (uint64_t sequence = 0; sequence < 10; ++sequence) {
        bench->send(sequence);
        LONGS_EQUAL(1, bench->gpu.submissions);
        CHECK_TRUE(bench->pool->leased() <= 2);
    }
    LONGS_EQUAL(10, bench->counters.captured);
    LONGS_EQUAL(8, bench->counters.dropped);
    bench->gpu.complete();
    check_measured({0});
    LONGS_EQUAL(2, bench->gpu.submissions);
    bench->gpu.complete();
    check_measured({0, 9});
    LONGS_EQUAL(2, bench->counters.processed);
    LONGS_EQUAL(8, bench->counters.dropped);
    LONGS_EQUAL(0, bench->pool->leased());
    LONGS_EQUAL(0, bench->counters.lost);
}

TEST(Pipelines, EveryBufferGoesBackToTheSource) {
    bench->start();
    for (uint64_t sequence = 0; sequence < 10; ++sequence) bench->send(sequence);
    bench->complete_all();
    LONGS_EQUAL(10, bench->source.queue_calls);
    LONGS_EQUAL(5, bench->source.queued.size());
}

TEST(Pipelines, AProcessorThatKeepsUpSeesEveryFrame) {
    bench->start();
    for (uint64_t sequence = 5; sequence < 25; ++sequence) {
        bench->send(sequence);
        bench->gpu.complete();
    }
    LONGS_EQUAL(20, bench->counters.processed);
    LONGS_EQUAL(0, bench->counters.dropped);
    LONGS_EQUAL(5, bench->measured.front());
    LONGS_EQUAL(24, bench->measured.back());
}

TEST(Pipelines, TheWorkIsTheFramesOwn) {
    bench->start();
    bench->send(0);
    LONGS_EQUAL(0, bench->gpu.work.slot);
    POINTERS_EQUAL(bench->pool->buffers()[0].data(), bench->gpu.work.frame());
    CHECK_TRUE(bench->gpu.work.plan == bench->plan);
    CHECK_FALSE(bench->gpu.work.filter);
    bench->send(1);
    bench->gpu.complete();
    LONGS_EQUAL(1, bench->gpu.work.slot);
    POINTERS_EQUAL(bench->pool->buffers()[1].data(), bench->gpu.work.frame());
}

TEST(Pipelines, AMeasurementSaysWhatItIsOf) {
    const auto two_regions = make_plan(bench->layout, {.regions = {{"a", 1, 1, 3, 2}}}, 7);
    bench->pipeline->set_plan(two_regions);
    bench->start();
    bench->send({.sequence = 4, .timestamp_nsec = 123456});
    const uint64_t submitted = now_nsec();
    while (now_nsec() < submitted + 20'000) {
    }
    bench->gpu.complete();
    LONGS_EQUAL(4, bench->newest->sequence);
    LONGS_EQUAL(123456, bench->newest->timestamp_nsec);
    CHECK_TRUE(bench->newest->plan == two_regions);
    CHECK_TRUE(bench->newest->processing_usec >= 20);
    UNSIGNED_LONGS_EQUAL(bench->newest->processing_usec, bench->counters.gpu_busy_usec);
    LONGS_EQUAL(512, bench->newest->bins.size());
    LONGS_EQUAL(16 * 4, bench->newest->channel_bins(0, 0)[0]);
    LONGS_EQUAL(3 * 2, bench->newest->channel_bins(1, 0)[1]);
    LONGS_EQUAL(256, bench->newest->channel_bins(1, 0).size());
}

TEST(Pipelines, GapsInTheSequenceAreLostFrames) {
    bench->start();
    for (const uint64_t sequence : {10U, 11U, 15U}) bench->send(sequence);
    LONGS_EQUAL(3, bench->counters.lost);
    bench->send(16);
    LONGS_EQUAL(3, bench->counters.lost);
}

TEST(Pipelines, AJumpBackwardsIsARestartNotALoss) {
    bench->start();
    for (const uint64_t sequence : {10U, 2U, 3U, 3U}) bench->send(sequence);
    LONGS_EQUAL(0, bench->counters.lost);
    bench->send(5);
    LONGS_EQUAL(1, bench->counters.lost);
    LONGS_EQUAL(5, bench->counters.captured);
}

TEST(Pipelines, ACorruptFrameIsCountedAndGivenBack) {
    bench->start();
    bench->send({.sequence = 0, .corrupt = true});
    bench->send({.sequence = 1, .corrupt = true, .unread = true});
    LONGS_EQUAL(2, bench->counters.captured);
    LONGS_EQUAL(2, bench->counters.corrupt);
    LONGS_EQUAL(0, bench->gpu.submissions);
    LONGS_EQUAL(0, bench->source.reads);
    LONGS_EQUAL(2, bench->source.queue_calls);
    LONGS_EQUAL(0, bench->pool->leased());
}

TEST(Pipelines, AnUnreadFrameIsReadOnTheWorkerThenSubmitted) {
    bench->start();
    bench->send({.sequence = 3, .unread = true});
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, bench->source.reads);
    CHECK_TRUE(bench->source.reader != std::this_thread::get_id());
    LONGS_EQUAL(1, bench->gpu.submissions);
    bench->gpu.complete();
    check_measured({3});
}

TEST(Pipelines, AnUnreadFrameIsNotSubmittedBeforeItIsRead) {
    fakes::Gate release;
    bench->source.before_read = [&](const zero_copy::Captured&) { release.wait(); };
    bench->start();
    bench->send({.sequence = 0, .unread = true});
    LONGS_EQUAL(0, bench->gpu.submissions);
    LONGS_EQUAL(1, bench->pool->leased());
    release.open();
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, bench->gpu.submissions);
}

TEST(Pipelines, AFrameThatCannotBeReadIsCorrupt) {
    bench->source.read_succeeds = false;
    bench->start();
    bench->send({.sequence = 0, .unread = true});
    CHECK_TRUE(bench->turn_until_idle());
    LONGS_EQUAL(1, bench->counters.corrupt);
    LONGS_EQUAL(0, bench->gpu.submissions);
    LONGS_EQUAL(1, bench->source.queue_calls);
    LONGS_EQUAL(0, bench->pool->leased());
}

TEST(Pipelines, AChangedPlanCountsFromTheNextSubmission) {
    bench->start();
    bench->send(0);
    bench->send(1);
    const auto next = make_plan(bench->layout, {.regions = {{"a", 0, 0, 1, 1}}}, 2);
    bench->pipeline->set_plan(next);
    bench->on_measured = [this] {
        LONGS_EQUAL(bench->measured.size(), bench->newest->plan->generation);
        LONGS_EQUAL(bench->measured.size() * 256, bench->newest->bins.size());
    };
    bench->gpu.complete();
    bench->gpu.complete();
    check_measured({0, 1});
}

TEST(Pipelines, FramesAreFilteredOnlyWhileSomebodyWaits) {
    bench->pipeline->set_plan(bench->filter_plan);
    bench->start();
    bench->send(0);
    CHECK_FALSE(bench->gpu.work.filter);
    CHECK_TRUE(bench->pipeline->exporter().request(Stage::filtered, [](const auto&) {}));
    bench->gpu.complete();
    bench->send(1);
    CHECK_TRUE(bench->gpu.work.filter);
    bench->gpu.complete();
    CHECK_TRUE(bench->turn_until_idle());
    bench->send(2);
    CHECK_FALSE(bench->gpu.work.filter);
}

TEST(Pipelines, ACallerForTheRawPictureNeedsNoFilter) {
    bench->pipeline->set_plan(bench->filter_plan);
    bench->start();
    CHECK_TRUE(bench->pipeline->exporter().request(Stage::raw, [](const auto&) {}));
    bench->send(0);
    CHECK_FALSE(bench->gpu.work.filter);
}

TEST(Pipelines, WithoutAFilterInThePlanNothingIsFiltered) {
    bench->start();
    CHECK_TRUE(bench->pipeline->exporter().request(Stage::filtered, [](const auto&) {}));
    bench->send(0);
    CHECK_FALSE(bench->gpu.work.filter);
    bench->pipeline->exporter().refuse(Stage::filtered, std::make_exception_ptr(1));
}

TEST(Pipelines, TheFallbackTakesFramesWhoseFilterTheProcessorLacks) {
    bench->gpu.filters = false;
    bench->pipeline->set_plan(bench->filter_plan);
    bench->start();
    bench->send(0);
    LONGS_EQUAL(1, bench->gpu.submissions);  // nobody waits for the filter
    CHECK_TRUE(bench->pipeline->exporter().request(Stage::filtered, [](const auto&) {}));
    bench->send(1);
    bench->gpu.complete();
    LONGS_EQUAL(1, bench->cpu.submissions);
    CHECK_TRUE(bench->cpu.work.filter);
    const uint64_t gpu_time = bench->counters.gpu_busy_usec;
    const uint64_t submitted = now_nsec();
    while (now_nsec() < submitted + 20'000) {
    }
    bench->cpu.complete();
    UNSIGNED_LONGS_EQUAL(gpu_time, bench->counters.gpu_busy_usec);
    CHECK_TRUE(bench->turn_until_idle());
    bench->send(2);
    LONGS_EQUAL(2, bench->gpu.submissions);
}

TEST(Pipelines, CopiedBytesAreCounted) {
    bench->start();
    for (uint64_t sequence = 0; sequence < 3; ++sequence) {
        bench->send(sequence);
        bench->gpu.bytes_copied = 1000;
        bench->gpu.complete();
    }
    LONGS_EQUAL(3000, bench->counters.bytes_copied);
}

TEST(Pipelines, ASourceThatCannotStartThrows) {
    bench->source.refuse_start = true;
    CHECK_THROWS(zero_copy::SourceError, bench->start());
}

TEST_GROUP(Sums) {
    zero_copy::FrameLayout layout = zero_copy::make_layout(zero_copy::PixelFormat::rgb24, 10, 10);
    std::shared_ptr<const Plan> plan = make_plan(layout, {.regions = {{"a", 0, 0, 3, 3}}}, 1);
    std::vector<uint32_t> bins = std::vector<uint32_t>(6 * 256);

    void setup() override {
        for (size_t lane = 0; lane < 6; ++lane) bins[lane * 256 + lane * 51] = lane < 3 ? 100 : 9;
    }
};

TEST(Sums, MatchWhenEveryLaneHoldsItsArea) {
    CHECK_TRUE(sums_match(*plan, bins));
}

TEST(Sums, OneFlippedBitAnywhereIsSeen) {
    for (size_t i = 0; i < bins.size(); ++i) {
        const uint32_t flipped = 1U << i % 32;
        bins[i] ^= flipped;
        CHECK_FALSE(sums_match(*plan, bins));
        bins[i] ^= flipped;
    }
}

TEST(Sums, ThatWrapAroundIn32BitsDoNotMatch) {
    bins[1] = 0x80000000;
    bins[2] = 0x80000000;
    CHECK_FALSE(sums_match(*plan, bins));
}

TEST(Sums, MissingBinsDoNotMatch) {
    CHECK_FALSE(sums_match(*plan, std::span(bins).first(bins.size() - 1)));
    CHECK_FALSE(sums_match(*plan, std::span(bins).first(5 * 256)));
    CHECK_FALSE(sums_match(*plan, {}));
}
