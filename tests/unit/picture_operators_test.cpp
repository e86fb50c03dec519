// Operators that make pictures: what they are by hand, and the cpu variants against the reference.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "daemon/gpu/picture_operators.hpp"
#include "tests/unit/lanes.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using namespace glint::test;

namespace {

constexpr uint8_t untouched = 0x5a;

Lookup scrambled() {
    Lookup lookup;
    for (uint32_t i = 0; i < 256; ++i) lookup.table[i] = static_cast<uint8_t>(i * 101 + 7);
    return lookup;
}

/// No vector: the leak detector would take one that stays for a leak.
const std::array<PictureTask, 10>& tasks() {
    static const std::array<PictureTask, 10> all{
        scrambled(),
        Sobel{},
        Sobel{.border = Border::constant, .border_value = 200},
        Sobel{.border = Border::reflect_101},
        Downscale{},
        Normalise{.threshold = 60, .mean = 120, .gain = 77, .shift = 6, .offset = 128},
        Normalise{.threshold = 0, .mean = 65535, .gain = 32767, .shift = 23, .offset = 255},
        Normalise{.threshold = 0, .mean = 0, .gain = 32767, .shift = 0, .offset = 0},
        Planar{.planes = 2, .bytes = {1, 0, 0}},
        Planar{.planes = 3, .bytes = {1, 1, 0}}};
    return all;
}

std::vector<uint8_t> made(const std::vector<uint8_t>& pixels, uint32_t width,
                          const PictureTask& task, uint32_t step = 1) {
    const Lane lane{.stride_bytes = width * step,
                    .step_bytes = step,
                    .width = width,
                    .height = static_cast<uint32_t>(pixels.size()) / (width * step)};
    const PictureSize size = output_size(task, lane);
    std::vector<uint8_t> picture(size_t{size.width} * size.height);
    reference::make_picture(pixels.data(), lane, task, {picture.data(), size.width});
    return picture;
}

void check_bytes(const std::vector<uint8_t>& expected, const std::vector<uint8_t>& got) {
    LONGS_EQUAL(expected.size(), got.size());
    MEMCMP_EQUAL(expected.data(), got.data(), expected.size());
}

}  // namespace

TEST_GROUP(PictureOperators) {
    GuardedMemory memory{64 * (300 * 8 + max_padding)};
    GuardedMemory result{size_t{8200} * 3 * 3};

    /// The cpu's picture ends with its page; nothing before it and between its rows may change.
    void check_equal(Lane lane, const PictureTask& task, uint32_t padding) {
        if (!takes(task, lane)) return;
        // The lane ends with a sample, a pixel has more bytes after its first.
        if (std::holds_alternative<Planar>(task)) lane.offset_bytes -= lane.step_bytes - 1;
        const PictureSize size = output_size(task, lane);
        const uint32_t stride = size.width + padding;
        const size_t bytes = size_t{stride} * (size.height - 1) + size.width;
        std::vector<uint8_t> expected(bytes, untouched);
        uint8_t* const pixels = result.end() - bytes;
        std::memset(result.begin(), untouched, static_cast<size_t>(result.end() - result.begin()));
        reference::make_picture(memory.begin(), lane, task, {expected.data(), stride});
        cpu::make_picture(memory.begin(), lane, task, {pixels, stride});
        const bool before_untouched =
            std::all_of(result.begin(), pixels, [](uint8_t byte) { return byte == untouched; });
        if (before_untouched && std::memcmp(expected.data(), pixels, bytes) == 0) return;
        FAIL(("task " + std::to_string(task.index()) + " width " + std::to_string(lane.width) +
              " height " + std::to_string(lane.height) + " step " +
              std::to_string(lane.step_bytes) + " packed " + std::to_string(lane.packed_log2))
                 .c_str());
    }
};

TEST(PictureOperators, CpuEqualsTheReferenceAtEveryWidth) {
    uint32_t turn = 0;
    for (uint32_t width = 1; width <= 300; ++width) {
        for (const uint32_t height : {1U, 2U, 3U, 17U}) {
            const SampleKind& kind = sample_kinds[turn % sample_kind_count];
            const Lane lane = make_lane_at_end(memory, kind, width, height, turn % 18);
            check_equal(lane, tasks()[turn % tasks().size()], (turn + 7) % 18);
            ++turn;
        }
    }
}

TEST(PictureOperators, CpuEqualsTheReferenceOnEveryKindOfSample) {
    for (const PictureTask& task : tasks()) {
        for (const SampleKind& kind : sample_kinds) {
            for (const uint32_t width : {1U, 2U, 5U, 37U}) {
                for (const uint32_t height : {1U, 2U, 7U}) {
                    check_equal(make_lane_at_end(memory, kind, width, height, 3), task, 1);
                }
            }
        }
        for (const uint32_t packed : {1U, 2U}) {
            for (const uint32_t first : {0U, 1U, 3U}) {
                check_equal({.offset_bytes = 3,
                             .stride_bytes = 131,
                             .step_bytes = 1 + first % 2,
                             .shift = packed == 2 ? 6U : 4U,
                             .width = 49,
                             .height = 5,
                             .packed_log2 = packed,
                             .first_sample = first},
                            task, 2);
            }
        }
    }
}

