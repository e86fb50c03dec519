// Media graphs: the set-up and its errors, and what EPIPE hides.
#include <linux/media-bus-format.h>
#include <linux/media.h>
#include <linux/videodev2.h>

#include <memory>
#include <string>
#include <tuple>

#include "tests/fakes/fake_machine.hpp"
#include "tests/fakes/media_graph.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/media_check.hpp"
#include "zero_copy/media_setup.hpp"
#include "zero_copy/source.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

void expect_equal(const std::string& expected, const std::string& actual) {
    STRCMP_EQUAL(expected.c_str(), actual.c_str());
}

}  // namespace

/// Both boards at once: /dev/media0 and /dev/media1.
TEST_BASE(Boards) {
    glint::fakes::FakeMachine machine;
    std::shared_ptr<glint::fakes::FakeMediaGraph> csi = glint::fakes::imx7_media_csi();
    std::shared_ptr<glint::fakes::FakeMediaGraph> isi = glint::fakes::imx8_isi();
    SourceError::Kind kind = SourceError::Kind::format;

    void setup() override {
        install(csi, machine, 0);
        install(isi, machine, 1);
    }
    static MediaSettings settings(std::initializer_list<std::string_view> links,
                                  std::initializer_list<std::string_view> pads) {
        MediaSettings result;
        for (const std::string_view link : links) result.links.push_back(parse_link(link));
        for (const std::string_view pad : pads) result.pads.push_back(parse_pad(pad));
        return result;
    }
    void set(std::string_view device, const MediaSettings& wanted) {
        MediaGraph graph = MediaGraph::open(machine, device);
        apply(graph, wanted);
    }
    std::string refusal(std::string_view device, const MediaSettings& wanted) {
        return text_thrown<SourceError>([&] {
            try {
                set(device, wanted);
            } catch (const SourceError& error) {
                kind = error.kind();
                throw;
            }
        });
    }
};

TEST_GROUP_BASE(MediaSetup,
                Boards){static void expect_log(glint::fakes::FakeMediaGraph & graph,
                                               std::initializer_list<std::string_view> lines){
    LONGS_EQUAL(lines.size(), graph.log.size());
size_t i = 0;
for (const std::string_view line : lines) expect_equal(std::string(line), graph.log[i++]);
graph.log.clear();
}
}
;

namespace {
constexpr std::string_view imx219_link = R"("imx219 1-0010":0 -> "csis-32e30000.mipi-csi":0 [1])";
constexpr std::string_view ov5640_link = R"("ov5640 1-003c":0 -> "csis-32e40000.csi":0 [1])";
}  // namespace

TEST(MediaSetup, LinksThenPadsInTheGivenOrder) {
    set("imx7-csi",
        settings({imx219_link}, {R"("csi":0 [fmt:SRGGB10_1X10/1920x1080 field:none])",
                                 R"("csis-32e30000.mipi-csi":0 [fmt:SRGGB10_1X10/1920x1080])"}));
    expect_log(*csi, {R"(link "imx219 1-0010":0 -> "csis-32e30000.mipi-csi":0 [1])",
                      R"(format "csi":0 fmt:SRGGB10_1X10/1920x1080 field:none)",
                      R"(format "csis-32e30000.mipi-csi":0 fmt:SRGGB10_1X10/1920x1080)"});
    LONGS_EQUAL(1920, csi->entity("csi").pads[1].format.width);
    LONGS_EQUAL(0, machine.open_count());
}

TEST(MediaSetup, ASourcePadsSettingIsHandedOnAsMediaCtlDoes) {
    set("mxc-isi", settings({ov5640_link},
                            {R"("ov5640 1-003c":0 [fmt:UYVY8_1X16/1280x720@1/15 field:none])"}));
    expect_log(*isi, {R"(link "ov5640 1-003c":0 -> "csis-32e40000.csi":0 [1])",
                      R"(format "ov5640 1-003c":0 fmt:UYVY8_1X16/1280x720 field:none)",
                      R"(interval "ov5640 1-003c":0 1/15)",
                      R"(format "csis-32e40000.csi":0 fmt:UYVY8_1X16/1280x720 field:none)",
                      R"(interval "csis-32e40000.csi":0 1/15 = 25)"});  // ENOTTY: as it may be
    LONGS_EQUAL(720, isi->entity("csis-32e40000.csi").pads[1].format.height);
}

