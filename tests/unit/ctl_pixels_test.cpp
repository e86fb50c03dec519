// Pixels of every format as glintctl writes them into PNG files.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/ctl/failure.hpp"
#include "tools/ctl/pixels.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/test_source.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::ctl;
namespace zero_copy = glint::zero_copy;

namespace {

std::vector<std::uint8_t> row_of(const FrameHeader& header, const std::vector<std::uint8_t>& memory,
                                 std::uint32_t y = 0) {
    const Picture picture(header, memory);
    std::vector<std::uint8_t> row(picture.row_bytes());
    picture.row(y, row);
    return row;
}

void check_bytes(const std::vector<std::uint8_t>& expected,
                 const std::vector<std::uint8_t>& actual) {
    LONGS_EQUAL(expected.size(), actual.size());
    MEMCMP_EQUAL(expected.data(), actual.data(), expected.size());
}

FrameHeader header_of(const char* fourcc, std::uint32_t width, std::uint32_t height,
                      std::vector<Plane> planes, const char* range = "full") {
    return {fourcc, width, height, std::move(planes), range, 0, 0};
}

/// What GetFrame says of a frame of this layout.
FrameHeader header_of(const zero_copy::FrameLayout& layout) {
    std::vector<Plane> planes;
    for (std::uint32_t i = 0; i < layout.plane_count; ++i)
        planes.push_back({layout.planes[i].offset_bytes, layout.planes[i].stride_bytes});
    const std::string fourcc(zero_copy::info(layout.format).fourcc);
    return header_of(fourcc.c_str(), layout.width, layout.height, std::move(planes));
}

/// The first frame of a ramp, as the service captures it.
std::vector<std::uint8_t> ramp(const zero_copy::FrameLayout& layout) {
    std::vector<zero_copy::FrameMemory> buffers;
    buffers.emplace_back(layout.size_bytes);
    zero_copy::TestSource source({zero_copy::TestPattern::Kind::ramp}, layout, 30);
    source.start(buffers);
    CHECK_TRUE(source.read({.slot = 0, .sequence = 0}));
    source.stop();
    const auto bytes = buffers[0].bytes();
    return {bytes.begin(), bytes.begin() + layout.size_bytes};
}

/// Each pixel in 8 bits: of 16 the upper ones, of three colours one if they are all the same.
std::vector<std::uint8_t> bytes_of_row(const Picture& picture, std::uint32_t y) {
    std::vector<std::uint8_t> row(picture.row_bytes());
    picture.row(y, row);
    const std::size_t step = row.size() / picture.width();
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 0; at < row.size(); at += step) {
        if (step == 3) CHECK_TRUE(row[at] == row[at + 1] && row[at] == row[at + 2]);
        bytes.push_back(row[at]);
    }
    return bytes;
}

}  // namespace

TEST_GROUP(Pixels){};

TEST(Pixels, Bt601EndsOfTheRanges) {
    CHECK((rgb_from_yuv(16, 128, 128, true) == Rgb{0, 0, 0}));
    CHECK((rgb_from_yuv(235, 128, 128, true) == Rgb{255, 255, 255}));
    CHECK((rgb_from_yuv(0, 128, 128, false) == Rgb{0, 0, 0}));
    CHECK((rgb_from_yuv(255, 128, 128, false) == Rgb{255, 255, 255}));
    CHECK((rgb_from_yuv(81, 90, 240, true) == Rgb{254, 0, 0}));
    CHECK((rgb_from_yuv(76, 85, 255, false) == Rgb{254, 0, 0}));
    CHECK((rgb_from_yuv(255, 255, 255, true).red == 255));
}

TEST(Pixels, WidenKeepsBothEnds) {
    LONGS_EQUAL(0xffff, widen(0x3ff, 10));
    LONGS_EQUAL(0xffff, widen(0xfff, 12));
    LONGS_EQUAL(0, widen(0, 10));
    LONGS_EQUAL(0x8020, widen(0x200, 10));
    LONGS_EQUAL(0x1234, widen(0x1234, 16));
    // Bits above the sample are not part of it.
    LONGS_EQUAL(0xffff, widen(0xffff, 10));
}

