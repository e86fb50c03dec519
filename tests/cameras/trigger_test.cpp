// An edge of a line, the frame that answers it, and the line that an alarm drives: all of it but
// the wire. The GPIO kernel is played, and so is the capture driver.
#include <memory>
#include <string>
#include <vector>

#include "daemon/wiring.hpp"
#include "tests/cameras/bench.hpp"
#include "tests/fakes/gpio_kernel.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace v4l2 = glint::fakes::v4l2;

namespace {

constexpr uint64_t msec = 1'000'000;

/// A frame that the driver stamps so long after `from_nsec`.
v4l2::Frame frame_at(uint64_t from_nsec, uint64_t after_nsec) {
    const uint64_t nsec = from_nsec + after_nsec;
    timeval time{};
    time.tv_sec = static_cast<time_t>(nsec / 1'000'000'000);
    time.tv_usec = static_cast<suseconds_t>(nsec % 1'000'000'000 / 1000);
    return {.timestamp = time};
}

}  // namespace

TEST_GROUP(CameraTriggers) {
    Machine machine;

    static void start_streaming(Bench & bench) {
        bench.start();
        STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
        STRCMP_EQUAL("", bench.measure_one(frame_at(now_nsec(), 0)).c_str());
    }
    /// Which of two frames answers an edge at `edge`: 1, 2 or, for none, 0. The times are after
    /// now.
    static int answering(Bench & bench, uint64_t edge, uint64_t first, uint64_t second) {
        const uint64_t start = now_nsec() - 200 * msec;
        bench.camera->trigger({.line = "button", .sequence = 7, .timestamp_nsec = start + edge});
        STRCMP_EQUAL("", bench.measure_one(frame_at(start, first)).c_str());
        if (bench.measured.back().trigger) return 1;
        STRCMP_EQUAL("", bench.measure_one(frame_at(start, second)).c_str());
        return bench.measured.back().trigger ? 2 : 0;
    }
};

TEST(CameraTriggers, StartOfExposureComparesTheTimestamp) {
    Bench bench(machine, v4l2::uvcvideo());
    start_streaming(bench);
    STRCMP_EQUAL("start-of-exposure", bench.camera->trigger_basis().c_str());
    LONGS_EQUAL(1, answering(bench, 10 * msec, 11 * msec, 44 * msec));
    LONGS_EQUAL(2, answering(bench, 12 * msec, 11 * msec, 44 * msec));
    LONGS_EQUAL(2, bench.camera->counters().triggers_answered);
    LONGS_EQUAL(0, bench.camera->counters().triggers_missed);
}

TEST(CameraTriggers, EndOfFrameComparesAPeriodEarlier) {
    Bench bench(machine, v4l2::vivid(), {.rate = 25});
    start_streaming(bench);
    STRCMP_EQUAL("end-of-frame-less-period", bench.camera->trigger_basis().c_str());
    // 40 ms: a frame that ends 39 ms after the edge had begun before it.
    LONGS_EQUAL(2, answering(bench, 10 * msec, 49 * msec, 89 * msec));
    LONGS_EQUAL(1, answering(bench, 10 * msec, 51 * msec, 91 * msec));
}

TEST(CameraTriggers, WithoutTimestampsTheDequeueCounts) {
    Bench bench(machine, v4l2::mxc_capture());
    start_streaming(bench);
    STRCMP_EQUAL("dequeue", bench.camera->trigger_basis().c_str());
    bench.camera->trigger({.line = "button", .sequence = 7, .timestamp_nsec = now_nsec()});
    STRCMP_EQUAL("", bench.measure_one().c_str());
    CHECK_TRUE(bench.measured.back().trigger.has_value());
    // One that is yet to come.
    bench.camera->trigger(
        {.line = "button", .sequence = 8, .timestamp_nsec = now_nsec() + 1'000'000 * msec});
    STRCMP_EQUAL("", bench.measure_one().c_str());
    CHECK_FALSE(bench.measured.back().trigger.has_value());
}

TEST(CameraTriggers, OnlyTriggeredFramesAreMeasuredWhereThatIsWanted) {
    Bench bench(machine, v4l2::uvcvideo(), {.measure_triggered = true, .stall_timeout_ms = 0});
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    for (int i = 0; i < 3; ++i) {
        bench.driver->send();
        STRCMP_EQUAL("", bench.wait([&] { return bench.driver->queued_buffers() == 5; }).c_str());
    }
    LONGS_EQUAL(0, bench.measured.size());
    bench.camera->trigger({.line = "button", .sequence = 1, .timestamp_nsec = 1});
    STRCMP_EQUAL("", bench.measure_one().c_str());
    LONGS_EQUAL(4, bench.camera->counters().captured);
    LONGS_EQUAL(1, bench.camera->counters().processed);
}

TEST(CameraTriggers, ThoseThatCannotBeAnsweredAreMissed) {
    Bench bench(machine, v4l2::uvcvideo());
    bench.camera->trigger({.line = "button", .sequence = 1, .timestamp_nsec = 1});  // idle
    LONGS_EQUAL(1, bench.camera->counters().triggers_missed);
    start_streaming(bench);
    for (uint64_t i = 2; i < 5; ++i) {
        bench.camera->trigger({.line = "button", .sequence = i, .timestamp_nsec = now_nsec()});
    }
    bench.stop();
    LONGS_EQUAL(4, bench.camera->counters().triggers_missed);
}

TEST_GROUP(Wirings) {
    Machine machine;
    fakes::GpioKernel kernel;
    std::string chip = kernel.add_chip("chip", {"BUTTON", "SIREN"});
    Bench* bench = nullptr;
    std::unique_ptr<Wiring> wiring;

    /// The camera is wired as the service does it.
    Services services() {
        Services all = machine.services();
        all.measured = [this](const Camera& camera, const Measurement& one) {
            wiring->measured(camera, one);
        };
        all.state_changed = [this](const Camera& camera) { wiring->camera_changed(camera); };
        return all;
    }
    void wire(Bench & camera, const std::vector<LineConfig>& lines,
              const std::vector<AlarmConfig>& alarms) {
        bench = &camera;
        wiring = std::make_unique<Wiring>(machine.loop,
                                          [this](std::string_view) { return &*bench->camera; });
        wiring->apply(lines, alarms);
    }
    static LineConfig button() {
        return {.name = "button", .role = LineRole::trigger, .line = "BUTTON", .camera = "video0"};
    }
    static LineConfig siren() {
        return {.name = "siren", .line = "SIREN"};
    }
    static AlarmConfig bright(double above) {
        return {.name = "bright",
                .camera = "video0",
                .statistic = "mean",
                .rule = {.kind = AlarmKind::above, .threshold = above},
                .lines = {"siren"}};
    }
    bool siren_sounds() {
        return kernel.line(chip, 1).high;
    }
    static v4l2::Frame grey(uint8_t value) {
        return {.bytes = std::vector<uint8_t>(size_t{640} * 480 * 2, value)};
    }
};

TEST(Wirings, AnEdgeIsNamedByTheMeasurementThatAnswersIt) {
    Bench camera(machine, v4l2::mxc_capture(), {}, services());
    wire(camera, {button()}, {});
    camera.start();
    STRCMP_EQUAL("", camera.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", camera.measure_one().c_str());
    CHECK_FALSE(camera.measured.back().trigger.has_value());
    // Both are ready at the same turn of the loop: the edge is looked at first.
    kernel.drive(chip, 0, true);
    STRCMP_EQUAL("", camera.measure_one().c_str());
    CHECK_TRUE(camera.measured.back().trigger.has_value());
    STRCMP_EQUAL("button", camera.measured.back().trigger->line.c_str());
    LONGS_EQUAL(1, camera.measured.back().trigger->sequence);
    kernel.drive(chip, 0, false);  // no trigger: only rising edges are
    STRCMP_EQUAL("", camera.measure_one().c_str());
    CHECK_FALSE(camera.measured.back().trigger.has_value());
    LONGS_EQUAL(2, wiring->lines().front()->edges());
}

TEST(Wirings, EdgesThatFollowTooSoonAreMissed) {
    Bench camera(machine, v4l2::mxc_capture(), {}, services());
    LineConfig line = button();
    line.edge = TriggerEdge::both;
    line.min_interval_ms = 3'600'000;
    wire(camera, {line}, {});
    camera.start();
    STRCMP_EQUAL("", camera.wait_for(CameraState::streaming).c_str());
    for (int i = 0; i < 4; ++i) kernel.drive(chip, 0, i % 2 == 0);
    STRCMP_EQUAL("", camera.measure_one().c_str());
    LONGS_EQUAL(1, camera.camera->counters().triggers_answered);
    LONGS_EQUAL(3, camera.camera->counters().triggers_missed);
}

TEST(Wirings, AnAlarmDrivesItsLineAndLetsItGo) {
    Bench camera(machine, v4l2::vivid(), {.format = zero_copy::PixelFormat::grey}, services());
    wire(camera, {siren()}, {bright(100)});
    camera.start();
    STRCMP_EQUAL("", camera.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", camera.measure_one(grey(50)).c_str());
    CHECK_FALSE(siren_sounds());
    STRCMP_EQUAL("", camera.measure_one(grey(150)).c_str());
    CHECK_TRUE(siren_sounds());
    // A line of another configuration is told what is.
    LineConfig low = siren();
    low.active_low = true;
    wiring->apply({low}, {bright(100)});
    CHECK_FALSE(siren_sounds());
    CHECK_TRUE(wiring->lines().front()->active());
    STRCMP_EQUAL("", camera.measure_one(grey(50)).c_str());
    CHECK_TRUE(siren_sounds());
    STRCMP_EQUAL("", camera.measure_one(grey(150)).c_str());
    CHECK_FALSE(siren_sounds());
    camera.stop();
    CHECK_TRUE(siren_sounds());
    STRCMP_EQUAL("unknown", name_of(wiring->alarms().front()->state()));
}

TEST(Wirings, AnAlarmThatGoesLeavesNothingHeld) {
    Bench camera(machine, v4l2::vivid(), {.format = zero_copy::PixelFormat::grey}, services());
    wire(camera, {siren()}, {bright(100)});
    camera.start();
    STRCMP_EQUAL("", camera.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", camera.measure_one(grey(150)).c_str());
    CHECK_TRUE(siren_sounds());
    wiring->apply({siren()}, {});
    CHECK_FALSE(siren_sounds());
}
