// Where the samples of a frame lie.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/unit/expect.hpp"
#include "zero_copy/formats.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

struct Size {
    uint32_t width, height;
};
constexpr Size odd_sizes[] = {{1, 1}, {3, 3}, {2, 5}, {641, 481}};

struct ExpectedPlane {
    uint32_t offset, stride, row, rows;
};

void check_planes(const FrameLayout& layout, std::initializer_list<ExpectedPlane> expected) {
    LONGS_EQUAL(expected.size(), layout.plane_count);
    const PlaneLayout* plane = layout.planes.data();
    for (const ExpectedPlane& wanted : expected) {
        LONGS_EQUAL(wanted.offset, plane->offset_bytes);
        LONGS_EQUAL(wanted.stride, plane->stride_bytes);
        LONGS_EQUAL(wanted.row, plane->row_bytes);
        LONGS_EQUAL(wanted.rows, plane->rows);
        ++plane;
    }
}

std::string layout_error(PixelFormat format, uint32_t width, uint32_t height, uint32_t stride = 0) {
    return text_thrown<LayoutError>([&] { (void)make_layout(format, width, height, stride); });
}

/// Planes follow one another, hold their rows, and the last one ends the frame.
void check_consistent(const FrameLayout& layout) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < layout.plane_count; ++i) {
        const PlaneLayout& plane = layout.planes[i];
        CHECK_TRUE(plane.offset_bytes >= end);
        CHECK_TRUE(plane.row_bytes >= 1 && plane.row_bytes <= plane.stride_bytes);
        CHECK_TRUE(plane.rows >= 1);
        end = uint64_t{plane.offset_bytes} + uint64_t{plane.stride_bytes} * plane.rows;
    }
    UNSIGNED_LONGS_EQUAL(end, layout.size_bytes);
}

}  // namespace

TEST_GROUP(Formats){};

TEST(Formats, PlanesNeverOverlapWhateverSizeAndPadding) {
    for (const FormatInfo& format : all_formats()) {
        for (const Size& size : odd_sizes) {
            const FrameLayout tight = make_layout(format.format, size.width, size.height);
            check_consistent(tight);
            LONGS_EQUAL(tight.planes[0].row_bytes, tight.planes[0].stride_bytes);
            for (uint32_t padding = 1; padding <= 17; ++padding) {
                const uint32_t stride = tight.planes[0].stride_bytes + padding;
                const FrameLayout padded =
                    make_layout(format.format, size.width, size.height, stride);
                check_consistent(padded);
                LONGS_EQUAL(stride, padded.planes[0].stride_bytes);
                LONGS_EQUAL(tight.planes[0].row_bytes, padded.planes[0].row_bytes);
            }
        }
    }
}

TEST(Formats, EverySampleOfEveryChannelLiesInItsRow) {
    for (const FormatInfo& format : all_formats()) {
        for (const Size& size : odd_sizes) {
            const PlaneLayout plane = make_layout(format.format, size.width, size.height).planes[0];
            for (uint32_t c = 0; c < format.channel_count; ++c) {
                const ChannelRule& channel = format.channels[c];
                const uint32_t packed = format.sample.packed_log2;
                // Of a packed row's last group the low bits are behind every sample.
                const int64_t low_bytes = packed == 0 ? 0 : (size.width - 1) / (1U << packed) + 1;
                const int64_t last =
                    channel.offset_bytes + int64_t{size.width - 1} * channel.step_bytes + low_bytes;
                CHECK_TRUE(last < plane.row_bytes);
                CHECK_TRUE(last + channel.low_bytes < plane.row_bytes);
                CHECK_TRUE(int64_t{channel.offset_bytes} + channel.low_bytes >= 0);
            }
        }
    }
}

TEST(Formats, OddSizesRoundChromaUp) {
    check_planes(make_layout(PixelFormat::nv12, 3, 3), {{0, 3, 3, 3}, {9, 4, 4, 2}});
    check_planes(make_layout(PixelFormat::nv21, 1, 1), {{0, 1, 1, 1}, {1, 2, 2, 1}});
    check_planes(make_layout(PixelFormat::yuv420, 641, 481),
                 {{0, 641, 641, 481}, {308321, 321, 321, 241}, {385682, 321, 321, 241}});
    check_planes(make_layout(PixelFormat::yuv422, 3, 3),
                 {{0, 3, 3, 3}, {9, 2, 2, 3}, {15, 2, 2, 3}});
    check_planes(make_layout(PixelFormat::yuv444, 3, 2),
                 {{0, 3, 3, 2}, {6, 3, 3, 2}, {12, 3, 3, 2}});
    check_planes(make_layout(PixelFormat::yuyv, 3, 3), {{0, 8, 8, 3}});
    check_planes(make_layout(PixelFormat::uyvy, 1, 1), {{0, 4, 4, 1}});
    check_planes(make_layout(PixelFormat::rgb24, 3, 3), {{0, 9, 9, 3}});
    check_planes(make_layout(PixelFormat::y16_be, 641, 2), {{0, 1282, 1282, 2}});
}

TEST(Formats, ChromaStridesScaleWithTheGivenStride) {
    check_planes(make_layout(PixelFormat::nv12, 641, 3, 704),
                 {{0, 704, 641, 3}, {2112, 704, 642, 2}});
    check_planes(make_layout(PixelFormat::yuv420, 3, 3, 8),
                 {{0, 8, 3, 3}, {24, 4, 2, 2}, {32, 4, 2, 2}});
    check_planes(make_layout(PixelFormat::yuv444, 3, 2, 8),
                 {{0, 8, 3, 2}, {16, 8, 3, 2}, {32, 8, 3, 2}});
}

