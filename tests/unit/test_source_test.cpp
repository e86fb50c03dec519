// The pictures that "test:" shows, and that every pixel format shows the same one.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "daemon/gpu/operators.hpp"
#include "daemon/plan.hpp"
#include "tests/unit/expect.hpp"
#include "tests/unit/lanes.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/test_source.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::zero_copy;

namespace {

using Kind = TestPattern::Kind;

gpu::Bins pattern_bins(const TestPattern& pattern, uint64_t number, uint32_t width,
                       uint32_t height) {
    gpu::Bins bins{};
    std::vector<uint8_t> row(width);
    for (uint32_t y = 0; y < height; ++y) {
        fill_pattern_row(pattern, number, y, row);
        for (const uint8_t sample : row) ++bins[sample];
    }
    return bins;
}

std::vector<uint8_t> pattern_picture(const TestPattern& pattern, uint64_t number, uint32_t width,
                                     uint32_t height) {
    std::vector<uint8_t> picture(size_t{width} * height);
    for (uint32_t y = 0; y < height; ++y) {
        fill_pattern_row(pattern, number, y, std::span(picture).subspan(size_t{y} * width, width));
    }
    return picture;
}

double mean_of(const std::vector<uint8_t>& samples) {
    double sum = 0;
    for (const uint8_t sample : samples) sum += sample;
    return sum / static_cast<double>(samples.size());
}

/// Reads frame `number` of a source into memory that was dirty before.
FrameMemory read_frame(const TestPattern& pattern, const FrameLayout& layout, uint64_t number) {
    std::vector<FrameMemory> buffers;
    buffers.emplace_back(layout.size_bytes);
    std::ranges::fill(buffers[0].bytes(), uint8_t{0xa5});
    TestSource source(pattern, layout, 30);
    source.start(buffers);
    CHECK_TRUE(source.read({.slot = 0, .sequence = number}));
    source.stop();
    return std::move(buffers[0]);
}

}  // namespace

TEST_GROUP(TestPictures){};

TEST(TestPictures, GradientHoldsEveryValueAsOftenAsItsClosedFormSays) {
    constexpr uint32_t height = 3;
    for (const uint32_t width : {1U, 2U, 100U, 255U, 256U, 257U, 300U, 512U, 641U, 1920U}) {
        const gpu::Bins bins = pattern_bins({Kind::gradient}, 5, width, height);
        for (uint32_t value = 0; value < 256; ++value) {
            // x * 256 / width == value from x = ceil(value * width / 256) on.
            const uint32_t first = (value * width + 255) / 256;
            const uint32_t next = ((value + 1) * width + 255) / 256;
            LONGS_EQUAL(height * (next - first), bins[value]);
        }
    }
}

TEST(TestPictures, RampMovesByOneWithEveryFrame) {
    std::array<uint8_t, 300> row{};
    fill_pattern_row({Kind::ramp}, 7, 11, row);
    for (size_t x = 0; x < row.size(); ++x) LONGS_EQUAL((x + 11 + 7) % 256, row[x]);
    const gpu::Bins bins = pattern_bins({Kind::ramp}, 1234567890123, 256, 5);
    for (const uint32_t count : bins) LONGS_EQUAL(5, count);
}

TEST(TestPictures, CheckerHasDarkAndBrightSquaresOfEight) {
    const std::vector<uint8_t> picture = pattern_picture({Kind::checker}, 3, 32, 24);
    for (size_t y = 0; y < 24; ++y) {
        for (size_t x = 0; x < 32; ++x) {
            LONGS_EQUAL((x / 8 + y / 8) % 2 == 0 ? 32 : 224, picture[y * 32 + x]);
        }
    }
    const gpu::Bins bins = pattern_bins({Kind::checker}, 0, 20, 12);
    LONGS_EQUAL(8 * 12 + 4 * 8, bins[32]);  // eight rows with 8 + 4 columns, four rows with 8
    LONGS_EQUAL(20 * 12 - 128, bins[224]);
}

TEST(TestPictures, FlatIsOneValue) {
    for (uint32_t value = 0; value < 256; ++value) {
        const gpu::Bins bins = pattern_bins({Kind::flat, static_cast<uint8_t>(value)}, 9, 33, 2);
        LONGS_EQUAL(66, bins[value]);
    }
}

TEST(TestPictures, NoiseIsAFunctionOfTheFramesNumber) {
    const auto first = pattern_picture({Kind::noise}, 17, 641, 11);
    CHECK_TRUE(first == pattern_picture({Kind::noise}, 17, 641, 11));
    CHECK_FALSE(first == pattern_picture({Kind::noise}, 18, 641, 11));
    // The same mean, half a wave apart, and still another picture.
    CHECK_FALSE(first == pattern_picture({Kind::noise}, 17 + 256, 641, 11));
    CHECK_FALSE(std::equal(first.begin(), first.begin() + 641, first.begin() + 641));
}

