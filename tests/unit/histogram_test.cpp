// The cpu histogram counts exactly what the reference counts.
#include <numeric>
#include <string>

#include "tests/unit/lanes.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using namespace glint::test;

namespace {

void check_equal(const uint8_t* frame, const Lane& lane) {
    const Bins counted = cpu_bins(frame, lane);
    if (counted == reference_bins(frame, lane)) return;
    FAIL(("width " + std::to_string(lane.width) + " height " + std::to_string(lane.height) +
          " stride " + std::to_string(lane.stride_bytes) + " step " +
          std::to_string(lane.step_bytes) + " shift " + std::to_string(lane.shift))
             .c_str());
}

}  // namespace

TEST_GROUP(Histogram) {
    GuardedMemory memory{64 * (300 * 8 + max_padding)};
};

TEST(Histogram, EveryWidthUpTo300AtTheEndOfMemory) {
    uint32_t turn = 0;
    for (uint32_t width = 1; width <= 300; ++width) {
        for (const uint32_t height : heights) {
            // 5 heights, 12 kinds and 18 paddings have few common factors: all pairs meet.
            const SampleKind& kind = sample_kinds[turn % sample_kind_count];
            check_equal(memory.begin(), make_lane_at_end(memory, kind, width, height, turn % 18));
            check_equal(memory.begin(),
                        make_lane_at_end(memory, sample_kinds[0], width, height, turn % 18));
            ++turn;
        }
    }
}

TEST(Histogram, EveryStrideOffsetAndKindOfSample) {
    for (const SampleKind& kind : sample_kinds) {
        for (const uint32_t width : {1U, 15U, 16U, 33U, 70U}) {
            for (uint32_t padding = 0; padding <= max_padding; ++padding) {
                check_equal(memory.begin(), make_lane_at_end(memory, kind, width, 3, padding));
                check_equal(memory.begin(), make_lane(kind, width, 3, padding, padding * 4));
            }
            for (uint32_t first = 0; first <= 70; ++first) {
                check_equal(memory.begin(), make_lane(kind, width, 2, 5, first));
            }
        }
    }
}

TEST(Histogram, TheSumIsTheArea) {
    for (const SampleKind& kind : sample_kinds) {
        const Bins bins = cpu_bins(memory.begin(), make_lane(kind, 211, 13, 7, 3));
        LONGS_EQUAL(211 * 13, std::accumulate(bins.begin(), bins.end(), 0U));
    }
}

TEST(Histogram, EveryConstantLevelIsInItsBin) {
    std::array<uint8_t, 100> row{};
    for (uint32_t level = 0; level < 256; ++level) {
        row.fill(static_cast<uint8_t>(level));
        const Lane lane{.stride_bytes = 0, .width = 100, .height = 50};
        LONGS_EQUAL(5000, cpu_bins(row.data(), lane)[level]);
        LONGS_EQUAL(5000, reference_bins(row.data(), lane)[level]);
    }
}

TEST(Histogram, WideSamplesAboveTheirDepthCountAsTheLargest) {
    // Three 10-bit samples, little endian; the second has bits that it must not have.
    const std::array<uint8_t, 6> words{0xff, 0x03, 0x00, 0x80, 0x04, 0x00};
    const Lane lane{.offset_bytes = 1,
                    .stride_bytes = 6,
                    .step_bytes = 2,
                    .low_bytes = -1,
                    .shift = 2,
                    .width = 3,
                    .height = 1};
    for (const Bins& bins : {cpu_bins(words.data(), lane), reference_bins(words.data(), lane)}) {
        LONGS_EQUAL(2, bins[255]);
        LONGS_EQUAL(1, bins[1]);
    }
}

TEST(Histogram, ByteOrderIsTheLanes) {
    const std::array<uint8_t, 2> word{0x12, 0x34};
    Lane lane{.offset_bytes = 1,
              .stride_bytes = 2,
              .step_bytes = 2,
              .low_bytes = -1,
              .shift = 8,
              .width = 1,
              .height = 1};
    LONGS_EQUAL(1, reference_bins(word.data(), lane)[0x34]);
    LONGS_EQUAL(1, cpu_bins(word.data(), lane)[0x34]);
    lane.offset_bytes = 0;
    lane.low_bytes = 1;
    LONGS_EQUAL(1, reference_bins(word.data(), lane)[0x12]);
    lane.shift = 4;
    LONGS_EQUAL(1, reference_bins(word.data(), lane)[0xff]);  // 0x123 does not fit
    LONGS_EQUAL(1, cpu_bins(word.data(), lane)[0xff]);
}