TEST(MediaSetup, NothingIsHandedOnOverADisabledLinkOrToAVideoNode) {
    set("imx7-csi", settings({}, {R"("imx219 1-0010":0 [fmt:SRGGB8_1X8/640x480])",
                                  R"("csi":1 [fmt:UYVY8_2X8/640x480])"}));
    expect_log(*csi, {R"(format "imx219 1-0010":0 fmt:SRGGB8_1X8/640x480)",
                      R"(format "csi":1 fmt:UYVY8_2X8/640x480)"});
}

TEST(MediaSetup, ALinkThatIsAsAskedIsLeftAlone) {
    set("imx7-csi", settings({imx219_link, R"("csi":1 -> "csi capture":0 [1])"}, {}));
    set("imx7-csi", settings({imx219_link}, {}));
    LONGS_EQUAL(1, csi->log.size());
}

TEST(MediaSetup, ALinksOtherFlagsStay) {
    csi->link_to("csis-32e30000.mipi-csi").flags = MEDIA_LNK_FL_DYNAMIC;
    set("imx7-csi", settings({imx219_link}, {}));
    LONGS_EQUAL(MEDIA_LNK_FL_DYNAMIC | MEDIA_LNK_FL_ENABLED,
                csi->link_to("csis-32e30000.mipi-csi").flags);
    set("imx7-csi", settings({R"("imx219 1-0010":0 -> "csis-32e30000.mipi-csi":0 [0])"}, {}));
    LONGS_EQUAL(MEDIA_LNK_FL_DYNAMIC, csi->link_to("csis-32e30000.mipi-csi").flags);
}

TEST(MediaSetup, AnImmutableLinkCannotBeDisabled) {
    expect_parts(
        refusal("imx7-csi", settings({imx219_link, R"("csi":1 -> "csi capture":0 [0])"}, {})),
        {"/dev/media0", R"("csi":1 -> "csi capture":0)", "fixed as enabled", "immutable",
         "take it out"});
    expect_log(*csi, {});
}