TEST(PictureOperators, RowsLongerThanAStripHaveNoSeam) {
    for (const uint32_t width : {4095U, 4096U, 4097U, 8192U, 8195U}) {
        for (const PictureTask& task : tasks()) {
            const Lane lane = make_lane_at_end(memory, sample_kinds[width % 2], width, 3, 0);
            check_equal(lane, task, 0);
            check_equal(
                {.stride_bytes = 11000, .shift = 6, .width = width, .height = 2, .packed_log2 = 2},
                task, 0);
        }
    }
}

TEST(PictureOperators, TheGradientOfAnEdgeIsSaturatedAndThatOfAPlaneIsExact) {
    const std::vector<uint8_t> edge{0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255};
    check_bytes({0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0}, made(edge, 4, Sobel{}));
    // 3 to the right and 5 down per pixel: 8 x 3 + 8 x 5 inside.
    std::vector<uint8_t> plane(25);
    for (size_t i = 0; i < plane.size(); ++i) {
        plane[i] = static_cast<uint8_t>(3 * (i % 5) + 5 * (i / 5));
    }
    LONGS_EQUAL(64, made(plane, 5, Sobel{})[12]);
}

TEST(PictureOperators, HalvingRoundsHalfUpAndAveragesWhatExists) {
    check_bytes({2, 5, 7, 9}, made({1, 2, 5,  //
                                    1, 2, 4,  //
                                    6, 7, 9},
                                   3, Downscale{}));
}

TEST(PictureOperators, NormalisingRoundsTowardsZeroAndLeavesTheBackgroundAtTheOffset) {
    const Normalise task{.threshold = 20, .mean = 100, .gain = 3, .shift = 2, .offset = 128};
    check_bytes({128, 68, 128, 128, 129, 244}, made({19, 20, 99, 100, 102, 255}, 6, task));
}

TEST(PictureOperators, InterleavedColoursBecomePlanes) {
    const std::vector<uint8_t> rgb{1, 2, 3, 4, 5, 6};
    check_bytes({3, 6, 2, 5, 1, 4}, made(rgb, 2, Planar{.planes = 3, .bytes = {2, 1, 0}}, 3));
    const std::vector<uint8_t> yuyv{1, 2, 3, 4};
    check_bytes({1, 3, 2, 4}, made(yuyv, 2, Planar{.planes = 2}, 2));
}

TEST_GROUP(EqualiseTable){};

TEST(EqualiseTable, IsTheCumulativeShareOfTheTextbook) {
    Random random;
    Bins bins;
    for (uint32_t& bin : bins) bin = random.below(5000);
    const double samples = std::accumulate(bins.begin(), bins.end(), 0.0);
    const LookupTable table = equalise_table(bins);
    double at_most = 0;
    for (size_t value = 0; value < bins.size(); ++value) {
        at_most += bins[value];
        LONGS_EQUAL(std::floor(255 * at_most / samples + 0.5), table[value]);
    }
}

TEST(EqualiseTable, AnAllWhitePictureOf8kDoesNotOverflow) {
    Bins bins{};
    bins[255] = 7680 * 4320;
    const LookupTable table = equalise_table(bins);
    LONGS_EQUAL(255, table[255]);
    LONGS_EQUAL(0, table[254]);
}

TEST(EqualiseTable, NothingLeavesEveryByteAsItIs) {
    const LookupTable table = equalise_table(Bins{});
    for (size_t value = 0; value < table.size(); ++value) LONGS_EQUAL(value, table[value]);
}

TEST_GROUP(MakeNormalise){static uint8_t value_of(const Normalise& task,
                                                  uint8_t sample){return made({sample}, 1, task)[0];
}
}
;

TEST(MakeNormalise, TheMeanBecomesTheMiddleAndThreeDeviationsTheEnds) {
    Bins bins{};
    bins[10] = 1'000'000;  // below the threshold: does not count
    bins[90] = 500;
    bins[110] = 500;  // mean 100, standard deviation 10
    const Normalise task = make_normalise(bins, 1, 50);
    LONGS_EQUAL(50, task.threshold);
    LONGS_EQUAL(100, task.mean);
    LONGS_EQUAL(128, value_of(task, 100));
    LONGS_EQUAL(255, value_of(task, 130));
    LONGS_EQUAL(1, value_of(task, 70));
    LONGS_EQUAL(128, value_of(task, 10));
}

TEST(MakeNormalise, WiderBinsStandForTheirCentre) {
    Bins bins{};
    bins[100] = 1;  // values 400 to 403
    LONGS_EQUAL(402, make_normalise(bins, 4, 0).mean);
}

TEST(MakeNormalise, SamplesThatAreAllAlikeBecomeTheMiddle) {
    Bins bins{};
    bins[7] = 4;
    const Normalise task = make_normalise(bins, 1, 0);
    LONGS_EQUAL(0, task.gain);
    LONGS_EQUAL(128, value_of(task, 7));
    LONGS_EQUAL(128, value_of(make_normalise(Bins{}, 1, 0), 99));
}

TEST(MakeNormalise, TheSmallestDeviationKeepsTheGainInItsBounds) {
    Bins bins{};
    bins[100] = UINT32_MAX;
    bins[101] = 1;
    const Normalise task = make_normalise(bins, 1, 0);
    LONGS_EQUAL(32767, task.gain);
    LONGS_EQUAL(0, task.shift);
}
