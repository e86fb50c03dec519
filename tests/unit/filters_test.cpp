// Named filters and a client's own.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

constexpr uint32_t side = 9;
using Picture = std::array<uint8_t, side * side>;

Picture filtered(const Filter& filter, const Picture& picture) {
    const Lane lane{.stride_bytes = side, .width = side, .height = side};
    Picture result{};
    reference::convolve(picture.data(), lane, filter, {result.data(), side});
    return result;
}

Picture constant(uint32_t level) {
    Picture picture;
    picture.fill(static_cast<uint8_t>(level));
    return picture;
}

/// Where the only bright pixel of a picture ends up, as y * side + x, when it starts in the centre.
size_t moved_to(const Filter& filter) {
    Picture picture{};
    picture[4 * side + 4] = 200;
    const Picture result = filtered(filter, picture);
    LONGS_EQUAL(1, std::ranges::count(result, 200));
    LONGS_EQUAL(side * side - 1, std::ranges::count(result, 0));
    return static_cast<size_t>(std::ranges::find(result, 200) - result.begin());
}

/// A matrix in OpenVX's orientation with a single 1.
Filter one_at(uint32_t size, uint32_t column, uint32_t row) {
    std::vector<int16_t> matrix(size_t{size} * size, 0);
    matrix[size_t{row} * size + column] = 1;
    return make_filter(size, size, matrix, 0);
}

std::string filter_error(uint32_t width, uint32_t height, size_t count, uint32_t shift) {
    const std::vector<int16_t> coefficients(count, 1);
    return text_thrown<FilterError>([&] { (void)make_filter(width, height, coefficients, shift); });
}

}  // namespace

TEST_GROUP(Filters){};

TEST(Filters, EveryNameInTheListIsKnownAndNoOther) {
    std::string_view names = filter_names;
    size_t count = 0;
    while (!names.empty()) {
        const size_t comma = std::min(names.find(','), names.size());
        CHECK_TRUE(named_filter(names.substr(0, comma)).has_value());
        ++count;
        names.remove_prefix(std::min(comma + 2, names.size()));
    }
    LONGS_EQUAL(9, count);
    for (const char* wrong : {"", "binomial", "binomial7", "Box3", "custom"}) {
        CHECK_FALSE(named_filter(wrong).has_value());
    }
}

TEST(Filters, SmoothingWeightsSumToExactlyOne) {
    for (const char* name : {"binomial3", "binomial5", "box3", "box5"}) {
        const Filter filter = *named_filter(name);
        const auto taps = filter.coefficients.begin();
        const int sum = std::accumulate(taps, taps + filter.taps(), 0);
        LONGS_EQUAL(1L << filter.shift, sum);
        LONGS_EQUAL(sum, filter.magnitude());
        CHECK_TRUE(std::all_of(taps + filter.taps(), filter.coefficients.end(),
                               [](int16_t unused) { return unused == 0; }));
    }
}

TEST(Filters, SmoothingAndSharpeningKeepEveryConstantPicture) {
    for (const char* name : {"binomial3", "binomial5", "box3", "box5", "sharpen3"}) {
        for (uint32_t level = 0; level < 256; ++level) {
            CHECK_TRUE(filtered(*named_filter(name), constant(level)) == constant(level));
        }
    }
}

TEST(Filters, EdgeFiltersAreBlackOnEveryConstantPicture) {
    for (const char* name : {"laplacian3", "sobel_x3", "sobel_y3", "sobel"}) {
        for (uint32_t level = 0; level < 256; ++level) {
            CHECK_TRUE(filtered(*named_filter(name), constant(level)) == constant(0));
        }
    }
}

TEST(Filters, SobelSeesRisingEdgesAlongItsOwnAxis) {
    Picture to_the_right;
    Picture downwards;
    for (uint32_t i = 0; i < to_the_right.size(); ++i) {
        to_the_right[i] = static_cast<uint8_t>(i % side * 10);
        downwards[i] = static_cast<uint8_t>(i / side * 10);
    }
    constexpr size_t centre = 4 * side + 4;
    LONGS_EQUAL(80, filtered(*named_filter("sobel_x3"), to_the_right)[centre]);
    LONGS_EQUAL(0, filtered(*named_filter("sobel_x3"), downwards)[centre]);
    LONGS_EQUAL(80, filtered(*named_filter("sobel_y3"), downwards)[centre]);
    LONGS_EQUAL(0, filtered(*named_filter("sobel_y3"), to_the_right)[centre]);
    LONGS_EQUAL(80, filtered(*named_filter("sobel"), to_the_right)[centre]);
    LONGS_EQUAL(80, filtered(*named_filter("sobel"), downwards)[centre]);
}

