// glint-bench's arithmetic: medians, turns, the verdict, and the comparison with a saved run.
#include <fmt/format.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/unit/expect.hpp"
#include "tools/bench/baseline.hpp"
#include "tools/bench/frames.hpp"
#include "tools/bench/roofline.hpp"
#include "tools/bench/timing.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::bench;
using glint::test::missing_in;
using glint::test::text_thrown;
using glint::zero_copy::PixelFormat;

namespace {

constexpr double tolerance = 1e-9;

/// A file as Google Benchmark writes it, around the rows.
std::string document(const std::string& rows) {
    return fmt::format(R"({{"context": {{"date": "x"}}, "benchmarks": [{}]}})", rows);
}

std::string row(const std::string& name, double time, const std::string& more = "") {
    return fmt::format(R"({{"name": "{0}", "run_name": "{0}", "run_type": "iteration",
                           "real_time": {1}, "time_unit": "us"{2}}})",
                       name, time, more);
}

Change change(double then, double then_spread, double now, double now_spread) {
    return compare({{"a", then, then_spread}}, {{"a", now, now_spread}}).at(0).change;
}

void check_change(Change expected, Change got) {
    CHECK_EQUAL(static_cast<int>(expected), static_cast<int>(got));
}

}  // namespace

TEST_GROUP(BenchTiming){};

TEST(BenchTiming, TheMedianIsNotMovedByOneLongRun) {
    DOUBLES_EQUAL(3, median({3, 1, 1000, 2, 4}), tolerance);
    DOUBLES_EQUAL(7, median({7}), tolerance);
}

