// Named filters and a client's own.
#include <algorithm>
#include <array>
#include <cmath>
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

std::vector<std::string> sizes_of(const char* family, uint32_t largest) {
    std::vector<std::string> names;
    for (uint32_t size = 3; size <= largest; size += 2) {
        names.push_back(family + std::to_string(size));
    }
    return names;
}

std::vector<std::string> smoothing_names() {
    std::vector<std::string> names = sizes_of("binomial", 9);
    for (const char* family : {"box", "gaussian"}) {
        for (std::string& name : sizes_of(family, max_filter_size))
            names.push_back(std::move(name));
    }
    names.insert(names.end(), {"gaussian:0.1", "gaussian:0.5", "gaussian:1", "gaussian:2.25",
                               "gaussian:1e1", "gaussian:100"});
    return names;
}

std::vector<std::string> all_names() {
    std::vector<std::string> names = smoothing_names();
    for (std::string& name : sizes_of("unsharp", max_filter_size)) names.push_back(std::move(name));
    names.insert(names.end(), {"sharpen3", "laplacian3", "sobel_x3", "sobel_y3"});
    return names;
}

std::string filter_error(uint32_t width, uint32_t height, size_t count, uint32_t shift) {
    const std::vector<int16_t> coefficients(count, 1);
    return text_thrown<FilterError>([&] { (void)make_filter(width, height, coefficients, shift); });
}

}  // namespace

TEST_GROUP(Filters){};

TEST(Filters, WhatIsAllowedIsKnownAndNothingElse) {
    for (const std::string& name : all_names()) {
        CHECK_TRUE_TEXT(named_filter(name).has_value(), name.c_str());
    }
    for (const char* wrong : {"",
                              "binomial",
                              "binomial1",
                              "binomial11",
                              "Box3",
                              "box",
                              "box0",
                              "box1",
                              "box4",
                              "box33",
                              "box3 ",
                              "box-3",
                              "box99999999999",
                              "gaussian",
                              "gaussian2",
                              "gaussian:",
                              "gaussian:0",
                              "gaussian:-1",
                              "gaussian:nan",
                              "gaussian:inf",
                              "gaussian:101",
                              "gaussian:2x",
                              "sharpen5",
                              "custom"}) {
        CHECK_FALSE_TEXT(named_filter(wrong).has_value(), wrong);
    }
}

TEST(Filters, SmoothingWeightsArePositiveAndSumToExactlyOne) {
    for (const std::string& name : smoothing_names()) {
        const Filter filter = *named_filter(name);
        const auto taps = filter.coefficients.begin();
        const int sum = std::accumulate(taps, taps + filter.taps(), 0);
        LONGS_EQUAL_TEXT(1L << filter.shift, sum, name.c_str());
        LONGS_EQUAL_TEXT(sum, filter.magnitude(), name.c_str());
        CHECK_TRUE_TEXT(std::all_of(taps + filter.taps(), filter.coefficients.end(),
                                    [](int16_t unused) { return unused == 0; }),
                        name.c_str());
    }
}

TEST(Filters, SmoothingWeightsLieTheSameWayInEveryDirection) {
    for (const std::string& name : smoothing_names()) {
        const Filter filter = *named_filter(name);
        for (uint32_t j = 0; j < filter.size; ++j) {
            for (uint32_t i = 0; i < filter.size; ++i) {
                const auto at = [&](uint32_t row, uint32_t column) {
                    return filter.coefficients[row * filter.size + column];
                };
                LONGS_EQUAL_TEXT(at(j, i), at(i, j), name.c_str());
                LONGS_EQUAL_TEXT(at(j, i), at(filter.size - 1 - j, i), name.c_str());
            }
        }
    }
}

TEST(Filters, AGaussianIsAsWideAsItsSigma) {
    // The variance along one axis; a weight is off by 1/256 at most.
    for (const double sigma : {0.6, 1.0, 2.0, 3.7, 5.0}) {
        const Filter filter = *named_filter("gaussian:" + std::to_string(sigma));
        LONGS_EQUAL(2 * static_cast<int>(std::ceil(3 * sigma)) + 1, filter.size);
        double variance = 0;
        for (uint32_t k = 0; k < filter.taps(); ++k) {
            const double distance = static_cast<double>(k % filter.size) - filter.size / 2;
            variance += filter.coefficients[k] * distance * distance;
        }
        variance /= std::ldexp(1.0, static_cast<int>(filter.shift));
        DOUBLES_EQUAL(sigma, std::sqrt(variance), 0.1 * sigma);
    }
    LONGS_EQUAL(31, named_filter("gaussian:40")->size);
}

TEST(Filters, ABoxIsFlat) {
    for (uint32_t size = 7; size <= max_filter_size; size += 2) {
        const Filter box = *named_filter("box" + std::to_string(size));
        const auto [least, most] =
            std::minmax_element(box.coefficients.begin(), box.coefficients.begin() + box.taps());
        // Along an axis the weights are the two whole numbers around 256 / size.
        const uint32_t low = 256 / size;
        LONGS_EQUAL(low * low, *least);
        LONGS_EQUAL((low + 1) * (low + 1), *most);
    }
}

