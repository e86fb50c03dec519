// The cpu convolution writes exactly what the reference writes, and nowhere else.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "tests/unit/lanes.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using namespace glint::test;

namespace {

constexpr uint8_t untouched = 0x5a;

Filter filter_of(uint32_t size, uint32_t shift, int16_t even, int16_t odd) {
    Filter filter{.size = size, .shift = shift};
    for (size_t i = 0; i < filter.taps(); ++i) {
        filter.coefficients[i] = i % 2 == 0 ? even : odd;
    }
    return filter;
}

Filter random_filter(Random& random, uint32_t size, uint32_t largest) {
    Filter filter{.size = size, .shift = random.below(10)};
    for (size_t i = 0; i < filter.taps(); ++i) {
        const int magnitude = static_cast<int>(random.below(largest + 1));
        filter.coefficients[i] =
            static_cast<int16_t>(random.below(3) == 0 ? -magnitude : magnitude);
    }
    return filter;
}

/// Filters of every path: separable, 16-bit sums up to their limit, 32-bit sums up to theirs.
std::vector<Filter> interesting_filters() {
    std::vector<Filter> filters;
    for (const char* name :
         {"binomial3", "binomial5", "box3", "box5", "box7", "gaussian9", "gaussian13", "unsharp5",
          "unsharp11", "sharpen3", "laplacian3", "sobel_x3", "sobel_y3"}) {
        filters.push_back(*named_filter(name));
    }
    Random random;
    for (const uint32_t size : {3U, 5U, 7U}) {
        for (const uint32_t largest : {5U, 14U, 200U, 32767U}) {
            filters.push_back(random_filter(random, size, largest));
        }
        filters.push_back(filter_of(size, 0, INT16_MIN, INT16_MIN));
        filters.push_back(filter_of(size, 0, INT16_MAX, INT16_MAX));
        filters.push_back(filter_of(size, 20, INT16_MAX, INT16_MAX));
        filters.push_back(filter_of(size, 12, INT16_MAX, INT16_MIN));
        filters.push_back(filter_of(size, 31, INT16_MAX, 1));
        filters.push_back(filter_of(size, 15, 5, 5));
        filters.push_back(filter_of(size, 31, 5, 5));
        // The largest magnitude whose sums fit 16 bits is 128; one more does not.
        for (const int centre : {128, 129, -128, -129}) {
            Filter one = filter_of(size, 7, 0, 0);
            one.coefficients[one.taps() / 2] = static_cast<int16_t>(centre);
            filters.push_back(one);
        }
    }
    return filters;
}

}  // namespace

TEST_GROUP(Convolution) {
    GuardedMemory memory{64 * (300 * 8 + max_padding)};
    GuardedMemory result{64 * (300 + max_padding)};
    std::vector<uint8_t> expected;

    /// Both write into rows of a pattern; the last byte of the cpu's is the last of its page.
    void check_equal(const uint8_t* frame, const Lane& lane, const Filter& filter,
                     uint32_t padding) {
        const uint32_t stride = lane.width + padding;
        const size_t size = size_t{stride} * (lane.height - 1) + lane.width;
        expected.assign(size, untouched);
        uint8_t* const pixels = result.end() - size;
        std::memset(pixels, untouched, size);
        std::memset(result.begin(), untouched, static_cast<size_t>(pixels - result.begin()));
        reference::convolve(frame, lane, filter, {expected.data(), stride});
        cpu::convolve(frame, lane, filter, {pixels, stride});
        const bool before_untouched =
            std::all_of(result.begin(), pixels, [](uint8_t byte) { return byte == untouched; });
        if (before_untouched && std::memcmp(expected.data(), pixels, size) == 0) return;
        FAIL(("width " + std::to_string(lane.width) + " height " + std::to_string(lane.height) +
              " stride " + std::to_string(lane.stride_bytes) + " step " +
              std::to_string(lane.step_bytes) + " size " + std::to_string(filter.size) +
              " magnitude " + std::to_string(filter.magnitude()))
                 .c_str());
    }
};

TEST(Convolution, EveryWidthUpTo300AtTheEndOfMemory) {
    const std::vector<Filter> filters = interesting_filters();
    uint32_t turn = 0;
    for (uint32_t width = 1; width <= 300; ++width) {
        for (const uint32_t height : heights) {
            if (height == 64 && width % 4 != 1) continue;
            const SampleKind& kind = sample_kinds[turn % sample_kind_count];
            const Lane lane = make_lane_at_end(memory, kind, width, height, turn % 18);
            check_equal(memory.begin(), lane, filters[turn % filters.size()], (turn + 7) % 18);
            ++turn;
        }
    }
}

