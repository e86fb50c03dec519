// Headers of picture files, good ones and any other bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/expect.hpp"
#include "zero_copy/picture_file.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

std::string y4m_error(std::string_view text) {
    return text_thrown<PictureFileError>([&] { (void)parse_y4m(text); });
}

std::string pgm_error(std::string_view text) {
    return text_thrown<PictureFileError>([&] { (void)parse_pgm(text); });
}

void check_refused(const std::string& error, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(error, parts).c_str());
}

bool consistent(const PictureHeader& header) {
    const FrameLayout& layout = header.layout;
    uint64_t end = 0;
    for (uint32_t i = 0; i < layout.plane_count; ++i) {
        const PlaneLayout& plane = layout.planes[i];
        if (plane.offset_bytes != end || plane.row_bytes > plane.stride_bytes) return false;
        end += uint64_t{plane.stride_bytes} * plane.rows;
    }
    return layout.width >= 1 && layout.width <= max_dimension && layout.height >= 1 &&
           layout.height <= max_dimension && layout.size_bytes == end && end >= 1 &&
           end < max_frame_bytes && layout.bit_depth >= 8 && layout.bit_depth <= 16 &&
           header.header_bytes >= 1 && header.header_bytes <= max_header_bytes &&
           header.rate >= 0 && header.rate <= 1e9;
}

/// xorshift64: the same sequence everywhere.
struct Random {
    uint64_t state = 0x9e3779b97f4a7c15;
    uint32_t below(size_t limit) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<uint32_t>(state >> 20) % static_cast<uint32_t>(limit);
    }
};

std::string mutated(std::string text, Random& random) {
    static constexpr std::string_view interesting = "0123456789 \n\t#:-WHFCXIAP5\0\xff";
    for (uint32_t changes = 1 + random.below(4); changes > 0; --changes) {
        const size_t at = text.empty() ? 0 : random.below(text.size());
        const char with = random.below(4) == 0 ? static_cast<char>(random.below(256))
                                               : interesting[random.below(interesting.size())];
        switch (random.below(4)) {
            case 0:
                text.insert(at, 1, with);
                break;
            case 1:
                text.erase(at, 1 + random.below(3));
                break;
            case 2:
                text.resize(at);
                break;
            default:
                if (!text.empty()) text[at] = with;
        }
    }
    return text;
}

}  // namespace

TEST_GROUP(PictureFile){};

TEST(PictureFile, EveryColourSpaceOfY4mHasItsFormatAndRange) {
    struct Row {
        const char* name;
        PixelFormat format;
        Range range;
    };
    const Row rows[] = {{" C420", PixelFormat::yuv420, Range::limited},
                        {" C420jpeg", PixelFormat::yuv420, Range::full},
                        {" C420mpeg2", PixelFormat::yuv420, Range::limited},
                        {" C420paldv", PixelFormat::yuv420, Range::limited},
                        {" C422", PixelFormat::yuv422, Range::limited},
                        {" C444", PixelFormat::yuv444, Range::limited},
                        {" Cmono", PixelFormat::grey, Range::limited},
                        {"", PixelFormat::yuv420, Range::limited}};
    for (const Row& row : rows) {
        const std::string text = std::string("YUV4MPEG2 W641 H481 F30:1 Ip A1:1") + row.name + "\n";
        const PictureHeader header = parse_y4m(text + "FRAME\n");
        CHECK_TRUE(header.layout.format == row.format);
        CHECK_TRUE(header.layout.range == row.range);
        LONGS_EQUAL(641, header.layout.width);
        LONGS_EQUAL(481, header.layout.height);
        LONGS_EQUAL(text.size(), header.header_bytes);
        CHECK_TRUE(header.frame_headers);
        CHECK_TRUE(consistent(header));
    }
}

TEST(PictureFile, ColorrangeOverridesWhatTheColourSpaceImplies) {
    CHECK_TRUE(parse_y4m("YUV4MPEG2 W2 H2 C420 XCOLORRANGE=FULL\n").layout.range == Range::full);
    CHECK_TRUE(parse_y4m("YUV4MPEG2 W2 H2 XCOLORRANGE=LIMITED C420jpeg\n").layout.range ==
               Range::limited);
    CHECK_TRUE(parse_y4m("YUV4MPEG2 W2 H2 C420jpeg XYSCSS=420JPEG\n").layout.range == Range::full);
}

