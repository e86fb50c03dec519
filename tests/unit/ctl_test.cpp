// The pure parts of glintctl: bars, the live picture, words of the command line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/expect.hpp"
#include "tools/ctl/bins.hpp"
#include "tools/ctl/failure.hpp"
#include "tools/ctl/picture.hpp"
#include "tools/ctl/text.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::ctl;
using glint::test::missing_in;
using glint::test::text_thrown;

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
    for (const std::size_t channels : {1U, 3U, 4U})
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

TEST(LivePicture, GreensOfAMosaicAreGreen) {
    Scene scene = scene_with(4);
    const char* names[] = {"R", "Gr", "Gb", "B"};
    for (std::size_t i = 0; i < 4; ++i) scene.histogram->channels[i].channel = names[i];
    const auto lines = draw(scene, 80, 23);
    // After the title, two rows of bars and an axis for each channel.
    CHECK(lines[1].style == Style::red);
    CHECK(lines[4].style == Style::green);
    CHECK(lines[7].style == Style::green);
    CHECK(lines[10].style == Style::blue);
}

TEST(LivePicture, FineBinsAreDrawnByTheirMeans) {
    Scene scene = scene_with(1);
    scene.histogram->bit_depth = 12;
    std::vector<std::uint32_t> counts(4096, 10);
    std::fill(counts.begin(), counts.begin() + 2048, 5);
    scene.histogram->channels[0].bins = counts;
    const auto lines = draw(scene, 40, 23);
    STRCMP_EQUAL("0                   2048            4095", lines[9].text.c_str());
    // Half as tall in eight rows: nothing in the upper four.
    STRCMP_EQUAL(lines[5].text.c_str(), lines[8].text.c_str());
    CHECK(lines[4].text.starts_with("    "));
    CHECK(lines[8].text.starts_with("████"));
}

