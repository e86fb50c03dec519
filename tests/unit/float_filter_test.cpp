// What filters of float coefficients promise, and that the cpu variant keeps it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "daemon/gpu/float_filter.hpp"
#include "tests/unit/lanes.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using glint::test::GuardedMemory;
using glint::test::Random;

namespace {

constexpr std::array<uint8_t, 9> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr Lane lane{.stride_bytes = 3, .width = 3, .height = 3};

/// Takes the sample to the upper left, with a factor.
FloatFilter upper_left(float factor) {
    FloatFilter filter{.size = 3};
    filter.coefficients[0] = factor;
    return filter;
}

/// Of both signs, with products that differ in size by far.
FloatFilter uneven(uint32_t size, Border border) {
    FloatFilter filter{.size = size, .border = border, .border_value = 77};
    for (uint32_t k = 0; k < filter.taps(); ++k) {
        const auto step = static_cast<float>(k * 7 % 11) - 4.7F;
        filter.coefficients[k] = std::ldexp(step, static_cast<int>(k % 9) - 7);
    }
    return filter;
}

/// The picture, and a byte or float on every side that must stay as it is.
template <typename Pixel, typename Exact>
void check_picture(const std::vector<Pixel>& got, uint32_t stride, Pixel untouched, uint32_t width,
                   uint32_t height, const FloatFilter& filter, const Exact& exact) {
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < stride; ++x) {
            const Pixel pixel = got[size_t{y} * stride + x];
            const bool right =
                x < width ? exact(x, y).allows(pixel, filter, false) : pixel == untouched;
            if (right) continue;
            FAIL(fmt::format("{}x{}, filter {} border {}: ({}, {}) is {}", width, height,
                             filter.size, static_cast<uint32_t>(filter.border), x, y, pixel)
                     .c_str());
        }
    }
}

/// Calls use(filter, width, height) for every width that leaves a vector's rest in any state.
template <typename Use>
void for_each_size(const Use& use) {
    for (const uint32_t size : {3U, 5U, 7U, 31U}) {
        for (const Border border : {Border::replicate, Border::constant, Border::reflect_101}) {
            const FloatFilter filter = uneven(size, border);
            for (uint32_t width = 1; width <= 70; ++width) {
                for (const uint32_t height : {1U, 2U, 9U}) use(filter, width, height);
            }
        }
    }
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

TEST(FloatFilter, TheCpuVariantKeepsTheBoundOnBytesOfEveryWidth) {
    const GuardedMemory memory(8192);
    constexpr uint8_t untouched = 0x5a;
    for_each_size([&](const FloatFilter& filter, uint32_t width, uint32_t height) {
        const auto kind = glint::test::sample_kinds[width % glint::test::sample_kind_count];
        const Lane picture = make_lane_at_end(memory, kind, width, height, width % 5);
        const uint32_t stride = width + 1;
        std::vector<uint8_t> got(size_t{stride} * height, untouched);
        cpu::convolve(memory.begin(), picture, filter, {got.data(), stride});
        check_picture(got, stride, untouched, width, height, filter, [&](uint32_t x, uint32_t y) {
            return reference::convolve(memory.begin(), picture, filter, x, y);
        });
    });
}

TEST(FloatFilter, TheCpuVariantKeepsTheBoundOnFloatsOfEveryWidth) {
    constexpr float untouched = -1234.5F;
    Random random;
    for_each_size([&](const FloatFilter& filter, uint32_t width, uint32_t height) {
        const FloatPicture picture{
            .offset = 3, .stride = width + 2, .width = width, .height = height};
        // No number between the rows: what is added of it would show.
        std::vector<float> samples(picture.offset + size_t{picture.stride} * height, std::nanf(""));
        for (uint32_t y = 0; y < height; ++y) {
            std::generate_n(samples.begin() + picture.offset + y * picture.stride, width, [&] {
                return (static_cast<float>(random.below(256)) - 60.25F) * 1.37F;
            });
        }
        const uint32_t stride = width + 1;
        std::vector<float> got(size_t{stride} * height, untouched);
        cpu::convolve(samples.data(), picture, filter, got.data(), stride);
        check_picture(got, stride, untouched, width, height, filter, [&](uint32_t x, uint32_t y) {
            return reference::convolve(samples.data(), picture, filter, x, y);
        });
    });
}

TEST(FloatFilter, TheCpuVariantRoundsToTheEvenByteAndClampsWhateverComes) {
    constexpr std::array<uint8_t, 4> samples{1, 3, 5, 255};
    constexpr Lane row{.stride_bytes = 4, .width = 4, .height = 1};
    FloatFilter filter{.size = 3};
    std::array<uint8_t, 4> got{};
    filter.coefficients[4] = 0.5F;
    cpu::convolve(samples.data(), row, filter, {got.data(), 4});
    CHECK(got == (std::array<uint8_t, 4>{0, 2, 2, 128}));
    filter.coefficients[4] = 1e30F;
    cpu::convolve(samples.data(), row, filter, {got.data(), 4});
    CHECK(got == (std::array<uint8_t, 4>{255, 255, 255, 255}));
    filter.coefficients[4] = -1e30F;
    cpu::convolve(samples.data(), row, filter, {got.data(), 4});
    CHECK(got == (std::array<uint8_t, 4>{0, 0, 0, 0}));
    filter.coefficients[4] = std::nanf("");
    cpu::convolve(samples.data(), row, filter, {got.data(), 4});
    CHECK(got == (std::array<uint8_t, 4>{255, 255, 255, 255}));
}
