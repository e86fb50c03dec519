// What glint-tune keeps and shows: state for --resume, tables, JSON, bars, time to go.
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "tests/unit/expect.hpp"
#include "tools/tune/plot.hpp"
#include "tools/tune/progress.hpp"
#include "tools/tune/state.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::tune;
using glint::kernels::Operator;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

Job job(const char* variant, uint32_t filter_size = 3) {
    return {
        .key = {.device = "gc \"x\"",
                .driver = "drv",
                .size = {640, 480},
                .op = Operator::convolution,
                .filter_size = filter_size,
                .variant = variant},
        .defaults = {{"ROWS", 16}},
        .trials = {{{{"ROWS", 16}}, 2.1, 2.0, ""}, {{{"ROWS", 8}}, 0, 2.0, "pixel (1, 2) is 3"}},
        .result = std::nullopt,
        .refused = {}};
}

Ranking ranking() {
    return {.title = "saxpy",
            .bytes = 12'000'000,
            .operations = 2'000'000,
            .rows = {{"64", "", 2.0, 1.0, "default"},
                     {"128", "ROWS=8", 0, 0, "bin 3 differs"},
                     {"32", "", 1.0, 0.5, "chosen"}},
            .verdict = {"so it is"}};
}

size_t count_of(const Image& image, uint32_t y, Colour colour) {
    size_t count = 0;
    for (uint32_t x = 0; x < image.width(); ++x) count += image.at(x, y) == colour ? 1 : 0;
    return count;
}

/// The longest run of coloured pixels among all rows: a bar.
size_t longest_bar(const Image& image, Colour colour) {
    size_t longest = 0;
    for (uint32_t y = 0; y < image.height(); ++y)
        longest = std::max(longest, count_of(image, y, colour));
    return longest;
}

}  // namespace

TEST_GROUP(TuneState){};

TEST(TuneState, WhatIsWrittenIsReadAgain) {
    std::vector<Job> jobs{job("int_rows"), job("march_rows")};
    jobs[0].filter_size = 15;
    jobs[0].result = glint::gpu::TunedVariant{
        .tunables = {{"ROWS", 8}}, .ms = 1.123456789, .default_ms = 2, .wall_ms = 3, .cpu_ms = 4};
    jobs[1].refused = "too large";
    const std::vector<Job> read = parse_state(format_state(jobs), "s");
    LONGS_EQUAL(2, read.size());
    CHECK_TRUE(read[0].key == jobs[0].key);
    LONGS_EQUAL(15, read[0].filter_size);
    CHECK_TRUE(read[0].defaults == jobs[0].defaults);
    LONGS_EQUAL(2, read[0].trials.size());
    CHECK_TRUE(read[0].trials[0].values == jobs[0].trials[0].values);
    DOUBLES_EQUAL(2.1, read[0].trials[0].ms, 1e-12);
    STRCMP_EQUAL("pixel (1, 2) is 3", read[0].trials[1].wrong.c_str());
    DOUBLES_EQUAL(1.123456789, read[0].result->ms, 1e-12);
    DOUBLES_EQUAL(4, read[0].result->cpu_ms, 1e-12);
    CHECK_TRUE(read[0].finished() && read[1].finished());
    STRCMP_EQUAL("too large", read[1].refused.c_str());
}

TEST(TuneState, DamageIsRefusedWithItsPlace) {
    const std::string good = format_state({job("int_rows")});
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"640x480", "640"},
                                   {"convolution", "blur"},
                                   {"ROWS = 16", "ROWS = -1"},
                                   {"[", ""}}) {
        std::string bad = good;
        bad.replace(bad.find(from), from.size(), to);
        const std::string why =
            text_thrown<glint::ConfigError>([&] { (void)parse_state(bad, "s.state"); });
        STRCMP_EQUAL("", missing_in(why, {"s.state:"}).c_str());
    }
}

TEST(TuneState, ResumeTakesOverWhatIsKnownOfTheJobsToDo) {
    Job fresh = job("int_rows");
    fresh.trials.clear();
    Job other = job("march_rows");
    other.trials.clear();
    Job of_another_driver = job("march_rows");
    of_another_driver.key.driver = "older";
    const std::vector<Job> jobs = resume({fresh, other}, {of_another_driver, job("int_rows")});
    LONGS_EQUAL(2, jobs.size());
    LONGS_EQUAL(2, jobs[0].trials.size());
    LONGS_EQUAL(0, jobs[1].trials.size());
}

TEST_GROUP(TuneRanking){};

