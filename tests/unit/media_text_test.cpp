// media-ctl's syntax: what it means, and what is said of texts that are wrong.
#include "zero_copy/media_text.hpp"

#include <linux/media-bus-format.h>
#include <linux/videodev2.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

void expect_equal(const std::string& expected, const std::string& actual) {
    STRCMP_EQUAL(expected.c_str(), actual.c_str());
}

struct BadText {
    std::string_view text;
    std::vector<std::string_view> says;
};

void expect_refusals(const std::vector<BadText>& table, auto parse) {
    for (const BadText& each : table) {
        const std::string text =
            text_thrown<MediaTextError>([&] { std::ignore = parse(each.text); });
        for (const std::string_view part : each.says) {
            STRCMP_EQUAL("", missing_in(text, {part}).c_str());
        }
    }
}

}  // namespace

TEST_GROUP(MediaText){};

TEST(MediaText, NamesOfCodesAndFieldsAreEachOtherInverse) {
    std::set<uint32_t> values;
    for (const MediaName& row : bus_codes()) {
        LONGS_EQUAL(row.value, *bus_code_from_name(row.name));
        expect_equal(std::string(row.name), name_of_bus_code(row.value));
        CHECK_TRUE(values.insert(row.value).second);
    }
    for (const MediaName& row : fields()) {
        LONGS_EQUAL(row.value, *field_from_name(row.name));
        expect_equal(std::string(row.name), name_of_field(row.value));
    }
}

TEST(MediaText, CodesHaveTheKernelsNumbers) {
    // As media-ctl --known-mbus-fmts prints them.
    const std::vector<std::pair<std::string_view, uint32_t>> known{
        {"Y8_1X8", 0x2001},       {"Y10_1X10", 0x200a},     {"Y12_1X12", 0x2013},
        {"Y14_1X14", 0x202d},     {"UYVY8_1X16", 0x200f},   {"UYVY8_2X8", 0x2006},
        {"YUYV8_1X16", 0x2011},   {"YUYV8_2X8", 0x2008},    {"RGB888_1X24", 0x100a},
        {"BGR888_1X24", 0x1013},  {"RGB565_1X16", 0x1017},  {"RGB565_2X8_LE", 0x1008},
        {"SBGGR8_1X8", 0x3001},   {"SRGGB8_1X8", 0x3014},   {"SRGGB10_1X10", 0x300f},
        {"SGRBG12_1X12", 0x3011}, {"SGBRG14_1X14", 0x301a}, {"JPEG_1X8", 0x4001}};
    for (const auto& [name, value] : known) {
        CHECK_TRUE(bus_code_from_name(name).has_value());
        LONGS_EQUAL(value, *bus_code_from_name(name));
    }
    CHECK_FALSE(bus_code_from_name("y8_1x8").has_value());
    CHECK_FALSE(bus_code_from_name("").has_value());
    expect_equal("0xabcd", name_of_bus_code(0xabcd));
}

TEST(MediaText, LinksAsMediaCtlTakesThem) {
    const LinkSetting link = parse_link(R"("imx219 1-0010":0 -> "csis-32e40000.csi":0 [1])");
    expect_equal("imx219 1-0010", link.source.entity);
    expect_equal("csis-32e40000.csi", link.sink.entity);
    CHECK_TRUE(link.enabled);
    expect_equal(R"("a":1 -> "b":2 [0])", text_of(parse_link("'a':1->'b':2[0]")));
    expect_equal(R"("5":1 -> "17":0 [1])", text_of(parse_link("  5 : 1 ->17:0 [ 1 ]  ")));
    expect_equal(R"("say 'x'":0 -> "b":0 [1])", text_of(parse_link(R"("say 'x'":0->"b":0[1])")));
}

