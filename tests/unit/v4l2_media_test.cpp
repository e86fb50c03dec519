// A capture node at the end of a media graph: set up before it is opened, its sensor's controls and
// exposure, and what EPIPE is made of.
#include <linux/media.h>
#include <linux/v4l2-subdev.h>
#include <linux/videodev2.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/fakes/media_graph.hpp"
#include "tests/unit/capture_rig.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/media_sensor.hpp"
#include "zero_copy/v4l2_controls.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::zero_copy;
using glint::test::CaptureRig;
using glint::test::missing_in;
using glint::test::refusal;

namespace {

constexpr const char* sensor_name = "imx219 1-0010";
constexpr const char* sensor_path = "/dev/v4l-subdev2";
constexpr const char* receiver = "csis-32e30000.mipi-csi";
constexpr const char* sensor_link = R"("imx219 1-0010":0 -> "csis-32e30000.mipi-csi":0 [1])";

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

/// A sensor's node: formats of the graph, controls and events of a scripted driver.
class SensorNode final : public FakeNode {
  public:
    SensorNode(std::shared_ptr<FakeMediaGraph> graph, std::shared_ptr<v4l2::Driver> controls)
        : graph_(std::move(graph)), controls_(std::move(controls)) {}
    int opened_with(int fd, int flags) override { return controls_->opened_with(fd, flags); }
    void closed(int fd) override { controls_->closed(fd); }
    int ioctl(int fd, unsigned long request, void* argument) override {
        const bool format = request == VIDIOC_SUBDEV_G_FMT || request == VIDIOC_SUBDEV_S_FMT;
        return format ? graph_->subdevice_ioctl(graph_->entity(sensor_name), request, argument)
                      : controls_->ioctl(fd, request, argument);
    }

  private:
    std::shared_ptr<FakeMediaGraph> graph_;
    std::shared_ptr<v4l2::Driver> controls_;
};

}  // namespace

/// An i.MX8M Mini: /dev/media0 with "csi capture" as /dev/video0.
TEST_BASE(CsiBoard) {
    CaptureRig rig{v4l2::imx7_media_csi()};
    std::shared_ptr<FakeMediaGraph> graph = imx7_media_csi();
    std::shared_ptr<v4l2::Driver> sensor = std::make_shared<v4l2::Driver>(v4l2::vivid());

    void setup() override {
        for (const v4l2::Control& control : {
                 v4l2::Control{.id = V4L2_CID_EXPOSURE,
                .name = "Exposure",
                .minimum = 4,
                .maximum = 2000,
                .default_value = 500},
                 v4l2::Control{.id = V4L2_CID_HBLANK,
                 .name = "Horizontal Blanking",
                 .minimum = 80,
                 .maximum = 80,
                 .default_value = 80},
                 v4l2::Control{.id = V4L2_CID_PIXEL_RATE,
                 .type = V4L2_CTRL_TYPE_INTEGER64,
                 .name = "Pixel Rate",
                 .minimum = 1,
                 .maximum = 100'000'000,
                 .default_value = 100'000'000},
                 v4l2::Control{.id = V4L2_CID_ANALOGUE_GAIN,
                 .name = "Analogue Gain",
                 .maximum = 232,
                 .default_value = 42},
             }) {
            sensor->add_control(control);
        }
    }
    void teardown() override {
        rig.close();
        LONGS_EQUAL(0, rig.machine.open_count());
    }
    void install_graph() {
        install(graph, rig.machine, 0);
        if (graph->entity(sensor_name).has_node) {
            rig.machine.add(sensor_path, std::make_shared<SensorNode>(graph, sensor));
        }
    }
    /// As after a set-up in which all fits.
    void enable_sensor(uint32_t width = 1920, uint32_t height = 1080) {
        graph->link_to(receiver).flags |= MEDIA_LNK_FL_ENABLED;
        const BusFormat format{graph->entity(sensor_name).pads[0].format.code, width, height,
                               V4L2_FIELD_NONE};
        for (const char* name : {sensor_name, receiver, "csi"}) {
            for (FakeMediaPad& pad : graph->entity(name).pads) pad.format = format;
        }
        rig.request.format = PixelFormat::rggb10;
        rig.request.width = width;
        rig.request.height = height;
    }
    std::string start_refused() {
        rig.open();
        rig.allocate(Transport::mmap);
        return refusal([this] { rig.start(); });
    }
};