TEST(Formats, BitDepthIsTheFormats) {
    LONGS_EQUAL(8, make_layout(PixelFormat::grey, 1, 1).bit_depth);
    LONGS_EQUAL(10, make_layout(PixelFormat::y10, 1, 1).bit_depth);
    LONGS_EQUAL(12, make_layout(PixelFormat::y12, 1, 1).bit_depth);
    LONGS_EQUAL(16, make_layout(PixelFormat::y16_be, 1, 1).bit_depth);
}

TEST(Formats, SizesOutsideTheLimitsAreRefusedWithTheNumbers) {
    for (const FormatInfo& format : all_formats()) {
        STRCMP_EQUAL("",
                     missing_in(layout_error(format.format, 0, 7), {"0x7", "65535x65535"}).c_str());
        STRCMP_EQUAL("",
                     missing_in(layout_error(format.format, 7, 0), {"7x0", "65535x65535"}).c_str());
        STRCMP_EQUAL(
            "", missing_in(layout_error(format.format, 65536, 1), {"65536x1", "65535"}).c_str());
        STRCMP_EQUAL(
            "", missing_in(layout_error(format.format, 1, 65536), {"1x65536", "65535"}).c_str());
        LONGS_EQUAL(65535, make_layout(format.format, 65535, 1).width);
        LONGS_EQUAL(65535, make_layout(format.format, 1, 65535).height);
    }
}

TEST(Formats, FramesOfTwoGibibytesAreRefusedWithTheNumbers) {
    UNSIGNED_LONGS_EQUAL(2147450880, make_layout(PixelFormat::grey, 65535, 32768).size_bytes);
    UNSIGNED_LONGS_EQUAL(2147450880, make_layout(PixelFormat::grey, 32768, 65535).size_bytes);
    STRCMP_EQUAL("", missing_in(layout_error(PixelFormat::grey, 65535, 32769),
                                {"65535x32769", "2147516415", "2147483648", "GREY"})
                         .c_str());
    // Exactly the limit is too much; with the stride alone as the reason.
    STRCMP_EQUAL("", missing_in(layout_error(PixelFormat::grey, 1, 32768, 65536),
                                {"1x32768", "65536", "2147483648"})
                         .c_str());
    CHECK_TRUE(make_layout(PixelFormat::grey, 1, 32767, 65536).size_bytes < max_frame_bytes);
    STRCMP_EQUAL("",
                 missing_in(layout_error(PixelFormat::nv12, 65535, 32000), {"2147483648"}).c_str());
    STRCMP_EQUAL("", missing_in(layout_error(PixelFormat::grey, 1, 65535, 0xffffffff),
                                {"4294967295", "2147483648"})
                         .c_str());
}

TEST(Formats, StrideBelowARowIsRefusedWithTheNumbers) {
    STRCMP_EQUAL(
        "", missing_in(layout_error(PixelFormat::rgb24, 10, 10, 29), {"29", "30", "RGB3"}).c_str());
    LONGS_EQUAL(30, make_layout(PixelFormat::rgb24, 10, 10, 30).planes[0].stride_bytes);
}

TEST(Formats, FourccGoesThereAndBack) {
    for (const FormatInfo& format : all_formats()) {
        const auto found = format_from_fourcc(format.fourcc);
        CHECK_TRUE(found.has_value());
        CHECK_TRUE(*found == format.format);
        CHECK_TRUE(&info(format.format) == &format);
    }
}

TEST(Formats, TheBlankOfAThreeLetterFourccNeedNotBeTyped) {
    CHECK_TRUE(format_from_fourcc("Y16") == PixelFormat::y16);
    CHECK_TRUE(format_from_fourcc("Y16 ") == PixelFormat::y16);
    CHECK_TRUE(format_from_fourcc("Y10") == PixelFormat::y10);
    for (const char* wrong : {"", "Y", "y16", "Y16  ", "NV1", "XXXX", "GREY "}) {
        CHECK_FALSE(format_from_fourcc(wrong).has_value());
    }
}

TEST(Formats, FourccsAndChannelNamesEndInANull) {
    for (const FormatInfo& format : all_formats()) {
        LONGS_EQUAL(format.fourcc.size(), std::strlen(format.fourcc.data()));
        for (uint32_t c = 0; c < format.channel_count; ++c) {
            const std::string_view name = format.channels[c].name;
            LONGS_EQUAL(name.size(), std::strlen(name.data()));
        }
    }
}

TEST(Formats, PreferredStrideIsTheNextMultipleOf64) {
    LONGS_EQUAL(64, preferred_stride(PixelFormat::grey, 1));
    LONGS_EQUAL(64, preferred_stride(PixelFormat::grey, 64));
    LONGS_EQUAL(128, preferred_stride(PixelFormat::grey, 65));
    LONGS_EQUAL(192, preferred_stride(PixelFormat::rgb24, 64));
    LONGS_EQUAL(1344, preferred_stride(PixelFormat::y12, 641));
}

TEST(Formats, AlignUpKeepsMultiples) {
    UNSIGNED_LONGS_EQUAL(0, align_up(0, 4096));
    UNSIGNED_LONGS_EQUAL(4096, align_up(1, 4096));
    UNSIGNED_LONGS_EQUAL(4096, align_up(4096, 4096));
    UNSIGNED_LONGS_EQUAL(8192, align_up(4097, 4096));
}