TEST(Convolution, EveryFilterOnEveryKindOfSample) {
    for (const Filter& filter : interesting_filters()) {
        for (const SampleKind& kind : sample_kinds) {
            for (const uint32_t width : {1U, 2U, 3U, 5U, 37U}) {
                for (const uint32_t height : {1U, 2U, 4U, 7U}) {
                    check_equal(memory.begin(), make_lane_at_end(memory, kind, width, height, 3),
                                filter, 0);
                }
            }
        }
    }
}

TEST(Convolution, EveryBorderAndSize) {
    Random random;
    for (uint32_t size = 3; size <= max_filter_size; size += 2) {
        const std::vector<Filter> of_size{*named_filter("gaussian" + std::to_string(size)),
                                          *named_filter("unsharp" + std::to_string(size)),
                                          random_filter(random, size, 60)};
        for (Filter filter : of_size) {
            filter.border_value = static_cast<uint8_t>(random.below(256));
            for (const Border border : {Border::replicate, Border::constant, Border::reflect_101}) {
                filter.border = border;
                for (const uint32_t width : {1U, 2U, 9U, 40U}) {
                    const SampleKind& kind = sample_kinds[random.below(sample_kind_count)];
                    const Lane lane =
                        make_lane_at_end(memory, kind, width, 1 + random.below(20), size % 5);
                    check_equal(memory.begin(), lane, filter, 2);
                }
            }
        }
    }
}

TEST(Convolution, OuterProductsBeyondSixteenBits) {
    // Row sums, column sums and whole sums that leave 16 bits and 24.
    for (const int factor : {1, 40, 181}) {
        Filter filter{.size = 9, .shift = 9};
        for (uint32_t k = 0; k < filter.taps(); ++k) {
            const int down = k / 9 % 2 == 0 ? factor : -factor - 1;
            filter.coefficients[k] =
                static_cast<int16_t>(down * (static_cast<int>(k % 9) * 40 - 160));
        }
        const Lane lane = make_lane_at_end(memory, sample_kinds[0], 150, 23, 1);
        check_equal(memory.begin(), lane, filter, 0);
    }
}

TEST(Convolution, EveryStrideOfPictureAndResult) {
    const Filter binomial = *named_filter("binomial5");
    const Filter box = *named_filter("box3");
    for (const SampleKind& kind : {sample_kinds[0], sample_kinds[2], sample_kinds[4]}) {
        for (const uint32_t width : {1U, 16U, 33U}) {
            for (uint32_t padding = 0; padding <= max_padding; ++padding) {
                const Lane lane = make_lane(kind, width, 5, padding, padding * 4);
                check_equal(memory.begin(), lane, binomial, max_padding - padding);
                check_equal(memory.begin(), lane, box, padding);
            }
        }
    }
}

TEST(Convolution, RowsLongerThanAStripHaveNoSeam) {
    Random random;
    const std::vector<Filter> filters{
        *named_filter("binomial3"), *named_filter("binomial5"),     *named_filter("box5"),
        *named_filter("gaussian7"), random_filter(random, 3, 3000), random_filter(random, 5, 3000)};
    uint32_t turn = 0;
    for (const uint32_t width : {4093U, 4094U, 4095U, 4096U, 4097U, 4098U, 4099U, 8192U, 8195U}) {
        const Lane lane = make_lane_at_end(memory, sample_kinds[turn % 2], width, 2, turn);
        for (const Filter& filter : filters) check_equal(memory.begin(), lane, filter, turn);
        ++turn;
    }
}

TEST(Convolution, LargeFiltersOfTheLargestSums) {
    // Rows that alternate by one, two and four make what is summed in between as large as it gets.
    for (const uint32_t size : {15U, 17U, 31U}) {
        for (const uint32_t period : {1U, 2U, 4U, 8U}) {
            for (const bool narrow : {false, true}) {
                const uint32_t largest = (narrow ? INT16_MAX : INT32_MAX) / 255;
                Filter filter{.size = size, .shift = narrow ? 7U : 23U};
                for (uint32_t k = 0, left = largest; k < filter.taps(); ++k) {
                    // Narrow sums have room for few taps: here and there, of every row.
                    if (narrow && k % 7 != 0) continue;
                    const uint32_t tap =
                        std::min({left, 32767U, narrow ? 1U : largest / filter.taps()});
                    left -= tap;
                    const bool negative = k / size / period % 2 == 1;
                    filter.coefficients[k] = static_cast<int16_t>(negative ? -static_cast<int>(tap)
                                                                           : static_cast<int>(tap));
                }
                for (uint32_t height = 1; height <= 9; ++height) {
                    std::vector<uint8_t> picture(size_t{40} * height);
                    for (size_t k = 0; k < picture.size(); ++k) {
                        picture[k] = k / 40 / period % 2 == 0 ? 255 : 0;
                    }
                    check_equal(picture.data(), {.stride_bytes = 40, .width = 40, .height = height},
                                filter, 3);
                }
            }
        }
    }
}