TEST(PictureFile, RateIsAFractionAndZeroWhenUnknown) {
    DOUBLES_EQUAL(29.97, parse_y4m("YUV4MPEG2 W2 H2 F30000:1001\n").rate, 0.001);
    DOUBLES_EQUAL(25, parse_y4m("YUV4MPEG2 W2 H2 F25:1\n").rate, 0);
    DOUBLES_EQUAL(0, parse_y4m("YUV4MPEG2 W2 H2 F0:0\n").rate, 0);
    DOUBLES_EQUAL(0, parse_y4m("YUV4MPEG2 W2 H2 F30:0\n").rate, 0);
    DOUBLES_EQUAL(0, parse_y4m("YUV4MPEG2 W2 H2\n").rate, 0);
}

TEST(PictureFile, BadY4mIsRefusedNamingTheParameterAndItsValue) {
    check_refused(y4m_error(""), {"no complete"});
    check_refused(y4m_error("YUV4MPEG2 W2 H2"), {"no complete"});
    check_refused(y4m_error("yuv4mpeg2 W2 H2\n"), {"no complete"});
    check_refused(y4m_error("YUV4MPEG2\n"), {"no W or no H"});
    check_refused(y4m_error("YUV4MPEG2 W2\n"), {"no W or no H"});
    check_refused(y4m_error("YUV4MPEG2 H2\n"), {"no W or no H"});
    check_refused(y4m_error("YUV4MPEG2 W0 H2\n"), {"width", "\"0\"", "1 to 65535"});
    check_refused(y4m_error("YUV4MPEG2 W-3 H2\n"), {"width", "\"-3\""});
    check_refused(y4m_error("YUV4MPEG2 W+3 H2\n"), {"width", "\"+3\""});
    check_refused(y4m_error("YUV4MPEG2 W H2\n"), {"width", "\"\""});
    check_refused(y4m_error("YUV4MPEG2 W2 H65536\n"), {"height", "\"65536\"", "65535"});
    check_refused(y4m_error("YUV4MPEG2 W2 H99999999999999999999\n"),
                  {"height", "99999999999999999999"});
    check_refused(y4m_error("YUV4MPEG2 W2x H2\n"), {"width", "\"2x\""});
    check_refused(y4m_error("YUV4MPEG2 W2 H2 C420p10\n"),
                  {"colour space", "\"420p10\"", "420jpeg", "mono"});
    check_refused(y4m_error("YUV4MPEG2 W2 H2 C411\n"), {"colour space", "\"411\""});
    check_refused(y4m_error("YUV4MPEG2 W2 H2 F30\n"), {"frame rate", "\"30\"", "NUM:DEN"});
    check_refused(y4m_error("YUV4MPEG2 W2 H2 F-1:1\n"), {"numerator", "\"-1\""});
    check_refused(y4m_error("YUV4MPEG2 W2 H2 F1:x\n"), {"denominator", "\"x\""});
    check_refused(y4m_error("YUV4MPEG2 W65535 H65535 C444\n"), {"65535x65535", "2147483648"});
}

TEST(PictureFile, AnEndlessHeaderIsRefused) {
    const std::string blanks(max_header_bytes, ' ');
    check_refused(y4m_error("YUV4MPEG2 W2 H2" + blanks + "\n"), {"no complete"});
    CHECK_FALSE(pgm_error("P5 2 2" + blanks + "255\n").empty());
    check_refused(pgm_error("P5 2 2 #" + blanks + "\n255\n"), {"maximum value"});
}

TEST(PictureFile, TextFromAFileIsMadePrintableAndShort) {
    const std::string error =
        y4m_error("YUV4MPEG2 W\x01\x7f\xff" + std::string(100, '9') + " H2\n");
    check_refused(error, {"???999", "...\""});
    CHECK_TRUE(error.size() < 120);
}

TEST(PictureFile, PgmWithCommentsAnywhere) {
    const std::string text = "P5 # made by hand\n#\n#W 9\n 641# wide\r\n\t481\n# last\n255\n";
    const PictureHeader header = parse_pgm(text + "\n\n");
    LONGS_EQUAL(641, header.layout.width);
    LONGS_EQUAL(481, header.layout.height);
    LONGS_EQUAL(text.size(), header.header_bytes);
    CHECK_FALSE(header.frame_headers);
    CHECK_TRUE(header.layout.range == Range::full);
}

