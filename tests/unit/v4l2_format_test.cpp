// Which format is asked of a driver, and what is made of its answer: lies are refused with advice.
#include <linux/videodev2.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/capture_rig.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/v4l2_format.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes::v4l2;
using namespace glint::zero_copy;
using glint::test::any_size;
using glint::test::CaptureRig;
using glint::test::missing_in;
using glint::test::refusal;

namespace {

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

void expect_format(PixelFormat expected, PixelFormat actual) {
    STRCMP_EQUAL(std::string(info(expected).fourcc).c_str(),
                 std::string(info(actual).fourcc).c_str());
}

Format mjpeg() {
    return {V4L2_PIX_FMT_MJPEG, "Motion-JPEG", 0, 16};
}

std::string choice_refused(const std::vector<uint32_t>& offered,
                           std::optional<PixelFormat> wanted) {
    return refusal([&] { std::ignore = choose_format(offered, wanted); });
}

std::string layout_refused(const DriverFormat& given, std::optional<uint32_t> stride = {}) {
    return refusal([&] { std::ignore = layout_of(given, stride); });
}

}  // namespace

TEST_GROUP(V4l2Codes){};

TEST(V4l2Codes, EveryFormatHasOneButPlanar444) {
    for (const FormatInfo& format_info : all_formats()) {
        const auto code = v4l2_code(format_info.format);
        const std::string name(format_info.fourcc);
        LONGS_EQUAL_TEXT(format_info.format != PixelFormat::yuv444, code.has_value(), name.c_str());
        if (!code) continue;
        STRCMP_EQUAL(name.c_str(), code_text(*code).c_str());
        expect_format(format_info.format, format_from_v4l2(*code).value());
    }
}

TEST(V4l2Codes, AreTheKernels) {
    struct Pair {
        PixelFormat format;
        uint32_t code;
    };
    for (const auto& [format, code] : {
             Pair{PixelFormat::grey, V4L2_PIX_FMT_GREY},
             Pair{PixelFormat::y10, V4L2_PIX_FMT_Y10},
             Pair{PixelFormat::y12, V4L2_PIX_FMT_Y12},
             Pair{PixelFormat::y012, v4l2_fourcc('Y', '0', '1', '2')},
             Pair{PixelFormat::y16, V4L2_PIX_FMT_Y16},
             Pair{PixelFormat::y16_be, V4L2_PIX_FMT_Y16_BE},
             Pair{PixelFormat::y10p, V4L2_PIX_FMT_Y10P},
             Pair{PixelFormat::nv12, V4L2_PIX_FMT_NV12},
             Pair{PixelFormat::nv21, V4L2_PIX_FMT_NV21},
             Pair{PixelFormat::yuv420, V4L2_PIX_FMT_YUV420},
             Pair{PixelFormat::yuv422, V4L2_PIX_FMT_YUV422P},
             Pair{PixelFormat::yuyv, V4L2_PIX_FMT_YUYV},
             Pair{PixelFormat::uyvy, V4L2_PIX_FMT_UYVY},
             Pair{PixelFormat::rgb24, V4L2_PIX_FMT_RGB24},
             Pair{PixelFormat::bgr24, V4L2_PIX_FMT_BGR24},
             Pair{PixelFormat::rgba32, V4L2_PIX_FMT_RGBA32},
             Pair{PixelFormat::rgbx32, V4L2_PIX_FMT_RGBX32},
             Pair{PixelFormat::bgra32, V4L2_PIX_FMT_ABGR32},
             Pair{PixelFormat::bgrx32, V4L2_PIX_FMT_XBGR32},
             Pair{PixelFormat::bggr8, V4L2_PIX_FMT_SBGGR8},
             Pair{PixelFormat::rggb8, V4L2_PIX_FMT_SRGGB8},
             Pair{PixelFormat::grbg10, V4L2_PIX_FMT_SGRBG10},
             Pair{PixelFormat::rggb10p, V4L2_PIX_FMT_SRGGB10P},
             Pair{PixelFormat::grbg12, V4L2_PIX_FMT_SGRBG12},
             Pair{PixelFormat::gbrg12p, V4L2_PIX_FMT_SGBRG12P},
             Pair{PixelFormat::grbg14, V4L2_PIX_FMT_SGRBG14},
             Pair{PixelFormat::bggr16, V4L2_PIX_FMT_SBGGR16},
             Pair{PixelFormat::rggb16, V4L2_PIX_FMT_SRGGB16},
         }) {
        STRCMP_EQUAL(code_text(code).c_str(), code_text(v4l2_code(format).value()).c_str());
        CHECK_TRUE(v4l2_code(format) == code);
    }
    CHECK_FALSE(format_from_v4l2(V4L2_PIX_FMT_MJPEG).has_value());
}