TEST(TestPictures, NoiseFollowsATriangleWaveExactly) {
    // A row of 65536 holds every entry of the noise's table once, so only the base differs.
    constexpr uint32_t width = 65536;
    const auto first = pattern_picture({Kind::noise}, 0, width, 1);
    const auto [first_lowest, first_highest] = std::ranges::minmax_element(first);
    // The mean of four uniform values 0 to 63, rounded down: 31.5 - 3/8.
    DOUBLES_EQUAL(32 + 31.1, mean_of(first), 0.2);
    for (uint64_t number = 0; number < 600; number += 7) {
        const auto phase = static_cast<int>(number % 256);
        const int base = 32 + (phase < 128 ? phase : 256 - phase);
        const auto row = pattern_picture({Kind::noise}, number, width, 1);
        const auto [lowest, highest] = std::ranges::minmax_element(row);
        LONGS_EQUAL(base - 32, *lowest - *first_lowest);
        LONGS_EQUAL(base - 32, *highest - *first_highest);
        DOUBLES_EQUAL(base - 32, mean_of(row) - mean_of(first), 1e-6);
    }
}

TEST(TestPictures, NoiseStaysInItsBounds) {
    for (uint64_t number = 0; number < 300; ++number) {
        for (const uint8_t sample : pattern_picture({Kind::noise}, number, 100, 5)) {
            CHECK_TRUE(sample >= 32 && sample <= 160 + 63);
        }
    }
}

TEST(TestPictures, NoiseWiderThanItsTableIsFilled) {
    std::vector<uint8_t> row(70'000, 0);
    fill_pattern_row({Kind::noise}, 0, 0, row);
    CHECK_TRUE(
        std::ranges::all_of(row, [](uint8_t sample) { return sample >= 32 && sample <= 95; }));
}

TEST(TestPictures, EveryFormatShowsTheSameEightBitPicture) {
    constexpr uint32_t width = 37;
    constexpr uint32_t height = 19;
    for (const Kind kind : {Kind::gradient, Kind::ramp, Kind::checker, Kind::flat, Kind::noise}) {
        const TestPattern pattern{kind, 201};
        const gpu::Bins expected = pattern_bins(pattern, 77, width, height);
        for (const FormatInfo& format : all_formats()) {
            for (const uint32_t stride : {0U, preferred_stride(format.format, width)}) {
                const FrameLayout layout = make_layout(format.format, width, height, stride);
                const FrameMemory frame = read_frame(pattern, layout, 77);
                const auto plan = make_plan(layout, {}, 1);
                LONGS_EQUAL(format.channel_count, plan->lanes.size());
                gpu::Bins sum{};
                for (const gpu::Lane& lane : plan->lanes) {
                    const gpu::Bins own = glint::test::reference_bins(frame.data(), lane);
                    // The four lanes of a mosaic share the picture out.
                    if (!format.is_bayer()) CHECK_TRUE(expected == own);
                    for (size_t bin = 0; bin < own.size(); ++bin) sum[bin] += own[bin];
                }
                if (format.is_bayer()) CHECK_TRUE(expected == sum);
            }
        }
    }
}

TEST(TestPictures, ChromaIsNeutral) {
    const FrameLayout nv12 = make_layout(PixelFormat::nv12, 5, 3);
    const FrameMemory planes = read_frame({Kind::flat, 9}, nv12, 0);
    for (uint32_t i = nv12.planes[1].offset_bytes; i < nv12.size_bytes; ++i) {
        LONGS_EQUAL(128, planes.data()[i]);
    }
    const FrameLayout yuyv = make_layout(PixelFormat::yuyv, 3, 2);
    const FrameMemory packed = read_frame({Kind::flat, 9}, yuyv, 0);
    for (uint32_t i = 1; i < yuyv.size_bytes; i += 2) LONGS_EQUAL(128, packed.data()[i]);
}

TEST(TestPictures, PaddingOfAPackedOrWideRowIsNotWritten) {
    const FrameLayout layout = make_layout(PixelFormat::y10, 3, 2, 16);
    const FrameMemory frame = read_frame({Kind::flat, 255}, layout, 0);
    for (uint32_t i = 6; i < 16; ++i) LONGS_EQUAL(0xa5, frame.data()[i]);
    LONGS_EQUAL(0xfc, frame.data()[0]);  // 255 << 2, little endian
    LONGS_EQUAL(0x03, frame.data()[1]);
}

TEST(TestPictures, NamesOfPatternsAreUnderstood) {
    CHECK_TRUE(parse_pattern("gradient")->kind == Kind::gradient);
    CHECK_TRUE(parse_pattern("ramp")->kind == Kind::ramp);
    CHECK_TRUE(parse_pattern("checker")->kind == Kind::checker);
    CHECK_TRUE(parse_pattern("noise")->kind == Kind::noise);
    CHECK_TRUE(parse_pattern("flat:0")->kind == Kind::flat);
    LONGS_EQUAL(255, parse_pattern("flat:255")->value);
}

TEST(TestPictures, OtherNamesAreNot) {
    for (const char* wrong : {"", "Gradient", "gradient ", "flat", "flat:", "flat:256", "flat:-1",
                              "flat:1x", "flat: 1", "flat:0x10", "noise:1"}) {
        CHECK_FALSE_TEXT(parse_pattern(wrong).has_value(), wrong);
    }
}