TEST(BenchTiming, TheSpreadIsHalfTheDistanceOfTheQuartiles) {
    const std::vector<double> times{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const Timing timing = summary(times);
    DOUBLES_EQUAL(5, timing.seconds, tolerance);
    DOUBLES_EQUAL((7.0 - 3.0) / 2 / 5, timing.spread, tolerance);
    CHECK_EQUAL(9U, timing.runs);
}

TEST(BenchTiming, ContendersTakeTurnsAndWarmUpsDoNotCount) {
    std::string order;
    double next = 100;
    const std::vector<Contender> contenders{[&] {
                                                order += 'a';
                                                return next = next > 3 ? next - 48.5 : 3;
                                            },
                                            [&] {
                                                order += 'b';
                                                return 2.0;
                                            }};
    const auto timings = in_turn(contenders, {.least_runs = 5, .most_runs = 10, .seconds = 60});
    // Two rounds to warm up, in which `a` still takes long.
    std::string expected;
    for (int round = 0; round < 12; ++round) expected += "ab";
    STRCMP_EQUAL(expected.c_str(), order.c_str());
    DOUBLES_EQUAL(3, timings[0].seconds, tolerance);
    DOUBLES_EQUAL(0, timings[0].spread, tolerance);
    DOUBLES_EQUAL(2, timings[1].seconds, tolerance);
    CHECK_EQUAL(10U, timings[1].runs);
}

TEST(BenchTiming, ASpentBudgetEndsAfterTheLeastRuns) {
    const std::vector<Contender> contenders{[] { return 1.0; }};
    const auto timings = in_turn(contenders, {.least_runs = 4, .most_runs = 50, .seconds = 0});
    CHECK_EQUAL(4U, timings[0].runs);
}

TEST_GROUP(BenchRoofline){};

TEST(BenchRoofline, TheCeilingThatTakesLongerBounds) {
    const Ceiling ceiling{.bytes_per_sec = 100, .multiply_adds_per_sec = 1000};
    const Verdict memory = judge(4, {.bytes = 200, .multiply_adds = 1000}, ceiling);
    STRCMP_EQUAL("memory-bound", name_of(memory.bound));
    DOUBLES_EQUAL(0.5, memory.of_ceiling, tolerance);
    const Verdict compute = judge(4, {.bytes = 200, .multiply_adds = 3000}, ceiling);
    STRCMP_EQUAL("compute-bound", name_of(compute.bound));
    DOUBLES_EQUAL(0.75, compute.of_ceiling, tolerance);
}

TEST(BenchRoofline, AnUnknownCeilingBoundsNothing) {
    const Verdict verdict = judge(2, {.bytes = 100, .multiply_adds = 1e9}, {.bytes_per_sec = 100});
    STRCMP_EQUAL("memory-bound", name_of(verdict.bound));
    DOUBLES_EQUAL(0.5, verdict.of_ceiling, tolerance);
}

TEST_GROUP(BenchFrames){};

TEST(BenchFrames, LanesLieWhereTheFormatSaysAndStridesAreAsNamed) {
    const Size size{10, 3};
    const auto lane = [&](PixelFormat format, Stride stride) {
        return make_frame(format, size, stride, Picture::noise).lane;
    };
    CHECK_EQUAL(10U, lane(PixelFormat::grey, Stride::tight).stride_bytes);
    CHECK_EQUAL(11U, lane(PixelFormat::grey, Stride::plus1).stride_bytes);
    CHECK_EQUAL(26U, lane(PixelFormat::grey, Stride::plus16).stride_bytes);
    CHECK_EQUAL(64U, lane(PixelFormat::grey, Stride::padded64).stride_bytes);
    const glint::gpu::Lane green = lane(PixelFormat::rgb24, Stride::tight);
    CHECK_EQUAL(1U, green.offset_bytes);
    CHECK_EQUAL(3U, green.step_bytes);
    const glint::gpu::Lane wide = lane(PixelFormat::y16, Stride::tight);
    CHECK_EQUAL(-1, wide.low_bytes);
    CHECK_EQUAL(8U, wide.shift);
}

TEST(BenchFrames, SmoothPicturesRiseAlongARowAndNoiseUsesEveryLevel) {
    const Size size{256, 64};
    const auto bins = [&](Picture picture) {
        const Frame frame = grey_frame(size, picture);
        glint::gpu::Bins counts;
        glint::gpu::reference::histogram(frame.memory.data(), glint::gpu::HistogramTask(frame.lane),
                                         counts);
        return counts;
    };
    for (const uint32_t count : bins(Picture::smooth)) CHECK_EQUAL(64U, count);
    for (const uint32_t count : bins(Picture::noise)) CHECK(count > 0);
}

TEST_GROUP(BenchBaseline){};

TEST(BenchBaseline, RowsAreReadInOrderWithTheirUnits) {
    const auto figures =
        parse_figures(document(row("b", 250, R"(, "spread": 0.25, "x_floor": 1.5)") + ", " +
                               R"({"name": "a", "real_time": 2, "time_unit": "ms"})"));
    CHECK_EQUAL(2U, figures.size());
    STRCMP_EQUAL("b", figures[0].name.c_str());
    DOUBLES_EQUAL(250e-6, figures[0].seconds, tolerance);
    DOUBLES_EQUAL(0.25, figures[0].spread, tolerance);
    DOUBLES_EQUAL(1.5, figures[0].x_floor, tolerance);
    STRCMP_EQUAL("a", figures[1].name.c_str());
    DOUBLES_EQUAL(0, figures[1].x_floor, tolerance);
    DOUBLES_EQUAL(2e-3, figures[1].seconds, tolerance);
}

TEST(BenchBaseline, SkippedRowsHaveNoFigure) {
    const auto figures = parse_figures(
        document(row("a", 0, R"(, "error_occurred": true, "error_message": "skipped: no")")));
    CHECK(figures.empty());
}

TEST(BenchBaseline, OfRepetitionsTheMedianCounts) {
    const std::string median_row =
        R"({"name": "a_median", "run_name": "a", "run_type": "aggregate",
            "aggregate_name": "median", "real_time": 9, "time_unit": "us"})";
    const std::string mean_row =
        R"({"name": "a_mean", "run_name": "a", "run_type": "aggregate",
            "aggregate_name": "mean", "real_time": 70, "time_unit": "us"})";
    const std::string aggregates = mean_row + ", " + median_row;
    const auto both = parse_figures(
        document(row("a", 5) + ", " + row("a", 200) + ", " + row("a", 6) + ", " + aggregates));
    CHECK_EQUAL(1U, both.size());
    DOUBLES_EQUAL(6e-6, both[0].seconds, tolerance);
    const auto only_aggregates = parse_figures(document(aggregates));
    CHECK_EQUAL(1U, only_aggregates.size());
    STRCMP_EQUAL("a", only_aggregates[0].name.c_str());
    DOUBLES_EQUAL(9e-6, only_aggregates[0].seconds, tolerance);
}

TEST(BenchBaseline, OtherTextIsRefusedWithTheNextStep) {
    for (const std::string& text :
         {std::string(), std::string("time: 3"), std::string("{}"), std::string("[1, 2]"),
          std::string(R"({"benchmarks": [3]})"), document(R"({"name": "a"})"),
          document(R"({"name": "a", "real_time": "fast"})")}) {
        const std::string said = text_thrown<BaselineError>([&] { (void)parse_figures(text); });
        STRCMP_EQUAL("", missing_in(said, {"--benchmark_out"}).c_str());
    }
    const std::string unit = text_thrown<BaselineError>([] {
        (void)parse_figures(document(R"({"name": "a", "real_time": 1, "time_unit": "weeks"})"));
    });
    STRCMP_EQUAL("", missing_in(unit, {"weeks"}).c_str());
    const std::string path =
        text_thrown<BaselineError>([] { (void)read_figures("/no/such/file.json"); });
    STRCMP_EQUAL("", missing_in(path, {"/no/such/file.json"}).c_str());
}