TEST(V4l2Codes, TextsCanBeRead) {
    STRCMP_EQUAL("Y16 -BE", code_text(V4L2_PIX_FMT_Y16_BE).c_str());
    STRCMP_EQUAL("A?B?", code_text(v4l2_fourcc('A', 1, 'B', '\n')).c_str());
}

TEST_GROUP(V4l2Choice){};

TEST(V4l2Choice, TheCheapestToMeasureComesFirst) {
    std::vector<uint32_t> offered{V4L2_PIX_FMT_MJPEG, V4L2_PIX_FMT_SRGGB10, V4L2_PIX_FMT_RGB24,
                                  V4L2_PIX_FMT_YUYV,  V4L2_PIX_FMT_NV12,    V4L2_PIX_FMT_Y12,
                                  V4L2_PIX_FMT_Y10,   V4L2_PIX_FMT_GREY};
    for (const PixelFormat best :
         {PixelFormat::grey, PixelFormat::y10, PixelFormat::y12, PixelFormat::nv12,
          PixelFormat::yuyv, PixelFormat::rgb24, PixelFormat::rggb10}) {
        expect_format(best, choose_format(offered, std::nullopt));
        offered.pop_back();
    }
    expect_parts(choice_refused(offered, std::nullopt),
                 {"<format> ", "no uncompressed format", "\"MJPG\""});
}

TEST(V4l2Choice, EveryFormatThatHasACodeIsChosenWhenItIsAlone) {
    for (const FormatInfo& format_info : all_formats()) {
        const auto code = v4l2_code(format_info.format);
        if (!code) continue;
        const std::vector<uint32_t> offered{V4L2_PIX_FMT_MJPEG, *code};
        expect_format(format_info.format, choose_format(offered, std::nullopt));
    }
}

TEST(V4l2Choice, WhatIsWantedIsTakenOrRefusedWithWhatThereIs) {
    const std::vector<uint32_t> offered{V4L2_PIX_FMT_GREY, V4L2_PIX_FMT_UYVY};
    expect_format(PixelFormat::uyvy, choose_format(offered, PixelFormat::uyvy));
    expect_parts(choice_refused(offered, PixelFormat::nv12),
                 {"<format> ", "\"NV12\"", "\"GREY\", \"UYVY\""});
    expect_parts(choice_refused(offered, PixelFormat::yuv444), {"\"444P\""});
    expect_parts(choice_refused({}, PixelFormat::grey), {"offers nothing"});
}

TEST_GROUP(V4l2Layout) {
    /// As a good driver says it.
    DriverFormat full_hd{.code = V4L2_PIX_FMT_NV12,
                         .width = 1920,
                         .height = 1080,
                         .stride_bytes = 1920,
                         .size_bytes = 3110400};
};

TEST(V4l2Layout, IsTheDrivers) {
    full_hd.stride_bytes = 2048;
    full_hd.size_bytes = 2048 * 1080 * 3 / 2;
    const FrameLayout layout = layout_of(full_hd, std::nullopt);
    expect_format(PixelFormat::nv12, layout.format);
    LONGS_EQUAL(2048, layout.planes[1].stride_bytes);
    LONGS_EQUAL(2048 * 1080, layout.planes[1].offset_bytes);
    LONGS_EQUAL(1920, layout.planes[0].row_bytes);
}

TEST(V4l2Layout, NoStrideMeansNoPadding) {
    full_hd.stride_bytes = 0;
    LONGS_EQUAL(1920, layout_of(full_hd, std::nullopt).planes[0].stride_bytes);
}

TEST(V4l2Layout, AStrideBelowARowIsALie) {
    full_hd.stride_bytes = 1872;
    expect_parts(layout_refused(full_hd),
                 {"<format> ", "\"NV12\" 1920x1080 with 1872 bytes per line", "1920 bytes of a row",
                  "set stride_override"});
    LONGS_EQUAL(1920, layout_of(full_hd, 1920).planes[0].stride_bytes);
}

TEST(V4l2Layout, ABufferThatDoesNotHoldTheFrameIsALie) {
    full_hd.size_bytes = 3110399;
    expect_parts(layout_refused(full_hd),
                 {"<format> ", "has 3110400 bytes", "only 3110399", "set stride_override"});
    full_hd.size_bytes = 3110400;
    LONGS_EQUAL(3110400, layout_of(full_hd, std::nullopt).size_bytes);
    expect_parts(layout_refused(full_hd, 2048),
                 {"with 2048 bytes per line has 3317760", "only 3110400"});
}

