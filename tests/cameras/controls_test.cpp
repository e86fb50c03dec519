// Controls through the camera: listed, set, and set again at every opening.
#include <linux/v4l2-controls.h>

#include "daemon/failure.hpp"
#include "tests/cameras/bench.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace v4l2 = glint::fakes::v4l2;

TEST_GROUP(CameraControls) {
    Machine machine;
    static v4l2::Control brightness() {
        return {.id = V4L2_CID_BRIGHTNESS,
                .name = "Brightness",
                .minimum = 0,
                .maximum = 255,
                .step = 1,
                .default_value = 128};
    }
    static std::string set(Bench & bench, const std::string& name, int64_t value) {
        std::string result;
        bench.camera->set_control(name, value, [&](Outcome<bool> outcome) {
            result = text_thrown<Failure>([&] { (void)outcome.get(); });
        });
        (void)bench.wait([&] { return !result.empty(); });
        return result;
    }
};

TEST(CameraControls, AreListedAndSetWhileItStreams) {
    Bench bench(machine, v4l2::vivid());
    bench.driver->add_control(brightness());
    STRCMP_CONTAINS("call Start first", text_thrown<Failure>([&] {
                                            bench.camera->list_controls([](auto) {});
                                        }).c_str());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("[nothing was thrown]", set(bench, "brightness", 77).c_str());
    LONGS_EQUAL(77, bench.driver->control(V4L2_CID_BRIGHTNESS));
    STRCMP_EQUAL("", missing_in(set(bench, "brightness", 300), {"300", "0 to 255"}).c_str());
    STRCMP_EQUAL("", missing_in(set(bench, "gamma", 1), {"gamma", "brightness"}).c_str());
    std::optional<std::vector<zero_copy::Control>> listed;
    bench.camera->list_controls([&](auto outcome) { listed = outcome.get(); });
    STRCMP_EQUAL("", bench.wait([&] { return listed.has_value(); }).c_str());
    LONGS_EQUAL(1, listed->size());
    STRCMP_EQUAL("brightness", listed->front().name.c_str());
    LONGS_EQUAL(77, listed->front().value);
}

TEST(CameraControls, OfTheConfigurationAreSetAtEveryOpening) {
    Bench bench(machine, v4l2::uvcvideo(), {.controls = {{"brightness", 99}}});
    bench.driver->add_control(brightness());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    LONGS_EQUAL(99, bench.driver->control(V4L2_CID_BRIGHTNESS));
    bench.driver->disconnect();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    bench.driver = std::make_shared<v4l2::Driver>(v4l2::uvcvideo());
    bench.driver->add_control(brightness());
    machine.plug(bench.name, bench.driver);
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    LONGS_EQUAL(99, bench.driver->control(V4L2_CID_BRIGHTNESS));
}

TEST(CameraControls, OneThatTheCameraDoesNotHaveIsAMistakeOfTheConfiguration) {
    Bench bench(machine, v4l2::vivid(), {.controls = {{"exposure", 9}}});
    bench.driver->add_control(brightness());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::failed).c_str());
    STRCMP_EQUAL("", missing_in(bench.failures.back(),
                                {"FormatUnsupported", "\"exposure\"", "it has brightness"})
                         .c_str());
}

TEST(CameraControls, ExposureAndGainComeWithTheFrames) {
    Bench bench(machine, v4l2::uvcvideo());
    bench.driver->add_control({.id = V4L2_CID_EXPOSURE_ABSOLUTE,
                               .name = "Exposure Time, Absolute",
                               .minimum = 1,
                               .maximum = 5000,
                               .step = 1,
                               .default_value = 156});
    bench.driver->add_control({.id = V4L2_CID_GAIN,
                               .name = "Gain",
                               .minimum = 0,
                               .maximum = 255,
                               .step = 1,
                               .default_value = 16});
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    LONGS_EQUAL(15'600, bench.measured.back().exposure_usec);
    LONGS_EQUAL(16, bench.measured.back().gain_raw);
    bench.driver->change_control(V4L2_CID_EXPOSURE_ABSOLUTE, 400);
    STRCMP_EQUAL("", bench.measure_one().c_str());
    LONGS_EQUAL(40'000, bench.measured.back().exposure_usec);
}
