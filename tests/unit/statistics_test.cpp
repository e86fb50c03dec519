// Figures from histograms, against cases worked out by hand.
#include <array>
#include <cmath>
#include <cstdint>

#include "daemon/statistics.hpp"

#include <CppUTest/TestHarness.h>

using glint::compute_statistics;
using glint::Statistics;

namespace {

constexpr double exact = 1e-9;
using Bins = std::array<uint32_t, 256>;

void check_all_zero(const Statistics& figures) {
    for (const double figure : {figures.samples, figures.mean, figures.stddev, figures.minimum,
                                figures.maximum, figures.median, figures.p01, figures.p99,
                                figures.clipped_low, figures.clipped_high, figures.entropy}) {
        DOUBLES_EQUAL(0, figure, 0);
    }
}

}  // namespace

TEST_GROUP(Figures) {
    Bins bins{};
};

TEST(Figures, NoSamplesGiveZeros) {
    check_all_zero(compute_statistics({}, 1));
    check_all_zero(compute_statistics(bins, 1));
    check_all_zero(compute_statistics(bins, 256));
}

TEST(Figures, OneValue) {
    bins[100] = 5;
    const Statistics figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(5, figures.samples, 0);
    for (const double figure : {figures.mean, figures.minimum, figures.maximum, figures.median,
                                figures.p01, figures.p99}) {
        DOUBLES_EQUAL(100, figure, 0);
    }
    for (const double figure :
         {figures.stddev, figures.entropy, figures.clipped_low, figures.clipped_high}) {
        DOUBLES_EQUAL(0, figure, 0);
    }
}

TEST(Figures, TwoValues) {
    bins[10] = 1;
    bins[20] = 3;
    const Statistics figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(17.5, figures.mean, exact);
    DOUBLES_EQUAL(std::sqrt(18.75), figures.stddev, exact);  // (7.5^2 + 3 x 2.5^2) / 4
    DOUBLES_EQUAL(10, figures.minimum, 0);
    DOUBLES_EQUAL(20, figures.maximum, 0);
    DOUBLES_EQUAL(20, figures.median, 0);
    DOUBLES_EQUAL(10, figures.p01, 0);
    DOUBLES_EQUAL(20, figures.p99, 0);
    DOUBLES_EQUAL(2 - 0.75 * std::log2(3), figures.entropy, exact);
}

TEST(Figures, HalfBlackHalfWhite) {
    bins[0] = 2;
    bins[255] = 2;
    const Statistics figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(127.5, figures.mean, exact);
    DOUBLES_EQUAL(127.5, figures.stddev, exact);
    DOUBLES_EQUAL(0, figures.median, 0);  // half of the samples are at or below 0
    DOUBLES_EQUAL(0.5, figures.clipped_low, exact);
    DOUBLES_EQUAL(0.5, figures.clipped_high, exact);
    DOUBLES_EQUAL(1, figures.entropy, exact);
}

TEST(Figures, ClippedIsOnlyTheOuterBins) {
    bins[0] = 1;
    bins[1] = 4;
    bins[254] = 2;
    bins[255] = 3;
    const Statistics figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(0.1, figures.clipped_low, exact);
    DOUBLES_EQUAL(0.3, figures.clipped_high, exact);
}

TEST(Figures, PercentileIsTheSmallestValueWithThatShareAtOrBelow) {
    bins[5] = 1;
    bins[6] = 98;
    bins[7] = 1;
    Statistics figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(5, figures.p01, 0);  // exactly 1 %
    DOUBLES_EQUAL(6, figures.p99, 0);  // exactly 99 %
    bins[6] = 99;
    bins[7] = 2;  // of 102 now, 1 is less than 1 %, 100 less than 99 %
    figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(6, figures.p01, 0);
    DOUBLES_EQUAL(7, figures.p99, 0);
}

TEST(Figures, MedianOnATieIsTheLowerValue) {
    bins[3] = 50;
    bins[200] = 50;
    DOUBLES_EQUAL(3, compute_statistics(bins, 1).median, 0);
    bins[200] = 51;
    DOUBLES_EQUAL(200, compute_statistics(bins, 1).median, 0);
}

TEST(Figures, AllWhiteAtEightThousandPixelsDoesNotWrap) {
    bins[255] = 7680U * 4320U;
    const Statistics figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(7680.0 * 4320.0, figures.samples, 0);
    DOUBLES_EQUAL(255, figures.mean, exact);
    DOUBLES_EQUAL(0, figures.stddev, exact);
    DOUBLES_EQUAL(1, figures.clipped_high, 0);
    DOUBLES_EQUAL(255, figures.p99, 0);
}

TEST(Figures, FullCountersDoNotWrap) {
    bins.fill(UINT32_MAX);
    const Statistics figures = compute_statistics(bins, 1);
    DOUBLES_EQUAL(256.0 * UINT32_MAX, figures.samples, 0);
    DOUBLES_EQUAL(127.5, figures.mean, exact);
    DOUBLES_EQUAL(std::sqrt((256.0 * 256.0 - 1) / 12), figures.stddev, 1e-6);
    DOUBLES_EQUAL(8, figures.entropy, exact);
    DOUBLES_EQUAL(127, figures.median, 0);
}

TEST(Figures, AWideBinStandsForItsCentre) {
    bins[0] = 1;
    Statistics figures = compute_statistics(bins, 256);
    DOUBLES_EQUAL(127.5, figures.mean, exact);
    DOUBLES_EQUAL(127.5, figures.minimum, exact);
    bins[255] = 1;
    figures = compute_statistics(bins, 256);
    DOUBLES_EQUAL(32767.5, figures.mean, exact);
    DOUBLES_EQUAL(65407.5, figures.maximum, exact);
    DOUBLES_EQUAL(65407.5, figures.p99, exact);
    DOUBLES_EQUAL(127.5 * 256, figures.stddev, exact);
    DOUBLES_EQUAL(1, figures.entropy, exact);
}

TEST(Figures, BinsOfFourValues) {
    bins[10] = 1;  // 40 to 43
    bins[11] = 1;
    const Statistics figures = compute_statistics(bins, 4);
    DOUBLES_EQUAL(41.5, figures.minimum, exact);
    DOUBLES_EQUAL(45.5, figures.maximum, exact);
    DOUBLES_EQUAL(43.5, figures.mean, exact);
    DOUBLES_EQUAL(2, figures.stddev, exact);
}
