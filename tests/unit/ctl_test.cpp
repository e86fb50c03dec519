// The pure parts of glintctl: bars, the live picture, pixels, words of the command line.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tools/ctl/../../tools/ctl/failure.hpp"
#include "tools/ctl/../../tools/ctl/picture.hpp"
#include "tools/ctl/../../tools/ctl/pixels.hpp"
#include "tools/ctl/../../tools/ctl/text.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::ctl;

namespace {

std::size_t cells(const std::string& text) {
    std::size_t count = 0;
    for (const char c : text)
        if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++count;
    return count;
}

std::string only_row(const std::vector<std::uint32_t>& counts, std::size_t columns,
                     Scale scale = Scale::linear) {
    return bars(counts, columns, 1, scale).front();
}

Scene scene_with(std::size_t channels) {
    Scene scene;
    scene.camera.name = "front";
    scene.camera.state = "streaming";
    scene.region = "frame";
    scene.notice = "a notice that is rather longer than a small terminal is wide";
    scene.measured.emplace();
    scene.histogram.emplace();
    scene.histogram->bit_depth = 8;
    for (std::size_t i = 0; i < channels; ++i) {
        scene.histogram->channels.push_back({"Y", std::vector<std::uint32_t>(256, 7)});
        scene.measured->figures.push_back({"frame", "Y", 1, 2, 0, 0.5});
    }
    return scene;
}

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

}  // namespace

TEST_GROUP(Bars){};

TEST(Bars, EighthsOfOneRow) {
    STRCMP_EQUAL(" ▁▂▃▄▅▆▇█", only_row({0, 1, 2, 3, 4, 5, 6, 7, 8}, 9).c_str());
}

TEST(Bars, TallestFillsAllRowsFromTheBottom) {
    const auto rows = bars(std::vector<std::uint32_t>{16, 8, 4}, 3, 2, Scale::linear);
    LONGS_EQUAL(2, rows.size());
    STRCMP_EQUAL("█  ", rows[0].c_str());
    STRCMP_EQUAL("██▄", rows[1].c_str());
}

TEST(Bars, AnyCountShows) {
    STRCMP_EQUAL("▁█ ", only_row({1, 1000000, 0}, 3).c_str());
}

TEST(Bars, LogScaleLiftsSmallCounts) {
    STRCMP_EQUAL("▄█", only_row({999, 999999}, 2, Scale::logarithmic).c_str());
}

TEST(Bars, EvenCountsStayEvenWhenColumnsHoldUnequalBins) {
    const std::string row = only_row(std::vector<std::uint32_t>(256, 5), 80);
    std::string expected;
    for (int i = 0; i < 80; ++i) expected += "█";
    STRCMP_EQUAL(expected.c_str(), row.c_str());
}

TEST(Bars, FewBinsAreWidened) {
    STRCMP_EQUAL("▄▄██", only_row({1, 2}, 4).c_str());
}

TEST(Bars, LargestCountsDoNotOverflow) {
    const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    STRCMP_EQUAL("█", only_row(std::vector<std::uint32_t>(4, most), 1).c_str());
}

TEST(Bars, NothingToDraw) {
    STRCMP_EQUAL("    ", only_row({0, 0, 0}, 4).c_str());
    STRCMP_EQUAL("    ", only_row({}, 4).c_str());
    LONGS_EQUAL(0, bars(std::vector<std::uint32_t>{1}, 4, 0, Scale::linear).size());
    STRCMP_EQUAL("", only_row({1}, 0).c_str());
}

TEST_GROUP(LivePicture){};

TEST(LivePicture, FitsEveryTerminal) {
    for (const std::size_t channels : {1U, 3U})
        for (std::size_t columns = 1; columns < 100; columns += 7)
            for (std::size_t rows = 1; rows < 40; ++rows) {
                const auto lines = draw(scene_with(channels), columns, rows);
                CHECK(lines.size() <= rows);
                for (const Line& line : lines) CHECK(cells(line.text) <= columns);
            }
}

TEST(LivePicture, HasEightRowsOfBarsWhereThereIsRoom) {
    const auto lines = draw(scene_with(1), 80, 23);
    std::size_t full = 0;
    for (const Line& line : lines) full += line.text.starts_with("█") ? 1 : 0;
    LONGS_EQUAL(8, full);
}

TEST(LivePicture, AxisEndsUnderTheLastColumn) {
    const auto lines = draw(scene_with(1), 40, 23);
    STRCMP_EQUAL("0                   128              255", lines[9].text.c_str());
}

TEST(LivePicture, ClippingIsAWarning) {
    const auto lines = draw(scene_with(1), 80, 23);
    CHECK(lines[10].style == Style::warning);
    STRCMP_EQUAL("Y mean 1.00 stddev 2.00 clipped 0.00% low 50.00% high", lines[10].text.c_str());
}

TEST(LivePicture, FitCountsCharactersNotBytes) {
    STRCMP_EQUAL("█▄", fit("█▄x", 2).c_str());
    STRCMP_EQUAL("█▄x", fit("█▄x", 3).c_str());
    STRCMP_EQUAL("", fit("█", 0).c_str());
}

TEST(LivePicture, PlainLineHasOneRegionAndNoEscapes) {
    Measured measured;
    measured.sequence = 4;
    measured.figures = {{"frame", "Y", 1.5, 2, 0, 0.25}, {"left", "Y", 9, 9, 9, 9}};
    const std::string line = plain_line(measured, "frame", CameraInfo{});
    CHECK(
        line.starts_with("sequence=4 timestamp_nsec=0 processing_usec=0 generation=0 "
                         "Y.mean=1.500 Y.stddev=2.000 Y.clipped_low=0.000000 "
                         "Y.clipped_high=0.250000 captured=0 "));
    CHECK(line.find('\x1b') == std::string::npos);
}