TEST(Filters, SmoothingAndSharpeningKeepEveryConstantPicture) {
    std::vector<std::string> names = smoothing_names();
    names.insert(names.end(), {"sharpen3", "unsharp3", "unsharp9", "unsharp31"});
    for (const std::string& name : names) {
        const Filter filter = *named_filter(name);
        for (uint32_t level = 0; level < 256; ++level) {
            // One pixel is every pixel of a constant picture, by its border.
            const auto pixel = static_cast<uint8_t>(level);
            uint8_t result = 0;
            reference::convolve(&pixel, {.stride_bytes = 1, .width = 1, .height = 1}, filter,
                                {&result, 1});
            LONGS_EQUAL_TEXT(level, result, name.c_str());
        }
    }
}

TEST(Filters, UnsharpExaggeratesAnEdge) {
    Picture edge;
    for (uint32_t i = 0; i < edge.size(); ++i) edge[i] = i % side < 5 ? 60 : 160;
    const Picture result = filtered(*named_filter("unsharp5"), edge);
    CHECK_TRUE(result[4 * side + 4] < 60);
    CHECK_TRUE(result[4 * side + 5] > 160);
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

TEST(Filters, SizesThatAreNotOddAndSquareAreRefusedWithTheNumbers) {
    STRCMP_EQUAL("", missing_in(filter_error(3, 5, 15, 0), {"3x5", "3x3", "31x31"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(4, 4, 16, 0), {"4x4"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(33, 33, 1089, 0), {"33x33"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(0, 0, 0, 0), {"0x0"}).c_str());
    STRCMP_EQUAL("", missing_in(filter_error(1, 1, 1, 0), {"1x1"}).c_str());
    for (uint32_t size = 3; size <= max_filter_size; size += 2) {
        const std::vector<int16_t> coefficients(size_t{size} * size, 1);
        LONGS_EQUAL(size, make_filter(size, size, coefficients, 0).size);
    }
}

TEST(Filters, SumsThatLeave32BitsAreRefusedWithTheNumbers) {
    const std::vector<int16_t> coefficients(961, 8764);
    STRCMP_EQUAL(
        "",
        missing_in(text_thrown<FilterError>([&] { (void)make_filter(31, 31, coefficients, 0); }),
                   {"2147662020", "2147483648"})
            .c_str());
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

TEST(Filters, FloatCoefficientsAreRotatedAsWholeOnesAreAndRoundedToFloats) {
    std::vector<double> coefficients(25, 0.0);
    coefficients[0] = 0.1;
    coefficients[23] = -1e30;
    const FloatFilter filter = make_float_filter(5, 5, coefficients);
    LONGS_EQUAL(5, filter.size);
    CHECK_TRUE(filter.coefficients[24] == 0.1F);
    CHECK_TRUE(filter.coefficients[1] == -1e30F);
    CHECK_TRUE(filter.border == Border::replicate);
}

TEST(Filters, BadFloatFiltersAreRefusedWithTheNumbers) {
    const auto why = [](uint32_t width, uint32_t height, const std::vector<double>& coefficients) {
        return text_thrown<FilterError>(
            [&] { (void)make_float_filter(width, height, coefficients); });
    };
    const std::vector<double> nine(9, 0.5);
    STRCMP_EQUAL("", missing_in(why(3, 5, nine), {"3x5", "3x3", "31x31"}).c_str());
    STRCMP_EQUAL("", missing_in(why(4, 4, nine), {"4x4"}).c_str());
    STRCMP_EQUAL("", missing_in(why(33, 33, nine), {"33x33"}).c_str());
    STRCMP_EQUAL("", missing_in(why(5, 5, nine), {"9 coefficients", "5x5", "25"}).c_str());
    for (const auto& [value, text] : {std::pair{std::nan(""), "nan"}, {HUGE_VAL, "inf"}}) {
        std::vector<double> bad = nine;
        bad[4] = value;
        STRCMP_EQUAL("", missing_in(why(3, 3, bad), {"coefficient 5 of 9", text}).c_str());
    }
}

TEST(Filters, NoSumOfFloatsCanBecomeInfinite) {
    const auto magnitude_of = [](double each) { return std::vector<double>(9, each); };
    const double limit = std::ldexp(1.0, 127) / 255 / 9;
    for (const double too_much : {limit, 1e300}) {
        const std::string why = text_thrown<FilterError>(
            [&] { (void)make_float_filter(3, 3, magnitude_of(-too_much)); });
        STRCMP_EQUAL("", missing_in(why, {"sum(|coefficient|) x 255", "2^127"}).c_str());
    }
    const FloatFilter largest = make_float_filter(3, 3, magnitude_of(limit * (1 - 1e-9)));
    float sum = 0;
    for (uint32_t k = 0; k < largest.taps(); ++k) sum += largest.coefficients[k] * 255;
    CHECK_TRUE(std::isfinite(sum));
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