TEST_GROUP_BASE(V4l2Media, CsiBoard){};

TEST(V4l2Media, TheGraphIsSetUpBeforeTheNodeIsOpened) {
    install_graph();
    rig.request.media = MediaRequest{.device = "imx7-csi",
                                     .links = {sensor_link},
                                     .pads = {R"("csi":0 [fmt:SRGGB10_1X10/640x480])"}};
    size_t set_before = 0;
    rig.driver->on_event([&](const std::string& text) {
        if (text == "OPEN") set_before = graph->log.size();
    });
    rig.open();
    rig.driver->on_event(nullptr);
    LONGS_EQUAL(2, set_before);
    STRCMP_EQUAL("link \"imx219 1-0010\":0 -> \"csis-32e30000.mipi-csi\":0 [1]",
                 graph->log[0].c_str());
}

TEST(V4l2Media, AWrongSettingIsRefusedAndNothingOpened) {
    install_graph();
    rig.request.media = MediaRequest{.device = "imx7-csi", .links = {"nonsense"}, .pads = {}};
    expect_parts(refusal([this] { rig.open(); }), {"<format> ", "nonsense"});
    rig.request.media = MediaRequest{.device = "no such", .links = {sensor_link}, .pads = {}};
    expect_parts(refusal([this] { rig.open(); }), {"<absent> ", "\"no such\"", "/dev/media0"});
    LONGS_EQUAL(0, rig.driver->times("OPEN"));
    LONGS_EQUAL(0, graph->log.size());
}

TEST(V4l2Media, AMissingLinkIsNamedWithItsCommand) {
    install_graph();
    rig.driver->break_graph(true);
    expect_parts(start_refused(), {"<broken> VIDIOC_STREAMON on /dev/video0: Broken pipe",
                                   "no enabled link leads to \"csis-32e30000.mipi-csi\"",
                                   "media-ctl -d /dev/media0 -l '\"imx219 1-0010\":0 -> "
                                   "\"csis-32e30000.mipi-csi\":0 [1]'"});
    LONGS_EQUAL(0, rig.driver->queued_buffers());
}

TEST(V4l2Media, PadsThatDisagreeAreNamedWithTheCommandThatMendsThem) {
    install_graph();
    enable_sensor();
    graph->entity(receiver).pads[0].format.width = 640;
    rig.driver->break_graph(true);
    expect_parts(start_refused(), {"<broken> VIDIOC_STREAMON",
                                   "\"imx219 1-0010\":0 gives fmt:SRGGB10_1X10/1920x1080",
                                   "\"csis-32e30000.mipi-csi\":0 takes fmt:SRGGB10_1X10/640x1080",
                                   "media-ctl -d /dev/media0 -V '\"csis-32e30000.mipi-csi\":0 "
                                   "[fmt:SRGGB10_1X10/1920x1080"});
}

TEST(V4l2Media, WhatTheGraphBringsSaysWhichFormatsAndWhichSize) {
    v4l2::Traits traits = v4l2::imx7_media_csi();
    traits.formats = {{V4L2_PIX_FMT_GREY, "from a grey sensor", 8, 8, MEDIA_BUS_FMT_Y8_1X8},
                      {V4L2_PIX_FMT_SRGGB10, "from this one", 16, 16, MEDIA_BUS_FMT_SRGGB10_1X10}};
    rig.driver = std::make_shared<v4l2::Driver>(traits);
    rig.machine.add("/dev/video0", rig.driver);
    install_graph();
    enable_sensor(1280, 720);
    rig.request.format.reset();
    rig.request.width.reset();
    rig.request.height.reset();
    rig.open();
    CHECK_TRUE(rig.source->layout().format == PixelFormat::rggb10);
    LONGS_EQUAL(1280, rig.source->layout().width);
    LONGS_EQUAL(720, rig.source->layout().height);
}

TEST(V4l2Media, WhereAllFitsItSaysSo) {
    install_graph();
    enable_sensor();
    rig.driver->break_graph(true);
    expect_parts(start_refused(), {"<broken> ", "every link fits", "media-ctl -d /dev/media0 -p"});
    rig.driver->break_graph(false);
    rig.start();
    CHECK_TRUE(rig.frame().has_value());
}