TEST(Pixels, GreyHonoursOffsetAndStride) {
    const std::vector<std::uint8_t> memory{9, 1, 2, 9, 3, 4};
    check_bytes({3, 4}, row_of(header_of("GREY", 2, 2, {{1, 3}}), memory, 1));
}

TEST(Pixels, Grey16OfEitherEndComesOutBig) {
    check_bytes({0x12, 0x34}, row_of(header_of("Y16 ", 1, 1, {{0, 2}}), {0x34, 0x12}));
    check_bytes({0x12, 0x34}, row_of(header_of("Y16 -BE", 1, 1, {{0, 2}}), {0x12, 0x34}));
    check_bytes({0xff, 0xff}, row_of(header_of("Y10 ", 1, 1, {{0, 2}}), {0xff, 0x03}));
    check_bytes({0xff, 0xff}, row_of(header_of("Y12 ", 1, 1, {{0, 2}}), {0xff, 0x0f}));
}

TEST(Pixels, RgbAndBgr) {
    check_bytes({1, 2, 3}, row_of(header_of("RGB3", 1, 1, {{0, 3}}), {1, 2, 3}));
    check_bytes({3, 2, 1}, row_of(header_of("BGR3", 1, 1, {{0, 3}}), {1, 2, 3}));
}

// One red pixel, Y 76 U 85 V 255, in every layout of YUV.
TEST(Pixels, EveryYuvLayoutFindsItsChroma) {
    const std::vector<std::uint8_t> red{254, 0, 0};
    check_bytes(red, row_of(header_of("NV12", 1, 1, {{0, 1}, {1, 2}}), {76, 85, 255}));
    check_bytes(red, row_of(header_of("NV21", 1, 1, {{0, 1}, {1, 2}}), {76, 255, 85}));
    for (const char* fourcc : {"YU12", "422P", "444P"})
        check_bytes(red, row_of(header_of(fourcc, 1, 1, {{0, 1}, {1, 1}, {2, 1}}), {76, 85, 255}));
    check_bytes(red, row_of(header_of("YUYV", 1, 1, {{0, 4}}), {76, 85, 0, 255}));
    check_bytes(red, row_of(header_of("UYVY", 1, 1, {{0, 4}}), {85, 76, 255, 0}));
}

TEST(Pixels, OddSidesOf420ShareTheLastChroma) {
    // 3x3: nine of luma, then chroma of two by two; the last is red.
    const std::vector<std::uint8_t> memory{76,  76,  76,  76, 76,  76,  76,  76, 76,
                                           128, 128, 128, 85, 128, 128, 128, 255};
    const auto row = row_of(header_of("YU12", 3, 3, {{0, 3}, {9, 2}, {13, 2}}), memory, 2);
    check_bytes({76, 76, 76, 76, 76, 76, 254, 0, 0}, row);
}

