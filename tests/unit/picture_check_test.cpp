// The sample of a filtered picture that is computed again.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/picture_check.hpp"
#include "tests/unit/lanes.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::gpu::Filter;
using glint::gpu::Lane;

TEST_GROUP(PictureCheck) {
    test::GuardedMemory memory{400 * 100 * 3};
    std::vector<uint8_t> picture;

    gpu::Output filtered(const Lane& lane, const Filter& filter) {
        picture.assign(size_t{lane.width} * lane.height, 0);
        gpu::reference::convolve(memory.begin(), lane, filter, {picture.data(), lane.width});
        return {picture.data(), lane.width};
    }
};

TEST(PictureCheck, TheRightPictureMatchesWhereverItIsSampled) {
    for (const char* name : {"binomial3", "binomial5", "box5", "sobel_x3", "sobel"}) {
        const Filter filter = *gpu::named_filter(name);
        for (const auto& [width, height] :
             {std::pair{1U, 1U}, {3U, 40U}, {64U, 16U}, {65U, 17U}, {130U, 33U}}) {
            const Lane lane = test::make_lane_at_end(memory, {3, 0, 8}, width, height, 5);
            const gpu::Output output = filtered(lane, filter);
            for (uint64_t seed = 0; seed < 200; ++seed) {
                CHECK_TRUE(tile_matches(memory.begin(), lane, filter, output, seed, false));
            }
        }
    }
}

TEST(PictureCheck, OneWrongPixelAnywhereIsFoundSoonerOrLater) {
    constexpr uint32_t width = 100;
    constexpr uint32_t height = 30;
    const Filter filter = *gpu::named_filter("binomial5");
    const Lane lane = test::make_lane_at_end(memory, {1, 0, 8}, width, height, 0);
    const gpu::Output output = filtered(lane, filter);
    for (const uint32_t at :
         {0U, width - 1, width * (height - 1), width * height - 1, width * 15 + 50}) {
        picture[at] ^= 1;
        bool found = false;
        for (uint64_t seed = 0; seed < 5000 && !found; ++seed) {
            found = !tile_matches(memory.begin(), lane, filter, output, seed, false);
        }
        CHECK_TRUE(found);
        picture[at] ^= 1;
    }
}

TEST(PictureCheck, APictureThatFitsIntoOneTileIsComparedWhole) {
    const Filter filter = *gpu::named_filter("box3");
    const Lane lane = test::make_lane_at_end(memory, {1, 0, 8}, 64, 16, 0);
    const gpu::Output output = filtered(lane, filter);
    for (size_t at = 0; at < picture.size(); ++at) {
        picture[at] ^= 0x80;
        CHECK_FALSE(tile_matches(memory.begin(), lane, filter, output, at, false));
        picture[at] ^= 0x80;
    }
}

TEST(PictureCheck, ARightPictureOfFloatsMatchesWhereverItIsSampledAndAWrongOneDoesNot) {
    gpu::FloatFilter filter{.size = 5, .border = gpu::Border::reflect_101};
    for (uint32_t k = 0; k < filter.taps(); ++k)
        filter.coefficients[k] = 0.37F - 0.11F * static_cast<float>(k * 7 % 8);
    const Lane lane = test::make_lane_at_end(memory, {3, 0, 8}, 130, 33, 5);
    picture.assign(size_t{lane.width} * lane.height, 0);
    const gpu::Output output{picture.data(), lane.width};
    for (uint32_t at = 0; at < picture.size(); ++at) {
        const double exact =
            gpu::reference::convolve(memory.begin(), lane, filter, at % 130, at / 130).value;
        picture[at] = static_cast<uint8_t>(std::nearbyint(std::clamp(exact, 0.0, 255.0)));
    }
    for (uint64_t seed = 0; seed < 200; ++seed)
        CHECK_TRUE(tile_matches(memory.begin(), lane, filter, output, seed, false));
    for (uint8_t& byte : picture) byte = static_cast<uint8_t>(byte < 2 ? byte + 2 : byte - 2);
    for (uint64_t seed = 0; seed < 200; ++seed)
        CHECK_FALSE(tile_matches(memory.begin(), lane, filter, output, seed, true));
}

TEST(PictureCheck, OfAFloatFilterEitherByteOfATieIsRightAndNoOther) {
    // Half of an odd sample lies between two bytes.
    gpu::FloatFilter half{.size = 3};
    half.coefficients[4] = 0.5F;
    const Lane lane = test::make_lane_at_end(memory, {1, 0, 8}, 64, 16, 0);
    picture.assign(size_t{lane.width} * lane.height, 0);
    const gpu::Output output{picture.data(), lane.width};
    for (size_t at = 0; at < picture.size(); ++at) {
        memory.begin()[lane.offset_bytes + at / 64 * lane.stride_bytes + at % 64] = 101;
        picture[at] = static_cast<uint8_t>(at % 2 == 0 ? 50 : 51);
    }
    CHECK_TRUE(tile_matches(memory.begin(), lane, half, output, 0, false));
    for (const uint8_t wrong : {uint8_t{49}, uint8_t{52}}) {
        picture[77] = wrong;
        CHECK_FALSE(tile_matches(memory.begin(), lane, half, output, 0, false));
    }
}

TEST(PictureCheck, ADeviceThatRoundsToZeroMayBeOffByTwiceAsMuch) {
    // Large products of both signs leave a small sum, but the bound grows with their magnitudes.
    gpu::FloatFilter filter{.size = 3};
    filter.coefficients[3] = 4000;
    filter.coefficients[4] = 1;
    filter.coefficients[5] = -4000;
    const Lane lane = test::make_lane_at_end(memory, {1, 0, 8}, 64, 16, 0);
    for (size_t at = 0; at < 64 * 16; ++at) {
        memory.begin()[lane.offset_bytes + at / 64 * lane.stride_bytes + at % 64] = 100;
    }
    const double one =
        gpu::reference::convolve(memory.begin(), lane, filter, 30, 8).tolerance(filter, false);
    CHECK_TRUE(one > 0.5 && one < 1.5);
    picture.assign(64 * 16, 102);
    const gpu::Output output{picture.data(), 64};
    CHECK_FALSE(tile_matches(memory.begin(), lane, filter, output, 0, false));
    CHECK_TRUE(tile_matches(memory.begin(), lane, filter, output, 0, true));
}