TEST(LivePicture, UnevenBinsOfAFlatHistogramAreFlat) {
    Scene scene = scene_with(1);
    scene.histogram->bit_depth = 10;
    scene.histogram->bin_width = 0;
    auto& bins = scene.histogram->channels[0].bins;
    bins.clear();
    // A hundred of each of 1024 values in 300 bins of three or four.
    for (std::size_t bin = 0; bin < 300; ++bin)
        bins.push_back(static_cast<std::uint32_t>(
            100 * (first_value(10, 300, bin + 1) - first_value(10, 300, bin))));
    std::string full;
    for (int column = 0; column < 79; ++column) full += "█";
    STRCMP_EQUAL(full.c_str(), draw(scene, 79, 23)[1].text.c_str());
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

TEST_GROUP(Bins){};

TEST(Bins, FirstValueIsTheSmallestThatFallsIntoTheBin) {
    for (const auto& [depth, bins] : {std::pair{8U, 256U},
                                      {10U, 1024U},
                                      {12U, 4096U},
                                      {12U, 256U},
                                      {10U, 300U},
                                      {12U, 4092U},
                                      {16U, 1000U}})
        for (std::uint64_t value = 0; value < std::uint64_t{1} << depth; ++value) {
            const auto bin = static_cast<std::size_t>(value * bins >> depth);
            CHECK(first_value(depth, bins, bin) <= value);
            CHECK(value < first_value(depth, bins, bin + 1));
        }
}

TEST(Bins, EvenBinsAreLevelAlready) {
    const std::vector<std::uint32_t> counts{0, 1, 4294967295, 7};
    CHECK(levelled(counts, 8) == counts);
    CHECK(levelled(counts, 1) == counts);  // fewer values than bins
    CHECK(levelled({}, 8).empty());
}

TEST(Bins, LevellingLosesNoCountAndPassesNoLimit) {
    const std::vector<std::uint32_t> ones(1000, 1);
    for (const std::uint32_t count : levelled(ones, 10)) LONGS_EQUAL(1, count);
    const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    const std::vector<std::uint32_t> counts = levelled(std::vector<std::uint32_t>(3, most), 3);
    // Three, three and two values of eight: the last bin would pass the largest count.
    UNSIGNED_LONGS_EQUAL(most, counts[2]);
    UNSIGNED_LONGS_EQUAL(3817748707, counts[0]);
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

TEST_GROUP(Words){};

TEST(Words, RegionBothWays) {
    const Region region = parse_region("left_2:0,10,320,48");
    CHECK((region == Region{"left_2", 0, 10, 320, 48}));
    STRCMP_EQUAL("left_2:0,10,320,48", region_text(region).c_str());
}

TEST(Words, BadRegionsAreRefused) {
    for (const char* text : {"", "left", "left:", "left:1,2,3", "left:1,2,3,4,5", "left:1,2,3,",
                             "left:1,2,3,x", "left:-1,0,1,1", "left:0,0,0,1", "left:0,0,1,0",
                             "frame:0,0,1,1", "Left:0,0,1,1", ":0,0,1,1", "left: 0,0,1,1",
                             "left:0,0,4294967296,1", "left:2147483648,0,1,1", "metering:0,0,1,1"})
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
    CHECK_THROWS(UsageError, parse_filter("box3", 0, 0, {"1"}));
}

TEST(Words, CustomFilter) {
    const auto many = [](std::size_t count, const char* text) {
        return std::vector<std::string>(count, text);
    };
    const std::vector<std::string> nine = many(9, "-32768");
    LONGS_EQUAL(3, parse_filter("custom", 0, 4, nine).height);
    const Filter filter = parse_filter("custom", 3, 4, nine);
    LONGS_EQUAL(-32768, std::get<std::vector<std::int16_t>>(filter.coefficients)[8]);
    LONGS_EQUAL(5, parse_filter("custom", 0, 31, many(25, "1")).width);
    LONGS_EQUAL(31, parse_filter("custom", 0, 0, many(961, "1")).height);
    CHECK_THROWS(UsageError, parse_filter("custom", 33, 0, many(1089, "1")));
    CHECK_THROWS(UsageError, parse_filter("custom", 0, 0, many(48, "1")));
    CHECK_THROWS(UsageError, parse_filter("custom", 5, 0, nine));
    CHECK_THROWS(UsageError, parse_filter("custom", 4, 0, many(16, "1")));
    CHECK_THROWS(UsageError, parse_filter("custom", 3, 32, nine));
    CHECK_THROWS(UsageError, parse_filter("custom", 3, 0, many(9, "32768")));
    CHECK_THROWS(UsageError, parse_filter("custom", 0, 0, {}));
}

TEST(Words, OneDecimalPointMakesEveryCoefficientAFloat) {
    std::vector<std::string> texts(9, "3");
    texts[8] = "-2.5e-1";
    const Filter filter = parse_filter("custom", 0, 0, texts);
    const auto& coefficients = std::get<std::vector<double>>(filter.coefficients);
    DOUBLES_EQUAL(3, coefficients[0], 0);
    DOUBLES_EQUAL(-0.25, coefficients[8], 0);
    CHECK_THROWS(UsageError, parse_filter("custom", 0, 2, texts));
    for (const char* bad : {"x", "", "1.5x", "inf", "nan", "1e999", "1,5"}) {
        texts[4] = bad;
        const std::string why =
            text_thrown<UsageError>([&] { (void)parse_filter("custom", 0, 0, texts); });
        STRCMP_EQUAL("", missing_in(why, {fmt::format("'{}'", bad), "-0.25"}).c_str());
    }
}

TEST(Words, MeteringGrid) {
    const MeteringGrid grid = parse_metering(3, 2, {0, 1, 2, 3, 4, 255});
    LONGS_EQUAL(3, grid.columns);
    LONGS_EQUAL(2, grid.rows);
    CHECK((grid.weights == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 255}));
}

TEST(Words, BadMeteringGridsAreRefusedWithTheirNumbers) {
    const auto why = [](std::uint32_t columns, std::uint32_t rows,
                        const std::vector<std::int64_t>& weights) {
        return text_thrown<UsageError>([&] { (void)parse_metering(columns, rows, weights); });
    };
    STRCMP_EQUAL("", missing_in(why(3, 2, {1, 2}), {"3x2", "has 6", "here are 2"}).c_str());
    STRCMP_EQUAL("", missing_in(why(65536, 65536, {}), {"has 4294967296", "are 0"}).c_str());
    STRCMP_EQUAL("", missing_in(why(0, 0, {}), {"0x0", "1 to 32"}).c_str());
    STRCMP_EQUAL("", missing_in(why(1, 1, {256}), {"weight 256", "0 to 255"}).c_str());
    STRCMP_EQUAL("", missing_in(why(1, 1, {-1}), {"weight -1", "0 to 255"}).c_str());
}

TEST(Words, Json) {
    STRCMP_EQUAL("\"a\\\"\\\\\\u000a\"", json_string("a\"\\\n").c_str());
    STRCMP_EQUAL("1.5", json_number(1.5).c_str());
    STRCMP_EQUAL("null", json_number(std::nan("")).c_str());
}