TEST(V4l2Layout, SeveralMemoryPlanesAndStrangeFormatsAreRefused) {
    full_hd.memory_planes = 2;
    expect_parts(layout_refused(full_hd), {"<format> ", "\"NV12\" in 2 memory planes"});
    full_hd.memory_planes = 1;
    full_hd.code = V4L2_PIX_FMT_MJPEG;
    expect_parts(layout_refused(full_hd), {"<format> ", "\"MJPG\""});
}

TEST_GROUP(V4l2Negotiation){static FrameLayout negotiated(CaptureRig & rig){rig.open();
return rig.source->layout();
}
static std::string refused(CaptureRig& rig) {
    return refusal([&] { rig.open(); });
}
}
;

TEST(V4l2Negotiation, AsksForTheBestAndLeavesTheRest) {
    CaptureRig rig(vivid());
    const FrameLayout layout = negotiated(rig);
    expect_format(PixelFormat::grey, layout.format);
    LONGS_EQUAL(640, layout.width);
    LONGS_EQUAL(480, layout.height);
    DOUBLES_EQUAL(5, rig.source->rate(), 0);
    LONGS_EQUAL(0, rig.driver->times("S_PARM"));
}

TEST(V4l2Negotiation, ServesWhatIsConfiguredOnBothApis) {
    for (const Traits& traits : {vivid(), imx8_isi(), vendor_isi()}) {
        CaptureRig rig(traits);
        rig.request.format = PixelFormat::nv12;
        rig.request.width = 1280;
        rig.request.height = 720;
        const FrameLayout layout = negotiated(rig);
        expect_format(PixelFormat::nv12, layout.format);
        LONGS_EQUAL(1280, layout.width);
        LONGS_EQUAL(720, layout.height);
        LONGS_EQUAL(1, rig.driver->times("S_FMT NV12 1280x720"));
    }
}

TEST(V4l2Negotiation, StridesAreAskedForInWholeCacheLines) {
    CaptureRig rig(any_size(imx8_isi()));
    rig.request.width = 1000;
    rig.request.height = 10;
    LONGS_EQUAL(1024, negotiated(rig).planes[0].stride_bytes);
    CaptureRig other(any_size(vivid()));
    other.request = rig.request;
    LONGS_EQUAL(1024, negotiated(other).planes[0].stride_bytes);
    CaptureRig deaf(any_size(uvcvideo()));
    deaf.request = rig.request;
    LONGS_EQUAL(1000, negotiated(deaf).planes[0].stride_bytes);
}

TEST(V4l2Negotiation, AnotherSizeIsReportedNotWhatWasAsked) {
    CaptureRig rig(vivid());
    rig.request.width = 1900;
    rig.request.height = 1000;
    const FrameLayout layout = negotiated(rig);
    LONGS_EQUAL(1920, layout.width);
    LONGS_EQUAL(1080, layout.height);
}

TEST(V4l2Negotiation, ACompressingCameraIsRefusedWithItsList) {
    Traits traits = uvcvideo();
    traits.formats = {mjpeg()};
    CaptureRig rig(traits);
    expect_parts(refused(rig), {"<format> ", "uncompressed", "\"MJPG\""});
    LONGS_EQUAL(0, rig.driver->times("S_FMT"));
    STRCMP_EQUAL("", rig.remains().c_str());
}

TEST(V4l2Negotiation, WhatIsNotOfferedIsRefusedWithTheList) {
    CaptureRig rig(uvcvideo());
    rig.request.format = PixelFormat::nv12;
    expect_parts(refused(rig), {"<format> ", "\"NV12\"", "\"YUYV\", \"MJPG\", \"GREY\""});
}

TEST(V4l2Negotiation, ADriverThatSetsAnotherFormatIsNotBelieved) {
    CaptureRig rig(vivid());
    rig.alter([](unsigned long request, void* argument, const auto& driver) {
        const int result = driver();
        if (request == VIDIOC_S_FMT) {
            static_cast<v4l2_format*>(argument)->fmt.pix.pixelformat = V4L2_PIX_FMT_UYVY;
        }
        return result;
    });
    expect_parts(refused(rig), {"<format> ", "asked for \"GREY\"", "sends \"UYVY\"", "\"NV12\""});
}