TEST(BenchBaseline, ChangesCountOnlyBeyondNoise) {
    check_change(Change::within_noise, change(100, 0, 104, 0));
    check_change(Change::slower, change(100, 0, 106, 0));
    check_change(Change::faster, change(100, 0, 94, 0));
    // Where the runs themselves are far apart, so must the medians be.
    check_change(Change::within_noise, change(100, 0.2, 128, 0.1));
    check_change(Change::slower, change(100, 0.2, 132, 0.1));
    check_change(Change::within_noise, change(128, 0.2, 100, 0.1));
    check_change(Change::faster, change(132, 0.2, 100, 0.1));
}

TEST(BenchBaseline, WhereTheFloorWasSlowerTooNothingChanged) {
    const auto change = [](double x_floor_then, double x_floor_now) {
        return compare({{"a", 100, 0, x_floor_then}}, {{"a", 200, 0, x_floor_now}}).at(0).change;
    };
    check_change(Change::within_noise, change(3, 3.1));
    check_change(Change::within_noise, change(3, 2));
    check_change(Change::slower, change(3, 6));
    // Without a floor on both sides the time alone decides.
    check_change(Change::slower, change(3, 0));
    check_change(Change::slower, change(0, 3));
}

TEST(BenchBaseline, EveryRowOfEitherSideIsShownWithItsMark) {
    const std::string tail = "/iterations:1/manual_time";
    const auto pairs = compare({{"same" + tail, 1e-3, 0}, {"gone", 2e-3, 0}, {"worse", 1e-3, 0, 2}},
                               {{"worse", 3e-3, 0, 5}, {"new", 5e-6, 0}, {"same" + tail, 1e-3, 0}});
    const std::string text = text_of(pairs);
    const std::string wrong = missing_in(
        text, {"worse      1000 us      3000 us   3.000   2.500  ! slower\n",
               "same       1000 us      1000 us   1.000        \n",
               "gone       2000 us                               - only in the baseline\n",
               "new                        5 us                  - only in this run\n",
               "0 faster, 1 slower, 1 within noise, 1 only in the baseline, 1 only in this run\n"});
    STRCMP_EQUAL("", wrong.c_str());
}

TEST(BenchBaseline, OnlyRowsSlowerThanAllowedCount) {
    const auto pairs = compare({{"a", 100, 0}, {"b", 100, 0}, {"c", 100, 0.5}, {"d", 100, 0}},
                               {{"a", 120, 0}, {"b", 150, 0}, {"c", 140, 0}, {"e", 900, 0}});
    CHECK_EQUAL(2U, count_slower_than(pairs, 0));
    CHECK_EQUAL(1U, count_slower_than(pairs, 20));
    CHECK_EQUAL(0U, count_slower_than(pairs, 50));
}

TEST(BenchFrames, TasksAreMeasuredOnTheirOwnFormatAndLargeFiltersInTheMiddleSize) {
    const auto rows = [](const char* name, bool all) {
        size_t count = 0;
        for (const FrameKind& kind : frame_kinds()) {
            for (const glint::tools::Task& task : glint::tools::tasks()) {
                if (task.name == name && is_measured_on(task, kind, all)) ++count;
            }
        }
        return count;
    };
    LONGS_EQUAL(3, rows("sobel", false));
    LONGS_EQUAL(3, rows("planar", false));
    LONGS_EQUAL(1, rows("gaussian31", false));
    // Four strides of grey and three other formats, of three sizes.
    LONGS_EQUAL(21, rows("sobel", true));
    LONGS_EQUAL(21, rows("gaussian31", true));
    LONGS_EQUAL(3, rows("planar", true));
    // Bytes are one task, floats another.
    LONGS_EQUAL(6, rows("float5", false));
    LONGS_EQUAL(24, rows("float5", true));
}

TEST(BenchFrames, FloatsAreTheSamplesAndColoursBeginWithTheFirst) {
    for (const glint::tools::Task& task : glint::tools::tasks()) {
        const FrameKind kind{formats[task.pixel_bytes == 3 ? 3 : 0], {10, 3}};
        const Frame frame = make_frame(task, kind, Picture::noise);
        CHECK_TRUE(takes(task, frame.lane));
        CHECK_EQUAL(0U, frame.lane.offset_bytes);
        if (!has_float_samples(task)) continue;
        const Frame bytes = make_frame(PixelFormat::grey, {10, 3}, Stride::tight, Picture::noise);
        const auto* floats = reinterpret_cast<const float*>(frame.memory.data());
        for (size_t i = 0; i < 30; ++i) DOUBLES_EQUAL(bytes.memory.data()[i], floats[i], 0);
    }
}