TEST(PictureFile, BitDepthOfPgmFollowsItsMaximum) {
    struct Row {
        const char* maximum;
        PixelFormat format;
        uint32_t bits;
    };
    const Row rows[] = {{"1", PixelFormat::grey, 8},       {"255", PixelFormat::grey, 8},
                        {"256", PixelFormat::y16_be, 9},   {"511", PixelFormat::y16_be, 9},
                        {"512", PixelFormat::y16_be, 10},  {"1023", PixelFormat::y16_be, 10},
                        {"4095", PixelFormat::y16_be, 12}, {"32768", PixelFormat::y16_be, 16},
                        {"65535", PixelFormat::y16_be, 16}};
    for (const Row& row : rows) {
        const PictureHeader header = parse_pgm(std::string("P5 3 2 ") + row.maximum + "\n");
        CHECK_TRUE(header.layout.format == row.format);
        LONGS_EQUAL(row.bits, header.layout.bit_depth);
        LONGS_EQUAL(row.format == PixelFormat::grey ? 6 : 12, header.layout.size_bytes);
    }
}

TEST(PictureFile, BadPgmIsRefused) {
    check_refused(pgm_error(""), {"no binary PGM"});
    check_refused(pgm_error("P2 2 2 255\n"), {"no binary PGM"});
    check_refused(pgm_error("P55 2 2 255\n"), {"no binary PGM"});
    check_refused(pgm_error("P5"), {"width", "\"\""});
    check_refused(pgm_error("P5 2"), {"height", "\"\""});
    check_refused(pgm_error("P5 2 2"), {"maximum value", "\"\""});
    check_refused(pgm_error("P5 2 2 255"), {"white space"});
    check_refused(pgm_error("P5 2 2 255#\n"), {"white space"});
    check_refused(pgm_error("P5 0 2 255\n"), {"width", "\"0\"", "65535"});
    check_refused(pgm_error("P5 2 -2 255\n"), {"height", "\"-2\""});
    check_refused(pgm_error("P5 2 2 0\n"), {"maximum value", "\"0\""});
    check_refused(pgm_error("P5 2 2 65536\n"), {"maximum value", "\"65536\"", "1 to 65535"});
    check_refused(pgm_error("P5 4294967298 2 255\n"), {"width", "\"4294967298\""});
    check_refused(pgm_error("P5 65535 65535 255\n"), {"65535x65535", "2147483648"});
}

TEST(PictureFile, FrameLinesHaveTheirLength) {
    LONGS_EQUAL(6, y4m_frame_header_bytes("FRAME\nabc"));
    LONGS_EQUAL(9, y4m_frame_header_bytes("FRAME Ip\n"));
    LONGS_EQUAL(0, y4m_frame_header_bytes("FRAME"));
    LONGS_EQUAL(0, y4m_frame_header_bytes("FRAM\n"));
    LONGS_EQUAL(0, y4m_frame_header_bytes("\nFRAME\n"));
    LONGS_EQUAL(0, y4m_frame_header_bytes("FRAMES\n"));
    LONGS_EQUAL(0, y4m_frame_header_bytes(""));
}

TEST(PictureFile, AnyBytesAreRefusedOrMakeAConsistentLayout) {
    const std::vector<std::string> seeds{
        "YUV4MPEG2 W640 H480 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=FULL\nFRAME\n",
        "YUV4MPEG2 W65535 H32000 F30000:1001 Cmono\nFRAME Ixyz\n",
        "P5\n# a comment\n640 480\n65535\n",
        "P5 1 1 255 ",
    };
    Random random;
    uint32_t refused = 0;
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < 20'000; ++i) {
        const std::string text = mutated(seeds[i % seeds.size()], random);
        for (const bool as_y4m : {true, false}) {
            try {
                const PictureHeader header = as_y4m ? parse_y4m(text) : parse_pgm(text);
                CHECK_TRUE_TEXT(consistent(header), text.c_str());
                CHECK_TRUE_TEXT(header.header_bytes <= text.size(), text.c_str());
                ++accepted;
            } catch (const PictureFileError&) {
                ++refused;
            }
        }
        CHECK_TRUE(y4m_frame_header_bytes(text) <= text.size());
    }
    CHECK_TRUE(accepted > 1000);
    CHECK_TRUE(refused > 1000);
}

TEST(PictureFile, NoiseIsRefused) {
    Random random;
    for (uint32_t i = 0; i < 500; ++i) {
        std::string noise(random.below(300), '\0');
        for (char& c : noise) c = static_cast<char>(random.below(256));
        check_refused(y4m_error(noise), {"no complete"});
        check_refused(pgm_error(noise), {"no binary PGM"});
        CHECK_FALSE(pgm_error("P5 " + noise).empty());
    }
}