TEST(V4l2Negotiation, TheLiarIsServedWithAStrideOverride) {
    Traits traits = any_size(uvcvideo());
    traits.wrong_bytesperline = 1872;
    CaptureRig rig(traits);
    rig.request.width = 1920;
    rig.request.height = 16;
    expect_parts(refused(rig), {"<format> ", "1872", "stride_override"});
    rig.request.stride_bytes = 1920;
    LONGS_EQUAL(1920, negotiated(rig).planes[0].stride_bytes);
    rig.allocate(Transport::mmap);
    rig.start();
    const auto captured = rig.frame();
    CHECK_TRUE(captured && !captured->corrupt);
    CHECK_TRUE(rig.shows(captured->slot, 0));
    rig.close();
}

TEST(V4l2Negotiation, SingleFieldsAreRefused) {
    uint32_t field = 0;
    CaptureRig rig(vivid());
    rig.alter([&field](unsigned long request, void* argument, const auto& driver) {
        const int result = driver();
        if (request == VIDIOC_S_FMT) static_cast<v4l2_format*>(argument)->fmt.pix.field = field;
        return result;
    });
    for (field = V4L2_FIELD_NONE; field <= V4L2_FIELD_INTERLACED_BT; ++field) {
        const bool single =
            field == V4L2_FIELD_TOP || field == V4L2_FIELD_BOTTOM || field == V4L2_FIELD_ALTERNATE;
        const std::string text = refused(rig);
        LONGS_EQUAL(single, text.starts_with("<format> the driver sends single fields"));
        rig.source.reset();
    }
}

TEST(V4l2Negotiation, QuantizationTellsTheRange) {
    struct Row {
        uint32_t quantization;
        uint32_t colorspace;
        PixelFormat format;
        Range range;
    };
    using enum PixelFormat;
    for (const auto& [quantization, colorspace, format, range] : {
             Row{V4L2_QUANTIZATION_DEFAULT, V4L2_COLORSPACE_SRGB, yuyv, Range::limited},
             Row{V4L2_QUANTIZATION_DEFAULT, V4L2_COLORSPACE_SRGB, nv12, Range::limited},
             Row{V4L2_QUANTIZATION_DEFAULT, V4L2_COLORSPACE_JPEG, yuyv, Range::full},
             Row{V4L2_QUANTIZATION_DEFAULT, V4L2_COLORSPACE_SRGB, grey, Range::full},
             Row{V4L2_QUANTIZATION_DEFAULT, V4L2_COLORSPACE_SRGB, rggb10, Range::full},
             Row{V4L2_QUANTIZATION_FULL_RANGE, V4L2_COLORSPACE_SRGB, yuyv, Range::full},
             Row{V4L2_QUANTIZATION_LIM_RANGE, V4L2_COLORSPACE_SRGB, grey, Range::limited},
         }) {
        Traits traits = vivid();
        traits.quantization = quantization;
        traits.colorspace = colorspace;
        CaptureRig rig(traits);
        rig.request.format = format;
        CHECK_TRUE(negotiated(rig).range == range);
        traits.mplane = true;
        CaptureRig multi_planar(traits);
        multi_planar.request.format = format;
        CHECK_TRUE(negotiated(multi_planar).range == range);
        multi_planar.request.range = range == Range::full ? Range::limited : Range::full;
        CHECK_TRUE(negotiated(multi_planar).range != range);
    }
}

TEST(V4l2Negotiation, TheRateIsSetAndReadBack) {
    CaptureRig rig(vivid());
    rig.request.rate = 14;
    rig.open();
    DOUBLES_EQUAL(15, rig.source->rate(), 0);
    LONGS_EQUAL(1, rig.driver->times("S_PARM 1000/14000"));
    rig.request.rate = 29.97;
    rig.open();
    DOUBLES_EQUAL(25, rig.source->rate(), 0);
    LONGS_EQUAL(1, rig.driver->times("S_PARM 1000/29970"));
    CaptureRig silent(imx7_media_csi());
    silent.request.rate = 30;
    silent.open();
    DOUBLES_EQUAL(0, silent.source->rate(), 0);
}

TEST(V4l2Negotiation, ABusyDriverIsBusyNotWrong) {
    CaptureRig rig(vivid());
    rig.driver->busy_elsewhere(true);
    expect_parts(refused(rig), {"<busy> ", "VIDIOC_S_FMT on /dev/video0", "busy"});
}

TEST(V4l2Negotiation, ACameraThatVanishesWhileItIsAskedIsAbsent) {
    for (const unsigned long request : {VIDIOC_ENUM_FMT, VIDIOC_G_FMT, VIDIOC_S_FMT}) {
        CaptureRig rig(vivid());
        rig.driver->fail_next(request, ENODEV);
        expect_parts(refused(rig), {"<absent> VIDIOC_", "_FMT on /dev/video0", "No such device"});
        STRCMP_EQUAL("", rig.remains().c_str());
    }
}
