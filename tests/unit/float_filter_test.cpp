// What filters of float coefficients promise.
#include <array>
#include <cmath>

#include "daemon/gpu/float_filter.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;

namespace {

constexpr std::array<uint8_t, 9> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr Lane lane{.stride_bytes = 3, .width = 3, .height = 3};

/// Takes the sample to the upper left, with a factor.
FloatFilter upper_left(float factor) {
    FloatFilter filter{.size = 3};
    filter.coefficients[0] = factor;
    return filter;
}

}  // namespace

TEST_GROUP(FloatFilter){};

TEST(FloatFilter, CoefficientsMeetThePictureInTheOrderInWhichTheyStand) {
    const ExactPixel pixel = reference::convolve(bytes.data(), lane, upper_left(-0.5F), 2, 1);
    DOUBLES_EQUAL(-1.0, pixel.value, 0);
    DOUBLES_EQUAL(1.0, pixel.magnitude, 0);
}

TEST(FloatFilter, EveryBorderGivesItsOwnSample) {
    FloatFilter filter = upper_left(1);
    DOUBLES_EQUAL(1, reference::convolve(bytes.data(), lane, filter, 0, 0).value, 0);
    filter.border = Border::reflect_101;
    DOUBLES_EQUAL(5, reference::convolve(bytes.data(), lane, filter, 0, 0).value, 0);
    filter.border = Border::constant;
    filter.border_value = 77;
    DOUBLES_EQUAL(77, reference::convolve(bytes.data(), lane, filter, 0, 0).value, 0);
}

TEST(FloatFilter, FloatsAreFoundAtTheirOffsetAndStride) {
    const std::array<float, 9> floats{-1, 0.25F, 0.5F, -1, 0.75F, 1.5F, -1, -1, -1};
    const FloatPicture picture{.offset = 1, .stride = 3, .width = 2, .height = 2};
    const ExactPixel pixel = reference::convolve(floats.data(), picture, upper_left(2), 1, 1);
    DOUBLES_EQUAL(0.5, pixel.value, 0);
}

TEST(FloatFilter, ARoundingForEachProductAndAdditionIsAllowedAndNoMore) {
    const FloatFilter filter{.size = 3};
    const ExactPixel pixel{.value = 1, .magnitude = 3};
    const double bound = 11 * std::ldexp(3.0, -23);
    DOUBLES_EQUAL(bound, pixel.tolerance(filter, false), 0);
    DOUBLES_EQUAL(2 * bound, pixel.tolerance(filter, true), 0);
    const auto off = static_cast<float>(1 + 1.5 * bound);
    CHECK_FALSE(pixel.allows(off, filter, false));
    CHECK_TRUE(pixel.allows(off, filter, true));
    CHECK_FALSE(pixel.allows(std::nanf(""), filter, true));
}

TEST(FloatFilter, BytesAreClampedAndRounded) {
    const FloatFilter filter{.size = 3};
    const auto allowed = [&](double value, uint8_t byte) {
        return ExactPixel{.value = value, .magnitude = 1}.allows(byte, filter, false);
    };
    CHECK_TRUE(allowed(2.4, 2));
    CHECK_FALSE(allowed(2.4, 3));
    CHECK_TRUE(allowed(2.5, 2));  // the nearest even one, but for the tolerance either is near
    CHECK_TRUE(allowed(-7, 0));
    CHECK_TRUE(allowed(300, 255));
    CHECK_FALSE(allowed(300, 254));
}