TEST(MediaSetup, UnknownNamesAreRefusedBeforeAnythingIsSet) {
    expect_parts(refusal("imx7-csi", settings({imx219_link}, {"'csis':0 [fmt:Y8_1X8/64x48]"})),
                 {"no entity \"csis\"", R"("csi", "csi capture", "csis-32e30000.mipi-csi", )",
                  R"("imx219 1-0010")"});
    expect_parts(refusal("imx7-csi", settings({imx219_link}, {"'csi':2 [fmt:Y8_1X8/64x48]"})),
                 {"\"csi\" has no pad 2, only 2"});
    expect_parts(refusal("imx7-csi", settings({"'99':0 -> 'csi':0 [1]"}, {})),
                 {"no entity \"99\""});
    expect_parts(
        refusal("imx7-csi", settings({R"('imx219 1-0010':0 -> 'csi':0 [1])"}, {})),
        {R"(no link "imx219 1-0010":0 -> "csi":0)", R"(are: "imx219 1-0010":0 -> "csis-32e3)"});
    expect_log(*csi, {});
}

TEST(MediaSetup, WhatTheDriverMakesOfAFormatIsComparedAndNothingFollows) {
    const std::string later = R"("csis-32e30000.mipi-csi":0 [fmt:SRGGB8_1X8/640x480])";
    const auto after = [&](std::string_view first) {
        const std::string text = refusal("imx7-csi", settings({imx219_link}, {first, later}));
        LONGS_EQUAL(2, csi->log.size());
        csi->link_to("csis-32e30000.mipi-csi").flags = 0;
        csi->log.clear();
        return text;
    };
    expect_parts(after(R"("imx219 1-0010":0 [fmt:SRGGB10_1X10/1920x1000])"),
                 {R"(/dev/media0: "imx219 1-0010":0: asked for fmt:SRGGB10_1X10/1920x1000,)",
                  "made fmt:SRGGB10_1X10/1920x1080 field:none of it",
                  "v4l2-ctl -d /dev/v4l-subdev2 --list-subdev-framesizes pad=0,code=0x300f"});
    expect_parts(after(R"("csi":0 [fmt:YUYV8_1X16/640x480])"),
                 {"asked for fmt:YUYV8_1X16/640x480", "made fmt:UYVY8_2X8/640x480",
                  "v4l2-ctl -d /dev/v4l-subdev0 --list-subdev-mbus-codes 0"});
    expect_parts(after(R"("csi":0 [fmt:UYVY8_2X8/640x480 field:interlaced])"),
                 {"asked for fmt:UYVY8_2X8/640x480 field:interlaced", "640x480 field:none of it"});
    LONGS_EQUAL(MEDIA_BUS_FMT_UYVY8_1X16,
                csi->entity("csis-32e30000.mipi-csi").pads[0].format.code);
}

TEST(MediaSetup, ADriversAnswerIsNotTrustedButReadBack) {
    csi->entity("imx219 1-0010").answers_as_asked = true;
    expect_parts(refusal("imx7-csi", settings({}, {R"("imx219 1-0010":0 [fmt:Y8_1X8/640x480])"})),
                 {"asked for fmt:Y8_1X8/640x480", "made fmt:SRGGB10_1X10/640x480"});
}

TEST(MediaSetup, AnIntervalIsComparedAsAFraction) {
    const std::string format = R"("ov5640 1-003c":0 [fmt:UYVY8_1X16/640x480@)";
    set("mxc-isi", settings({}, {format + "2/30]"}));
    LONGS_EQUAL(15, isi->entity("ov5640 1-003c").intervals[0].denominator);
    expect_parts(refusal("mxc-isi", settings({}, {format + "1/25]"})),
                 {R"("ov5640 1-003c":0: asked for @1/25, the driver made @1/30 of it)",
                  "--list-subdev-frameintervals pad=0,width=640,height=480,code=0x200f"});
    expect_parts(
        refusal("imx7-csi", settings({}, {R"("imx219 1-0010":0 [fmt:SRGGB8_1X8/640x480@1/30])"})),
        {R"("imx219 1-0010":0: cannot set the interval 1/30: Inappropriate ioctl)"});
}

TEST(MediaSetup, ARunningStreamIsNamedAsTheReason) {
    csi->streaming = true;
    expect_parts(refusal("imx7-csi", settings({imx219_link}, {})),
                 {"cannot enable the link", imx219_link.substr(0, 20), "a stream is running"});
    CHECK_TRUE(kind == SourceError::Kind::busy);
    kind = SourceError::Kind::format;
    expect_parts(refusal("imx7-csi", settings({}, {"'csi':0 [fmt:Y8_1X8/64x48]"})),
                 {"\"csi\":0: cannot set fmt:Y8_1X8/64x48", "a stream is running"});
    CHECK_TRUE(kind == SourceError::Kind::busy);
}

TEST(MediaSetup, ASinkPadThatIsTakenNamesTheOtherLink) {
    isi->entities.push_back(isi->entity("ov5640 1-003c"));
    isi->entities.back().name = "ov5640 2-003c";
    isi->links.push_back({"ov5640 2-003c", 0, "csis-32e40000.csi", 0, MEDIA_LNK_FL_ENABLED});
    install(isi, machine, 1);
    expect_parts(refusal("mxc-isi", settings({ov5640_link}, {})),
                 {R"("csis-32e40000.csi":0 is taken)",
                  R"(disable "ov5640 2-003c":0 -> "csis-32e40000.csi":0 [0] first)"});
    CHECK_TRUE(kind == SourceError::Kind::busy);
    isi->log.clear();
    set("mxc-isi",
        settings({R"("ov5640 2-003c":0 -> "csis-32e40000.csi":0 [0])", ov5640_link}, {}));
    LONGS_EQUAL(2, isi->log.size());
}

TEST(MediaSetup, ASubdeviceWithoutANodeIsNamed) {
    csi->entity("csi").node = {};
    expect_parts(refusal("imx7-csi", settings({}, {"'csi':0 [fmt:Y8_1X8/64x48]"})),
                 {"\"csi\" has no device node", "CONFIG_VIDEO_V4L2_SUBDEV_API"});
    CHECK_TRUE(kind == SourceError::Kind::absent);
    machine.remove("/dev/v4l-subdev2");
    expect_parts(refusal("imx7-csi", settings({}, {"'imx219 1-0010':0 [fmt:Y8_1X8/64x48]"})),
                 {"cannot open /dev/v4l-subdev2 of \"imx219 1-0010\"", "No such file"});
}

TEST_GROUP_BASE(MediaCheck, Boards) {
    static constexpr NodeFormat raw_vga{V4L2_PIX_FMT_SRGGB10, 640, 480};
    static constexpr NodeFormat nv12_hd{V4L2_PIX_FMT_NV12, 1280, 720};

    std::string found(std::string_view device, const std::string& node, const NodeFormat& format) {
        return disagreement(MediaGraph::open(machine, device), node, format);
    }
    /// All pads of `name`.
    static void carry(glint::fakes::FakeMediaEntity & entity, uint32_t code, uint32_t width,
                      uint32_t height) {
        for (auto& pad : entity.pads) pad.format = {code, width, height, V4L2_FIELD_NONE};
    }
    void agree() {
        for (auto& entity : csi->entities) carry(entity, MEDIA_BUS_FMT_SRGGB10_1X10, 640, 480);
        csi->link_to("csis-32e30000.mipi-csi").flags = MEDIA_LNK_FL_ENABLED;
        for (auto& entity : isi->entities) carry(entity, MEDIA_BUS_FMT_UYVY8_1X16, 1280, 720);
        isi->link_to("csis-32e40000.csi").flags = MEDIA_LNK_FL_ENABLED;
    }
};

TEST(MediaCheck, NothingIsFoundWhereAllFits) {
    agree();
    expect_equal("", found("imx7-csi", "/dev/video0", raw_vga));
    expect_equal("", found("imx7-csi", "csi capture", raw_vga));
    expect_equal("", found("mxc-isi", "/dev/video10", nv12_hd));
}

TEST(MediaCheck, TheCommandForAWrongFormatMendsIt) {
    agree();
    carry(csi->entity("csi"), MEDIA_BUS_FMT_UYVY8_2X8, 640, 480);
    expect_equal(R"("csis-32e30000.mipi-csi":1 gives fmt:SRGGB10_1X10/640x480 field:none, but )"
                 R"("csi":0 takes fmt:UYVY8_2X8/640x480 field:none; set the latter: )"
                 R"(media-ctl -d /dev/media0 -V '"csi":0 [fmt:SRGGB10_1X10/640x480 field:none]')",
                 found("imx7-csi", "/dev/video0", raw_vga));
    set("imx7-csi", settings({}, {R"("csi":0 [fmt:SRGGB10_1X10/640x480 field:none])"}));
    expect_equal("", found("imx7-csi", "/dev/video0", raw_vga));
}

TEST(MediaCheck, TheCommandIsForThePadThatCanFollow) {
    agree();
    auto& sensor = csi->entity("imx219 1-0010");
    sensor.sizes = {{640, 480}};
    sensor.pads[0].codes.push_back(MEDIA_BUS_FMT_SBGGR12_1X12);
    sensor.pads[0].format.code = MEDIA_BUS_FMT_SBGGR12_1X12;  // which the receiver does not take
    expect_parts(found("imx7-csi", "/dev/video0", raw_vga),
                 {"set the former: media-ctl -d /dev/media0 -V "
                  R"('"imx219 1-0010":0 [fmt:SRGGB10_1X10/640x480 field:none]')"});
    sensor.pads[0].codes = {MEDIA_BUS_FMT_SBGGR12_1X12};
    expect_parts(found("imx7-csi", "/dev/video0", raw_vga), {"neither takes the other's format"});
    LONGS_EQUAL(0, csi->log.size());
    LONGS_EQUAL(MEDIA_BUS_FMT_SBGGR12_1X12, sensor.pads[0].format.code);
}

TEST(MediaCheck, WidthHeightAndFieldCountToo) {
    agree();
    for (const BusFormat& wrong :
         {BusFormat{MEDIA_BUS_FMT_UYVY8_1X16, 1920, 720, V4L2_FIELD_NONE},
          BusFormat{MEDIA_BUS_FMT_UYVY8_1X16, 1280, 480, V4L2_FIELD_NONE},
          BusFormat{MEDIA_BUS_FMT_UYVY8_1X16, 1280, 720, V4L2_FIELD_TOP}}) {
        isi->entity("crossbar").pads[0].format = wrong;
        expect_parts(found("mxc-isi", "/dev/video10", nv12_hd),
                     {R"("csis-32e40000.csi":1 gives)", R"("crossbar":0 takes )" + text_of(wrong)});
    }
    // A sink pad without fields takes what comes, in the kernel's own check.
    isi->entity("crossbar").pads[0].format.field = V4L2_FIELD_NONE;
    isi->entity("csis-32e40000.csi").pads[1].format.field = V4L2_FIELD_TOP;
    expect_equal("", found("mxc-isi", "/dev/video10", nv12_hd));
}

TEST(MediaCheck, OfSeveralTheOneNearestToTheSensorComesFirst) {
    agree();
    carry(csi->entity("csi"), MEDIA_BUS_FMT_Y8_1X8, 320, 240);
    csi->entity("imx219 1-0010").pads[0].format.width = 3280;
    expect_parts(found("imx7-csi", "/dev/video0", raw_vga),
                 {R"("imx219 1-0010":0 gives fmt:SRGGB10_1X10/3280x480)",
                  R"(-V '"csis-32e30000.mipi-csi":0 [fmt:SRGGB10_1X10/3280x480 field:none]')"});
}

TEST(MediaCheck, AMissingLinkComesWithTheCommandThatEnablesIt) {
    agree();
    csi->link_to("csis-32e30000.mipi-csi").flags = 0;
    expect_parts(found("imx7-csi", "/dev/video0", raw_vga),
                 {R"(no enabled link leads to "csis-32e30000.mipi-csi")",
                  R"(media-ctl -d /dev/media0 -l '"imx219 1-0010":0 -> )"
                  R"("csis-32e30000.mipi-csi":0 [1]')"});
    isi->link_to("csis-32e40000.csi").flags = 0;
    expect_parts(found("mxc-isi", "/dev/video10", nv12_hd),
                 {R"(-l '"ov5640 1-003c":0 -> "csis-32e40000.csi":0 [1]')"});
}

TEST(MediaCheck, ASensorThatHasNotJoinedIsMissed) {
    agree();
    csi->links.pop_back();
    expect_parts(found("imx7-csi", "/dev/video0", raw_vga),
                 {R"(nothing can be linked to "csis-32e30000.mipi-csi")", "/dev/media0", "dmesg"});
}

TEST(MediaCheck, AnotherSizeOfTheVideoNodeIsSaid) {
    agree();
    expect_equal(R"("mxc_isi.0":1 gives fmt:UYVY8_1X16/1280x720 field:none, but /dev/video10 is )"
                 R"(set to NV12 1920x1080; ask the camera for 1280x720, or set the pads to )"
                 R"(1920x1080)",
                 found("mxc-isi", "/dev/video10", {V4L2_PIX_FMT_NV12, 1920, 1080}));
}

TEST(MediaCheck, ADecodersInputsFromOutsideNeedNoLink) {
    agree();
    csi->entity("imx219 1-0010").pads.push_back({.flags = MEDIA_PAD_FL_SINK});
    expect_equal("", found("imx7-csi", "/dev/video0", raw_vga));
}

TEST(MediaCheck, ANodeThatIsNoPartOfTheGraphIsSaid) {
    expect_equal("/dev/video10 is no part of /dev/media0",
                 found("imx7-csi", "/dev/video10", nv12_hd));
}

TEST(MediaCheck, ASubdeviceThatCannotBeAskedIsSaid) {
    agree();
    machine.remove("/dev/v4l-subdev0");
    expect_parts(found("imx7-csi", "/dev/video0", raw_vga), {"cannot open /dev/v4l-subdev0"});
    csi->entity("csi").node = {};
    expect_equal("", found("imx7-csi", "/dev/video0", raw_vga));
}