TEST(Convolution, BlocksOfColumnsHaveNoSeam) {
    Random random;
    uint32_t turn = 0;
    for (const uint32_t width : {1023U, 1024U, 1025U, 1026U, 2049U}) {
        for (const uint32_t size : {15U, 23U, 31U}) {
            Filter filter = random_filter(random, size, turn % 2 == 0 ? 1 : 300);
            filter.border = static_cast<Border>(turn % 3);
            const Lane lane = make_lane_at_end(memory, sample_kinds[turn % 2], width, 6, turn);
            check_equal(memory.begin(), lane, filter, turn);
            ++turn;
        }
    }
}

TEST(Convolution, EveryConstantLevelIsFilteredAsByTheReference) {
    constexpr uint32_t width = 19;
    constexpr uint32_t height = 4;
    std::vector<uint8_t> picture(size_t{width} * height);
    const std::vector<Filter> filters = interesting_filters();
    for (uint32_t level = 0; level < 256; ++level) {
        std::ranges::fill(picture, static_cast<uint8_t>(level));
        const Lane lane{.stride_bytes = width, .width = width, .height = height};
        for (const Filter& filter : filters) check_equal(picture.data(), lane, filter, 1);
    }
}

TEST(Convolution, EveryShiftDividesAsTheReferenceDoes) {
    constexpr uint32_t width = 70;
    std::vector<uint8_t> picture(size_t{width} * 5, 255);  // the largest sums, and others
    for (size_t i = width * 3; i < picture.size(); ++i) picture[i] = static_cast<uint8_t>(i * 37);
    const Lane lane{.stride_bytes = width, .width = width, .height = 5};
    for (const char* name : {"gaussian3", "gaussian5", "gaussian7", "binomial9", "unsharp7"}) {
        Filter filter = *named_filter(name);
        for (filter.shift = 0; filter.shift < 32; ++filter.shift) {
            check_equal(picture.data(), lane, filter, 1);
        }
    }
}

TEST(Convolution, SmoothingKeepsEveryConstantLevel) {
    constexpr uint32_t width = 40;
    std::array<uint8_t, width * 3> picture{};
    std::array<uint8_t, width * 3> smoothed{};
    for (const char* name : {"binomial3", "binomial5", "box3", "box5", "gaussian7", "box31"}) {
        for (uint32_t level = 0; level < 256; ++level) {
            picture.fill(static_cast<uint8_t>(level));
            smoothed.fill(static_cast<uint8_t>(~level));
            cpu::convolve(picture.data(), {.stride_bytes = width, .width = width, .height = 3},
                          *named_filter(name), {smoothed.data(), width});
            CHECK_TRUE(picture == smoothed);
        }
    }
}

TEST(Convolution, TheBorderIsReplicatedNotTakenFromOutside) {
    // A lane of 7 in a frame of 255: no sample of the surround may get in.
    constexpr uint32_t side = 12;
    std::array<uint8_t, side * side> frame{};
    frame.fill(255);
    const Lane lane{.offset_bytes = 3 * side + 3, .stride_bytes = side, .width = 5, .height = 5};
    for (size_t y = 3; y < 8; ++y)
        std::fill_n(frame.begin() + static_cast<long>(y * side + 3), 5, uint8_t{7});
    for (const char* name : {"binomial3", "binomial5", "box3", "box5"}) {
        using Convolve = void (*)(const uint8_t*, const Lane&, const Filter&, const Output&);
        for (const Convolve convolve : {Convolve{cpu::convolve}, Convolve{reference::convolve}}) {
            std::array<uint8_t, 25> out{};
            convolve(frame.data(), lane, *named_filter(name), {out.data(), 5});
            CHECK_TRUE(std::ranges::all_of(out, [](uint8_t pixel) { return pixel == 7; }));
        }
    }
}
