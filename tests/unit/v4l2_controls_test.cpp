// A camera's controls: listed, set, refused with what is allowed, and exposure as events tell it.
#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/capture_rig.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/v4l2_controls.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;
using glint::fakes::v4l2::vivid;
using glint::test::CaptureRig;
using glint::test::missing_in;
using glint::test::refusal;
using glint::test::text_thrown;

namespace {

constexpr uint32_t button = V4L2_CID_BASE + 35;
constexpr uint32_t array = V4L2_CID_BASE + 36;

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

}  // namespace

TEST_GROUP(V4l2Knobs) {
    CaptureRig rig{vivid()};

    void setup() override {
        for (const glint::fakes::v4l2::Control& control : {
                 glint::fakes::v4l2::Control{.id = V4L2_CID_BRIGHTNESS,
                .name = "Brightness",
                .minimum = -10,
                .maximum = 10,
                .step = 2,
                .default_value = 4},
                 glint::fakes::v4l2::Control{.id = V4L2_CID_GAIN,
                 .name = "Gain",
                 .maximum = 255,
                 .default_value = 16,
                 .flags = V4L2_CTRL_FLAG_INACTIVE},
                 glint::fakes::v4l2::Control{.id = V4L2_CID_HFLIP,
                 .type = V4L2_CTRL_TYPE_BOOLEAN,
                 .name = "Horizontal Flip",
                 .maximum = 1},
                 glint::fakes::v4l2::Control{
                     .id = button, .type = V4L2_CTRL_TYPE_BUTTON, .name = "Do White Balance"},
                 glint::fakes::v4l2::Control{.id = array, .name = "LUT", .payload_bytes = 64},
                 glint::fakes::v4l2::Control{.id = V4L2_CID_EXPOSURE_ABSOLUTE,
                 .name = "Exposure Time, Absolute",
                 .minimum = 1,
                 .maximum = 5000,
                 .default_value = 156},
                 glint::fakes::v4l2::Control{.id = V4L2_CID_TEST_PATTERN,
                 .type = V4L2_CTRL_TYPE_MENU,
                 .name = "Test Pattern",
                 .maximum = 2,
                 .menu = {"Off", "", "B\xe4rs"}},
                 glint::fakes::v4l2::Control{.id = V4L2_CID_LINK_FREQ,
                 .type = V4L2_CTRL_TYPE_INTEGER_MENU,
                 .name = "Link Frequency",
                 .maximum = 1,
                 .default_value = 1,
                 .flags = V4L2_CTRL_FLAG_READ_ONLY,
                 .integer_menu = {456000000, 912000000}},
                 glint::fakes::v4l2::Control{.id = V4L2_CID_PIXEL_RATE,
                 .type = V4L2_CTRL_TYPE_INTEGER64,
                 .name = "Pixel Rate",
                 .minimum = 1,
                 .maximum = 20'000'000'000,
                 .default_value = 18'000'000'000},
             }) {
            rig.driver->add_control(control);
        }
        rig.open();
    }
    [[nodiscard]] std::vector<Control> all() const {
        return list_controls(*rig.source->control_device());
    }
    [[nodiscard]] Control named(const std::string& name) const {
        const std::vector<Control> controls = all();
        const auto found = std::ranges::find(controls, name, &Control::name);
        CHECK_TRUE_TEXT(found != controls.end(), name.c_str());
        return *found;
    }
    void set(const std::string& name, int64_t value) const {
        set_control(*rig.source->control_device(), name, value);
    }
    [[nodiscard]] std::string refused(const std::string& name, int64_t value) const {
        return text_thrown<ControlError>([&] { set(name, value); });
    }
};

TEST(V4l2Knobs, EveryControlThatIsOneNumberIsListed) {
    std::string names;
    for (const Control& control : all()) names += control.name + ':' + control.type + ' ';
    STRCMP_EQUAL(
        "brightness:integer gain:integer horizontal_flip:boolean do_white_balance:button "
        "exposure_time_absolute:integer link_frequency:integer-menu pixel_rate:integer "
        "test_pattern:menu ",
        names.c_str());
}

TEST(V4l2Knobs, LimitsAndValuesAreTheDrivers) {
    const Control brightness = named("brightness");
    LONGS_EQUAL(4, brightness.value);
    LONGS_EQUAL(-10, brightness.minimum);
    LONGS_EQUAL(10, brightness.maximum);
    LONGS_EQUAL(2, brightness.step);
    LONGS_EQUAL(4, brightness.default_value);
    CHECK_FALSE(brightness.read_only || brightness.inactive || brightness.wide);
    CHECK_TRUE(named("gain").inactive);
    CHECK_TRUE(named("pixel_rate").wide);
    CHECK_TRUE(named("pixel_rate").value == 18'000'000'000);
    CHECK_TRUE(named("link_frequency").read_only);
}

// What is not ASCII may be anything, and the bus takes UTF-8 only.
TEST(V4l2Knobs, MenusHaveGapsAndMeanings) {
    using Menu = std::vector<std::pair<int64_t, std::string>>;
    CHECK_TRUE(named("test_pattern").menu == (Menu{{0, "Off"}, {2, "B?rs"}}));
    CHECK_TRUE(named("link_frequency").menu == (Menu{{0, "456000000"}, {1, "912000000"}}));
    CHECK_TRUE(named("gain").menu.empty());
}

TEST(V4l2Knobs, AreSet) {
    set("brightness", -10);
    LONGS_EQUAL(-10, rig.driver->control(V4L2_CID_BRIGHTNESS));
    set("pixel_rate", 19'000'000'000);
    CHECK_TRUE(rig.driver->control(V4L2_CID_PIXEL_RATE) == 19'000'000'000);
    set("test_pattern", 2);
    LONGS_EQUAL(2, rig.driver->control(V4L2_CID_TEST_PATTERN));
    rig.driver->clear_log();
    set("do_white_balance", 1);
    LONGS_EQUAL(1, rig.driver->times("S_EXT_CTRLS"));
}

TEST(V4l2Knobs, ValuesOutsideAreRefusedWithWhatIsAllowed) {
    expect_parts(refused("brightness", 11), {"brightness = 11", "-10 to 10 in steps of 2"});
    expect_parts(refused("horizontal_flip", 2), {"horizontal_flip = 2", "0 to 1"});
    expect_parts(refused("test_pattern", 1), {"test_pattern = 1", "0 (Off), 2 (B?rs)"});
    expect_parts(refused("link_frequency", 0), {"link_frequency is read-only"});
    LONGS_EQUAL(0, rig.driver->times("S_EXT_CTRLS"));
}

TEST(V4l2Knobs, AnUnknownNameIsAnsweredWithThoseThereAre) {
    expect_parts(refused("contrast", 1), {"no control \"contrast\"", "brightness, gain, "});
    expect_parts(refused("lut", 1), {"no control \"lut\""});
    CaptureRig bare(vivid());
    bare.open();
    const auto device = bare.source->control_device();
    LONGS_EQUAL(0, list_controls(*device).size());
    expect_parts(text_thrown<ControlError>([&] { set_control(*device, "gain", 1); }),
                 {"no control \"gain\"", "it has none"});
}

TEST(V4l2Knobs, WhatTheDriverAnswersIsTold) {
    rig.driver->fail_next(VIDIOC_S_EXT_CTRLS, EBUSY);
    expect_parts(refused("gain", 3), {"setting gain to 3", "Device or resource busy"});
    rig.driver->disconnect();
    expect_parts(refused("gain", 3), {"VIDIOC_QUERY_EXT_CTRL: No such device"});
}

TEST(V4l2Knobs, TheConfiguredOnesAreSetAtOpeningAndTheirErrorsHaveTheirKind) {
    struct Row {
        int code;
        const char* expected;
    };
    for (const auto& [code, expected] : {
             Row{EINVAL, "<format> /dev/video0: setting gain to 3: Invalid argument"},
             Row{EACCES, "<format> /dev/video0: setting gain to 3: Permission denied"},
             Row{ENODEV, "<absent> /dev/video0: setting gain to 3: No such device"},
             Row{EIO, "<broken> /dev/video0: setting gain to 3: Input/output error"},
             Row{EBUSY, "<busy> /dev/video0: setting gain to 3: Device or resource busy"},
         }) {
        rig.request.controls = {{"gain", 3}};
        rig.driver->fail_next(VIDIOC_S_EXT_CTRLS, code);
        STRCMP_EQUAL(expected, refusal([this] { rig.open(); }).c_str());
    }
    rig.driver->fail_next(VIDIOC_QUERY_EXT_CTRL, ENODEV);
    expect_parts(refusal([this] { rig.open(); }), {"<absent> /dev/video0: VIDIOC_QUERY_EXT_CTRL"});
    rig.open();
    LONGS_EQUAL(3, rig.driver->control(V4L2_CID_GAIN));
    rig.request.controls = {{"gain", 300}};
    expect_parts(refusal([this] { rig.open(); }), {"<format> /dev/video0: gain = 300", "0 to 255"});
}

TEST(V4l2Knobs, AWalkThatDoesNotGoOnEnds) {
    CaptureRig circling(vivid());
    circling.alter([](unsigned long request, void* argument, const auto& driver) {
        if (request != VIDIOC_QUERY_EXT_CTRL) return driver();
        auto& query = *static_cast<v4l2_query_ext_ctrl*>(argument);
        query = {};
        query.id = V4L2_CID_GAIN;
        query.type = V4L2_CTRL_TYPE_INTEGER;
        return 0;
    });
    circling.open();
    LONGS_EQUAL(1, list_controls(*circling.source->control_device()).size());
}

TEST(V4l2Knobs, NamesAreAsV4l2CtlWritesThem) {
    struct Row {
        const char* text;
        const char* name;
    };
    for (const auto& [text, name] : {
             Row{"Exposure Time, Absolute", "exposure_time_absolute"},
             Row{"White Balance Temperature, Auto", "white_balance_temperature_auto"},
             Row{"H.264 I-Frame (Period)", "h_264_i_frame_period"},
             Row{"  Gain  ", "gain"},
             Row{"", ""},
             Row{"\xc3\xa9t\xc3\xa9", "t"},
         }) {
        STRCMP_EQUAL(name, control_name(text).c_str());
    }
}

TEST(V4l2Knobs, ExposureAndGainComeWithEachFrame) {
    rig.allocate(Transport::mmap);
    rig.start();
    const auto first = rig.frame();
    LONGS_EQUAL(15600, first->exposure_usec);
    LONGS_EQUAL(16, first->gain_raw);
    rig.driver->change_control(V4L2_CID_EXPOSURE_ABSOLUTE, 20);
    set("gain", 99);  // what this very program sets is told, too
    const auto second = rig.frame();
    LONGS_EQUAL(2000, second->exposure_usec);
    LONGS_EQUAL(99, second->gain_raw);
    rig.close();
}

TEST_GROUP(V4l2Exposure) {
    ExposureWatch watch;
};

TEST(V4l2Exposure, IsUnknownAtFirst) {
    LONGS_EQUAL(-1, watch.exposure_usec());
    LONGS_EQUAL(-1, watch.gain_raw());
    CHECK_FALSE(watch.subscribed());
}

TEST(V4l2Exposure, LinesMeanNothingWithoutTheirLength) {
    watch.take(V4L2_CID_EXPOSURE, 500);
    watch.take(V4L2_CID_PIXEL_RATE, 100'000'000);
    watch.take(V4L2_CID_HBLANK, 80);
    LONGS_EQUAL(-1, watch.exposure_usec());  // nobody told the picture's width
}

TEST(V4l2Exposure, ValuesThatDoNotFitAreClamped) {
    watch.take(V4L2_CID_EXPOSURE_ABSOLUTE, INT32_MAX);
    LONGS_EQUAL(INT32_MAX, watch.exposure_usec());
    watch.take(V4L2_CID_GAIN, int64_t{1} << 40);
    LONGS_EQUAL(INT32_MAX, watch.gain_raw());
    watch.take(V4L2_CID_ANALOGUE_GAIN, -5);
    LONGS_EQUAL(0, watch.gain_raw());
}