TEST(MediaText, PadsAsMediaCtlTakesThem) {
    const PadSetting full =
        parse_pad(R"("ov5640 1-003c":0 [fmt:UYVY8_1X16/1280x720@1/30 field:none])");
    expect_equal("ov5640 1-003c", full.pad.entity);
    LONGS_EQUAL(MEDIA_BUS_FMT_UYVY8_1X16, full.format.code);
    LONGS_EQUAL(1280, full.format.width);
    LONGS_EQUAL(720, full.format.height);
    LONGS_EQUAL(V4L2_FIELD_NONE, full.format.field);
    expect_equal("1/30", text_of(*full.interval));
    const PadSetting short_one = parse_pad("'csi':1[fmt:Y8_1X8/64x48]");
    LONGS_EQUAL(1, short_one.pad.pad);
    LONGS_EQUAL(V4L2_FIELD_ANY, short_one.format.field);
    CHECK_FALSE(short_one.interval.has_value());
    const PadSetting other_order = parse_pad("7:0 [ fmt:Y8_1X8/64x48 field:seq-tb @1001/30000 ]");
    expect_equal("fmt:Y8_1X8/64x48 field:seq-tb", text_of(other_order.format));
    expect_equal("1001/30000", text_of(*other_order.interval));
}

TEST(MediaText, BadLinksSayWhereAndWhatIsExpected) {
    expect_refusals(
        {
            {"", {"column 1:", "the end of the text", "in quotes"}},
            {"csi:0 -> 'b':0 [1]", {"column 1:", "\"csi:0\"", "in quotes, or its number"}},
            {"'a:0 -> \"b\":0 [1]", {"the end of the text where the closing quote '"}},
            {"'':0 -> 'b':0 [1]", {"column 1:", "name between the quotes"}},
            {"'a' 0 -> 'b':0 [1]", {"column 5:", "\"0\" where \":\""}},
            {"'a':x -> 'b':0 [1]", {"column 5:", "\"x\"", "a pad's number from 0 to 65535"}},
            {"'a':65536 -> 'b':0 [1]", {"column 5:", "\"65536\"", "65535"}},
            {"'a':0 => 'b':0 [1]", {"column 7:", "\"=>\" where \"->\""}},
            {"'a':0 -> 'b':0", {"column 15:", "the end of the text where \"[\""}},
            {"'a':0 -> 'b':0 [2]", {"column 17:", "\"2\"", "1 (enabled) or 0"}},
            {"'a':0 -> 'b':0 [1", {"column 18:", "the end of the text where \"]\""}},
            {"'a':0 -> 'b':0 [1], 'b':1 -> 'c':0 [1]",
             {"column 19:", "\",\"", "one setting in each"}},
            {"'a':0 \t-> \x01 'b'", {"column 11:", "\"?\"", "in: 'a':0 ?-> ? 'b'"}},
        },
        parse_link);
}

TEST(MediaText, BadPadsSayWhereAndWhatIsExpected) {
    expect_refusals(
        {
            {"'a':0", {"column 6:", "the end of the text where \"[\""}},
            {"'a':0 [Y8_1X8/4x4]", {"column 8:", "\"Y8_1X8/4x4\"", "fmt:CODE/WIDTHxHEIGHT"}},
            {"'a':0 [fmt:GREY/4x4]", {"column 12:", "\"GREY/4x4\"", "--known-mbus-fmts"}},
            {"'a':0 [fmt:Y8_1X8 4x4]", {"column 18:", "where \"/\""}},
            {"'a':0 [fmt:Y8_1X8/0x4]", {"column 19:", "a width from 1 to 65535"}},
            {"'a':0 [fmt:Y8_1X8/4,4]", {"column 20:", "\",4\" where \"x\""}},
            {"'a':0 [fmt:Y8_1X8/4x65536]", {"column 21:", "\"65536\"", "a height from 1 to 65535"}},
            {"'a':0 [fmt:Y8_1X8/4x4294967297]", {"column 21:", "\"4294967297\""}},
            {"'a':0 [fmt:Y8_1X8/4x4 field:odd]", {"column 29:", "\"odd\"", "none, top, bottom"}},
            {"'a':0 [fmt:Y8_1X8/4x4@0/30]", {"column 23:", "a numerator from 1"}},
            {"'a':0 [fmt:Y8_1X8/4x4@1]", {"column 24:", "where \"/\""}},
            {"'a':0 [fmt:Y8_1X8/4x4 crop:(0,0)/4x4]",
             {"column 23:", "\"crop:(0,0)/4x4\"", "field:NAME"}},
            {"'a':0 [fmt:Y8_1X8/4x4] x", {"column 24:", "\"x\"", "one setting in each"}},
        },
        parse_pad);
}