TEST(V4l2Media, WithoutAMediaDeviceTheErrorStaysShort) {
    rig.driver->break_graph(true);
    expect_parts(start_refused(), {"<broken> VIDIOC_STREAMON", "the media graph does not fit"});
}

TEST(V4l2Media, TheSensorsNodeHasTheControls) {
    install_graph();
    enable_sensor();
    rig.request.controls = {{"exposure", 750}, {"analogue_gain", 7}};
    rig.open();
    LONGS_EQUAL(750, sensor->control(V4L2_CID_EXPOSURE));
    LONGS_EQUAL(7, sensor->control(V4L2_CID_ANALOGUE_GAIN));
    const auto device = rig.source->control_device();
    LONGS_EQUAL(4, list_controls(*device).size());
    rig.close();
    set_control(*device, "exposure", 800);  // a job of the bus may outlive the source
    LONGS_EQUAL(800, sensor->control(V4L2_CID_EXPOSURE));
    LONGS_EQUAL(1, rig.machine.open_count());
}

TEST(V4l2Media, ExposureIsCountedInTheSensorsLines) {
    install_graph();
    enable_sensor();
    rig.run();
    const auto first = rig.frame();
    LONGS_EQUAL(10000, first->exposure_usec);  // 500 lines of 1920 + 80 pixels at 100 MHz
    LONGS_EQUAL(42, first->gain_raw);
    sensor->change_control(V4L2_CID_EXPOSURE, 501);
    sensor->change_control(V4L2_CID_ANALOGUE_GAIN, 43);
    const auto second = rig.frame();
    LONGS_EQUAL(10020, second->exposure_usec);
    LONGS_EQUAL(43, second->gain_raw);
}

TEST(V4l2Media, WaitingForTheSensorsEventsWouldStopTheLoop) {
    install_graph();
    enable_sensor();
    rig.run();
    CHECK_TRUE(rig.frame().has_value());
    CHECK_TRUE(sensor->times("DQEVENT: ENOENT") > 0);
    LONGS_EQUAL(0, sensor->times("DQEVENT: EDEADLK"));
}

TEST(V4l2Media, ASensorWithoutANodeIsNone) {
    graph->entity(sensor_name).has_node = false;  // as a webcam's camera terminal
    install_graph();
    enable_sensor();
    rig.driver->add_control({.id = V4L2_CID_EXPOSURE_ABSOLUTE,
                             .name = "Exposure Time, Absolute",
                             .minimum = 1,
                             .maximum = 5000,
                             .default_value = 156});
    rig.run();
    LONGS_EQUAL(15600, rig.frame()->exposure_usec);
    STRCMP_EQUAL("exposure_time_absolute",
                 list_controls(*rig.source->control_device()).front().name.c_str());
}

TEST(V4l2Media, TheGraphOfANodeIsFoundAmongOthers) {
    CHECK_FALSE(graph_of(rig.machine, CaptureRig::node).has_value());
    const auto other = imx8_isi();
    install(other, rig.machine, 3);
    rig.machine.number("/dev/media1", {250, 1});  // that cannot be opened
    CHECK_FALSE(graph_of(rig.machine, CaptureRig::node).has_value());
    install(graph, rig.machine, 0);
    STRCMP_EQUAL("/dev/media0", graph_of(rig.machine, CaptureRig::node)->path().c_str());
    STRCMP_EQUAL("/dev/media3", graph_of(rig.machine, "/dev/video30")->path().c_str());
}

TEST(V4l2Media, TheSensorIsBehindEnabledLinksOnly) {
    install_graph();
    const auto before = MediaGraph::open(rig.machine, "/dev/media0");
    POINTERS_EQUAL(nullptr, sensor_behind(before, CaptureRig::node));
    POINTERS_EQUAL(nullptr, sensor_behind(before, "/dev/video77"));
    enable_sensor();
    const auto after = MediaGraph::open(rig.machine, "/dev/media0");
    const MediaEntity* const found = sensor_behind(after, CaptureRig::node);
    CHECK_TRUE(found != nullptr);
    STRCMP_EQUAL(sensor_name, found->name.c_str());
}