TEST(TuneRanking, FastestFirstAndThoseThatAreOutLast) {
    Ranking sorted = ranking();
    sort_by_time(sorted);
    STRCMP_EQUAL("32", sorted.rows[0].work_group.c_str());
    STRCMP_EQUAL("64", sorted.rows[1].work_group.c_str());
    STRCMP_EQUAL("128", sorted.rows[2].work_group.c_str());
}

TEST(TuneRanking, TheTableHasRatesAndNamesWhatIsOut) {
    const std::string text = table_text(ranking());
    STRCMP_EQUAL("", missing_in(text, {"saxpy\n", "GB/s", "Gop/s", "relative", "6.00", "1.00",
                                       "128 ROWS=8", "bin 3 differs", "default", "so it is"})
                         .c_str());
}

TEST(TuneRanking, JsonHasTheSameFigures) {
    const std::string text = json_text({"gc", "drv", "cl"}, {ranking()});
    STRCMP_EQUAL(
        "", missing_in(text, {"\"device\" : \"gc\"", "\"gb_per_s\" : 6.0", "\"gop_per_s\" : 1.0",
                              "\"ms\" : 2.0", "\"relative\" : 0.5", "bin 3 differs"})
                .c_str());
}

TEST_GROUP(TunePlot){};

TEST(TunePlot, TicksAreRoundAndReachTheLargest) {
    for (const auto& [largest, last, count] : {std::tuple{1.0, 1.0, 6U},
                                               {0.97, 1.0, 6U},
                                               {1.01, 1.5, 4U},
                                               {47.0, 50.0, 6U},
                                               {0.0003, 0.0003, 4U}}) {
        const std::vector<double> ticks = axis_ticks(largest);
        DOUBLES_EQUAL(0, ticks.front(), 1e-12);
        DOUBLES_EQUAL(last, ticks.back(), last * 1e-9);
        LONGS_EQUAL(count, ticks.size());
    }
}

TEST(TunePlot, BarsAreAsLongAsTheTimes) {
    const Image image = draw({ranking()});
    const size_t of_default = longest_bar(image, {90, 90, 90});
    const size_t chosen = longest_bar(image, {60, 150, 80});
    LONGS_EQUAL(700, of_default);  // 2 ms on an axis that ends at 2 ms
    LONGS_EQUAL(350, chosen);
}

TEST(TunePlot, TheDefaultIsShownHoweverLongTheRankingIs) {
    Ranking lengthy = ranking();
    lengthy.rows.insert(lengthy.rows.begin(), 40, {"8", "", 0.5, 0.25, ""});
    CHECK_TRUE(longest_bar(draw({lengthy}), {90, 90, 90}) == 700);
    CHECK_TRUE(draw({lengthy}).height() < 30 * cell_height);
}

TEST(TunePlot, LettersAreDrawnAndNothingOutside) {
    Image image(20, 20);
    image.text(2, 2, "|", {0, 0, 0});
    // The bar of '|' is the third of five columns, seven rows high, two pixels to a dot.
    for (uint32_t y = 0; y < 20; ++y) {
        LONGS_EQUAL(y >= 2 && y < 16 ? 2 : 0, count_of(image, y, {0, 0, 0}));
    }
    image.text(15, 15, "WWW", {0, 0, 0});
    image.rectangle(19, 19, 100, 100, {0, 0, 0});
    CHECK_TRUE(image.at(19, 19) == Colour{});
}

TEST_GROUP(TuneProgress){};

TEST(TuneProgress, TimeToGoFollowsTheCandidatesDone) {
    Estimate estimate({10, 10, 20});
    CHECK_TRUE(estimate.seconds_left(1) < 0);
    estimate.job_skipped(0);
    for (int i = 0; i < 5; ++i) estimate.candidate_done();
    DOUBLES_EQUAL(5.0 / 30, estimate.fraction(), 1e-12);
    DOUBLES_EQUAL(50, estimate.seconds_left(10), 1e-9);
    estimate.job_done(1);  // fewer than expected
    DOUBLES_EQUAL(5.0 / 25, estimate.fraction(), 1e-12);
    estimate.expect(2, 5);
    for (int i = 0; i < 7; ++i) estimate.candidate_done();  // more than expected
    DOUBLES_EQUAL(1, estimate.fraction(), 1e-12);
    DOUBLES_EQUAL(0, estimate.seconds_left(10), 1e-12);
}

TEST(TuneProgress, Durations) {
    STRCMP_EQUAL("0 s", duration_text(-3).c_str());
    STRCMP_EQUAL("119 s", duration_text(119.4).c_str());
    STRCMP_EQUAL("2 min", duration_text(120).c_str());
    STRCMP_EQUAL("2 h 05 min", duration_text(7500).c_str());
}
