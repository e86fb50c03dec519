// Sharpness and the histogram of a filtered lane: by hand, and the cpu variants against the
// reference.
#include <string>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/measuring_operators.hpp"
#include "tests/unit/lanes.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using namespace glint::test;

namespace {

std::vector<uint8_t> checkerboard(uint32_t width, uint32_t height) {
    std::vector<uint8_t> pixels(size_t{width} * height);
    for (size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = (i % width + i / width) % 2 == 0 ? 255 : 0;
    }
    return pixels;
}

Lane whole(uint32_t width, uint32_t height) {
    return {.stride_bytes = width, .width = width, .height = height};
}

}  // namespace

TEST_GROUP(MeasuringOperators) {
    GuardedMemory memory{64 * (300 * 8 + max_padding)};

    void check_equal(const Lane& lane, const Filter& filter) {
        const bool sharp =
            reference::sharpness(memory.begin(), lane) == cpu::sharpness(memory.begin(), lane);
        const bool counted = reference::filtered_histogram(memory.begin(), lane, filter) ==
                             cpu::filtered_histogram(memory.begin(), lane, filter);
        if (sharp && counted) return;
        FAIL((std::string(sharp ? "filtered histogram" : "sharpness") + " width " +
              std::to_string(lane.width) + " height " + std::to_string(lane.height) + " step " +
              std::to_string(lane.step_bytes) + " filter " + std::to_string(filter.size))
                 .c_str());
    }
};

TEST(MeasuringOperators, CpuEqualsTheReferenceAtEveryWidth) {
    uint32_t turn = 0;
    for (uint32_t width = 1; width <= 300; ++width) {
        for (const uint32_t height : heights) {
            if (height == 64 && width % 8 != 1) continue;
            Filter filter = *named_filter(turn % 2 == 0 ? "binomial5" : "sharpen3");
            filter.border = static_cast<Border>(turn % 3);
            filter.border_value = 9;
            const SampleKind& kind = sample_kinds[turn % sample_kind_count];
            check_equal(make_lane_at_end(memory, kind, width, height, turn % 18), filter);
            ++turn;
        }
    }
}

TEST(MeasuringOperators, TilesAndStripsHaveNoSeam) {
    for (const auto& [width, height] :
         {std::pair{4097U, 3U}, {8195U, 2U}, {255U, 63U}, {257U, 65U}, {258U, 129U}, {513U, 66U}}) {
        for (const Border border : {Border::replicate, Border::constant, Border::reflect_101}) {
            Filter filter = *named_filter("binomial5");
            filter.border = border;
            check_equal(make_lane_at_end(memory, sample_kinds[0], width, height, 1), filter);
        }
    }
}

TEST(MeasuringOperators, AFlatPictureIsNotSharpAndARampOnlyAtItsBorder) {
    const std::vector<uint8_t> flat(64, 200);
    LONGS_EQUAL(0, cpu::sharpness(flat.data(), whole(8, 8)));
    // The border repeats the ends of 0 2 4 6: the Laplacian is -2 and 2 there, nothing between.
    const std::vector<uint8_t> ramp{0, 2, 4, 6};
    LONGS_EQUAL(8, cpu::sharpness(ramp.data(), whole(4, 1)));
}

TEST(MeasuringOperators, TheSharpestPictureOf4kIsExactIn64Bits) {
    constexpr uint32_t width = 3840;
    constexpr uint32_t height = 2160;
    const std::vector<uint8_t> pixels = checkerboard(width, height);
    // At a border one neighbour is the sample itself, in a corner two.
    constexpr uint64_t inside = uint64_t{width - 2} * (height - 2) * (4 * 255) * (4 * 255);
    constexpr uint64_t edges = uint64_t{2} * (width + height - 4) * (3 * 255) * (3 * 255);
    constexpr uint64_t corners = uint64_t{4} * (2 * 255) * (2 * 255);
    CHECK_EQUAL(inside + edges + corners, cpu::sharpness(pixels.data(), whole(width, height)));
}

TEST(MeasuringOperators, ThePartsOfALaneAddUpToTheWhole) {
    const Lane lane = make_lane_at_end(memory, sample_kinds[2], 4200, 5, 1);
    uint64_t sum = 0;
    for (const auto& [x, width] : {std::pair{0U, 1U}, {1U, 16U}, {17U, 4100U}, {4117U, 83U}}) {
        for (const auto& [y, height] : {std::pair{0U, 2U}, {2U, 1U}, {3U, 2U}}) {
            sum += cpu::sharpness(memory.begin(), lane, {x, y, width, height});
        }
    }
    CHECK_EQUAL(reference::sharpness(memory.begin(), lane), sum);
}

TEST(MeasuringOperators, APartialSumHoldsAsManySquaresAsItClaims) {
    constexpr uint64_t square = uint64_t{4 * 255} * (4 * 255);
    CHECK_TRUE(max_squares_per_partial * square <= UINT32_MAX);
    CHECK_TRUE((max_squares_per_partial + 1) * square > UINT32_MAX);
    CHECK_TRUE(max_squares_per_partial >= 16 * 256);  // what the kernels rely on
}