TEST(Pixels, PlanesMustLieInTheMemory) {
    const std::vector<std::uint8_t> memory(12);
    CHECK_THROWS(Failure, Picture(header_of("GREY", 4, 4, {{0, 4}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("GREY", 4, 3, {{1, 4}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("GREY", 4, 3, {{~0ULL, 4}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("GREY", 4, 2, {{0, 3}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("GREY", 4, 3, {{0, ~0U}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("GREY", 0, 3, {{0, 4}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("GREY", ~0U, ~0U, {{0, ~0U}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("NV12", 2, 2, {{0, 2}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("NV12", 3, 3, {{0, 3}, {9, 4}}), memory));
    CHECK_THROWS(Failure, Picture(header_of("XXXX", 2, 2, {{0, 2}}), memory));
    // The last row need not be padded.
    Picture(header_of("GREY", 2, 3, {{0, 5}}), memory);
}

TEST(Pixels, EveryFormatOfTheServiceShowsTheSamePicture) {
    for (const zero_copy::FormatInfo& format : zero_copy::all_formats()) {
        const auto layout = zero_copy::make_layout(format.format, 21, 5);
        const std::vector<std::uint8_t> memory = ramp(layout);
        const Picture picture(header_of(layout), memory);
        for (std::uint32_t y = 0; y < layout.height; ++y) {
            const std::vector<std::uint8_t> bytes = bytes_of_row(picture, y);
            for (std::uint32_t x = 0; x < layout.width; ++x)
                LONGS_EQUAL_TEXT(x + y, bytes[x], std::string(format.fourcc).c_str());
        }
    }
}

TEST(Pixels, EveryFormatOfTheServiceFillsItsMemory) {
    for (const zero_copy::FormatInfo& format : zero_copy::all_formats()) {
        const auto layout = zero_copy::make_layout(format.format, 21, 5);
        const std::vector<std::uint8_t> short_by_one(layout.size_bytes - 1);
        CHECK_THROWS(Failure, Picture(header_of(layout), short_by_one));
    }
}

TEST(Pixels, WordsOfFourteenBitsAndLeftAlignedOnes) {
    check_bytes({0xff, 0xff, 0x80, 0x02},
                row_of(header_of("Y14 ", 2, 1, {{0, 4}}), {0xff, 0x3f, 0x00, 0x20}));
    // The four lowest bits are no part of the sample.
    check_bytes({0xff, 0xff, 0x12, 0x31},
                row_of(header_of("Y012", 2, 1, {{0, 4}}), {0xf0, 0xff, 0x3f, 0x12}));
    check_bytes({0xff, 0xff}, row_of(header_of("RG14", 1, 1, {{0, 2}}), {0xff, 0x3f}));
    check_bytes({0x12, 0x34}, row_of(header_of("BYR2", 1, 1, {{0, 2}}), {0x34, 0x12}));
}

// Samples 0x001, 0x3fe, 0x200, 0x0ff and, in a group of its own, 0x2aa.
TEST(Pixels, PackedTenBitsAreUnpacked) {
    const std::vector<std::uint8_t> memory{0x00, 0xff, 0x80, 0x3f, 0b11'00'10'01,
                                           0xaa, 0,    0,    0,    0b00'00'00'10};
    for (const char* fourcc : {"Y10P", "pBAA", "pGAA", "pgAA", "pRAA"})
        check_bytes({0x00, 0x40, 0xff, 0xbf, 0x80, 0x20, 0x3f, 0xcf, 0xaa, 0xaa},
                    row_of(header_of(fourcc, 5, 1, {{0, 10}}), memory));
}

// Samples 0x123, 0xfff and, in a group of its own, 0x800.
TEST(Pixels, PackedTwelveBitsAreUnpacked) {
    const std::vector<std::uint8_t> memory{0x12, 0xff, 0xf3, 0x80, 0, 0x00};
    for (const char* fourcc : {"Y12P", "pBCC", "pGCC", "pgCC", "pRCC"})
        check_bytes({0x12, 0x31, 0xff, 0xff, 0x80, 0x08},
                    row_of(header_of(fourcc, 3, 1, {{0, 6}}), memory));
}

TEST(Pixels, TheFourthByteIsNoColour) {
    for (const char* fourcc : {"AB24", "XB24"})
        check_bytes({1, 2, 3, 5, 6, 7},
                    row_of(header_of(fourcc, 2, 1, {{0, 8}}), {1, 2, 3, 4, 5, 6, 7, 8}));
    for (const char* fourcc : {"AR24", "XR24"})
        check_bytes({3, 2, 1, 7, 6, 5},
                    row_of(header_of(fourcc, 2, 1, {{0, 8}}), {1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Pixels, AMosaicIsAGreyPictureOfItsSites) {
    check_bytes({7, 8}, row_of(header_of("RGGB", 2, 2, {{0, 2}}), {5, 6, 7, 8}, 1));
}