TEST(Filters, OnlyTheBinomialOnesAreBinomial) {
    CHECK_TRUE(named_filter("binomial3")->is_binomial());
    CHECK_TRUE(named_filter("binomial5")->is_binomial());
    for (const char* name :
         {"box3", "box5", "sharpen3", "laplacian3", "sobel_x3", "sobel_y3", "sobel"}) {
        CHECK_FALSE(named_filter(name)->is_binomial());
    }
    for (const char* name : {"binomial3", "binomial5"}) {
        Filter filter = *named_filter(name);
        filter.shift -= 1;
        CHECK_FALSE(filter.is_binomial());
        filter.shift += 1;
        ++filter.coefficients[filter.taps() - 1];
        CHECK_FALSE(filter.is_binomial());
    }
}

TEST(Filters, AMatrixMovesThePictureInOpenVxDirection) {
    // vxConvolve: out(x, y) = sum of in(x - k, y - l) C(k, l); C right of its centre moves right.
    LONGS_EQUAL(4 * side + 5, moved_to(one_at(3, 2, 1)));
    LONGS_EQUAL(4 * side + 3, moved_to(one_at(3, 0, 1)));
    LONGS_EQUAL(3 * side + 4, moved_to(one_at(3, 1, 0)));
    LONGS_EQUAL(3 * side + 5, moved_to(one_at(3, 2, 0)));
    LONGS_EQUAL(4 * side + 4, moved_to(one_at(3, 1, 1)));
    LONGS_EQUAL(6 * side + 2, moved_to(one_at(5, 0, 4)));
    LONGS_EQUAL(4 * side + 6, moved_to(one_at(5, 4, 2)));
}

TEST(Filters, SizesOtherThanThreeAndFiveAreRefusedWithTheNumbers) {
    STRCMP_EQUAL("", missing_in(filter_error(3, 5, 15, 0), {"3x5", "3x3", "5x5"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(4, 4, 16, 0), {"4x4"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(7, 7, 49, 0), {"7x7"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(0, 0, 0, 0), {"0x0"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(1, 1, 1, 0), {"1x1"}).c_str());
}

TEST(Filters, AWrongNumberOfCoefficientsIsRefusedWithTheNumbers) {
    STRCMP_EQUAL("", missing_in(filter_error(3, 3, 8, 0), {"8 coefficients", "3x3", "9"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(3, 3, 10, 0), {"10 coefficients"}).c_str());
    STRCMP_EQUAL("",
                 missing_in(filter_error(5, 5, 24, 0), {"24 coefficients", "5x5", "25"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(5, 5, 0, 0), {"0 coefficients"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(5, 5, 100, 0), {"100 coefficients"}).c_str());
}

TEST(Filters, ShiftsBeyond31AreRefusedWithTheNumbers) {
    STRCMP_EQUAL("", missing_in(filter_error(3, 3, 9, 32), {"shift 32", "0 to 31"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(3, 3, 9, UINT32_MAX), {"4294967295"}).c_str());
    const std::vector<int16_t> coefficients(9, 1);
    LONGS_EQUAL(31, make_filter(3, 3, coefficients, 31).shift);
}

TEST(Filters, TheLargestCoefficientsAreWithinTheLimitOfTheSums) {
    const std::vector<int16_t> coefficients(25, INT16_MIN);
    const Filter filter = make_filter(5, 5, coefficients, 0);
    UNSIGNED_LONGS_EQUAL(25 * 32768, filter.magnitude());
    CHECK_TRUE(uint64_t{filter.magnitude()} * 255 < 1ULL << 31);
}

TEST(Filters, DivisionIsTowardsZeroAndTheResultSaturates) {
    Filter filter{.size = 3, .shift = 2, .coefficients = {0, 0, 0, 0, 3, 0, 0, 0, 0}};
    LONGS_EQUAL(0, filtered(filter, constant(1))[0]);      // 3 / 4
    LONGS_EQUAL(2, filtered(filter, constant(3))[0]);      // 9 / 4
    LONGS_EQUAL(191, filtered(filter, constant(255))[0]);  // 765 / 4
    filter.coefficients[4] = -3;
    LONGS_EQUAL(0, filtered(filter, constant(255))[0]);
    filter.coefficients[4] = 5;
    LONGS_EQUAL(255, filtered(filter, constant(204))[0]);
    LONGS_EQUAL(255, filtered(filter, constant(255))[0]);
    LONGS_EQUAL(253, filtered(filter, constant(203))[0]);
}