TEST_GROUP(Rate){};

TEST(Rate, NothingBeforeTheSecondResult) {
    RateMeter rate;
    rate.add(1, 1000);
    CHECK(!rate.frames_per_second());
}

TEST(Rate, FramesAndResultsDifferWhenResultsAreMerged) {
    RateMeter rate;
    for (std::uint64_t i = 0; i <= 10; ++i) rate.add(3 * i, 100'000'000 * i);
    DOUBLES_EQUAL(30, *rate.frames_per_second(), 1e-9);
    DOUBLES_EQUAL(10, *rate.results_per_second(), 1e-9);
}

TEST(Rate, ForgetsWhatIsOlderThanTwoSeconds) {
    RateMeter rate;
    for (std::uint64_t i = 0; i < 10; ++i) rate.add(i, 1'000'000'000 * i);
    for (std::uint64_t i = 0; i <= 40; ++i) rate.add(10 + i, 10'000'000'000 + 100'000'000 * i);
    DOUBLES_EQUAL(10, *rate.frames_per_second(), 1e-9);
}

TEST(Rate, StartsOverWithTheStream) {
    RateMeter rate;
    rate.add(100, 1'000'000'000);
    rate.add(0, 2'000'000'000);
    CHECK(!rate.frames_per_second());
}

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
    CHECK_THROWS(Failure, Picture(header_of("RGGB", 2, 2, {{0, 2}}), memory));
    // The last row need not be padded.
    Picture(header_of("GREY", 2, 3, {{0, 5}}), memory);
}

TEST_GROUP(Words){};

TEST(Words, RegionBothWays) {
    const Region region = parse_region("left_2:0,10,320,48");
    CHECK((region == Region{"left_2", 0, 10, 320, 48}));
    STRCMP_EQUAL("left_2:0,10,320,48", region_text(region).c_str());
}

TEST(Words, BadRegionsAreRefused) {
    for (const char* text :
         {"", "left", "left:", "left:1,2,3", "left:1,2,3,4,5", "left:1,2,3,", "left:1,2,3,x",
          "left:-1,0,1,1", "left:0,0,0,1", "left:0,0,1,0", "frame:0,0,1,1", "Left:0,0,1,1",
          ":0,0,1,1", "left: 0,0,1,1", "left:0,0,4294967296,1", "left:2147483648,0,1,1"})
        CHECK_THROWS(UsageError, parse_region(text));
}

TEST(Words, OneNameOneRegion) {
    CHECK_THROWS(UsageError, parse_regions({"a:0,0,1,1", "a:1,1,1,1"}));
    LONGS_EQUAL(2, parse_regions({"a:0,0,1,1", "b:1,1,1,1"}).size());
}

TEST(Words, Names) {
    CHECK(is_name("a"));
    CHECK(is_name("a" + std::string(31, '_')));
    CHECK(!is_name("a" + std::string(32, '_')));
    CHECK(!is_name("1a"));
    CHECK(!is_name("a-b"));
    CHECK(!is_name(""));
}

TEST(Words, NamedFilterTakesNothingElse) {
    const Filter filter = parse_filter("box3", 0, 0, {});
    STRCMP_EQUAL("box3", filter.name.c_str());
    LONGS_EQUAL(0, filter.width);
    CHECK_THROWS(UsageError, parse_filter("box3", 3, 0, {}));
    CHECK_THROWS(UsageError, parse_filter("box3", 0, 1, {}));
    CHECK_THROWS(UsageError, parse_filter("box3", 0, 0, {1}));
}

TEST(Words, CustomFilter) {
    const std::vector<std::int32_t> nine(9, -32768);
    LONGS_EQUAL(3, parse_filter("custom", 0, 4, nine).height);
    LONGS_EQUAL(-32768, parse_filter("custom", 3, 4, nine).coefficients[8]);
    LONGS_EQUAL(5, parse_filter("custom", 0, 31, std::vector<std::int32_t>(25, 1)).width);
    LONGS_EQUAL(31, parse_filter("custom", 0, 0, std::vector<std::int32_t>(961, 1)).height);
    CHECK_THROWS(UsageError, parse_filter("custom", 33, 0, std::vector<std::int32_t>(1089, 1)));
    CHECK_THROWS(UsageError, parse_filter("custom", 0, 0, std::vector<std::int32_t>(48, 1)));
    CHECK_THROWS(UsageError, parse_filter("custom", 5, 0, nine));
    CHECK_THROWS(UsageError, parse_filter("custom", 4, 0, std::vector<std::int32_t>(16, 1)));
    CHECK_THROWS(UsageError, parse_filter("custom", 3, 32, nine));
    CHECK_THROWS(UsageError, parse_filter("custom", 3, 0, std::vector<std::int32_t>(9, 32768)));
    CHECK_THROWS(UsageError, parse_filter("custom", 0, 0, {}));
}

TEST(Words, Json) {
    STRCMP_EQUAL("\"a\\\"\\\\\\u000a\"", json_string("a\"\\\n").c_str());
    STRCMP_EQUAL("1.5", json_number(1.5).c_str());
    STRCMP_EQUAL("null", json_number(std::nan("")).c_str());
}
