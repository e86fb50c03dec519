// An alarm from a camera's results to its state: which figure, of which region, over which time.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "daemon/alarm.hpp"
#include "daemon/failure.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;

namespace {

constexpr uint64_t msec = 1'000'000;

zero_copy::FrameLayout grey() {
    return zero_copy::make_layout(zero_copy::PixelFormat::grey, 10, 10);
}

}  // namespace

TEST_GROUP(Alarms) {
    std::shared_ptr<const Plan> plan = make_plan(grey(), {.regions = {{"door", 0, 0, 5, 2}}}, 1);
    std::vector<std::string> states;
    uint64_t now = 1000 * msec;

    Alarm make(AlarmConfig config) {
        return {std::move(config),
                [this](Alarm& alarm, AlarmState) { states.emplace_back(name_of(alarm.state())); }};
    }
    /// A frame whose door has the one value and whose other samples the other, 10 ms later.
    Measurement frame(uint32_t door, uint32_t elsewhere) {
        Measurement measurement{.plan = plan, .timestamp_nsec = now += 10 * msec};
        measurement.bins.assign(plan->counts.size() * plan->bins, 0);
        measurement.bins[door] += 10;
        measurement.bins[elsewhere] += 90;
        measurement.bins[plan->bins + door] += 10;
        return measurement;
    }
    std::string said() const {
        std::string text;
        for (const std::string& state : states) text += state + " ";
        return text;
    }
};

TEST(Alarms, TheRegionsOwnFigureIsJudged) {
    Alarm alarm = make({.name = "a",
                        .camera = "c",
                        .region = "door",
                        .statistic = "mean",
                        .rule = {.kind = AlarmKind::above, .threshold = 100}});
    alarm.measured(frame(50, 200));
    alarm.measured(frame(150, 10));
    DOUBLES_EQUAL(150, alarm.value(), 1e-9);
    CHECK_TRUE(alarm.since_nsec() == now);
    STRCMP_EQUAL("idle raised ", said().c_str());
}

TEST(Alarms, AChangeIsSoughtWithinItsTime) {
    Alarm alarm = make({.name = "a",
                        .camera = "c",
                        .statistic = "maximum",
                        .rule = {.kind = AlarmKind::change, .threshold = 30},
                        .over_ms = 35});
    for (const uint32_t value : {100U, 110U, 120U, 129U}) alarm.measured(frame(0, value));
    STRCMP_EQUAL("idle ", said().c_str());  // 29 in 30 ms
    alarm.measured(frame(0, 60));
    DOUBLES_EQUAL(-69, alarm.value(), 0);
    STRCMP_EQUAL("idle raised ", said().c_str());
}

TEST(Alarms, LightIsToldFromWhatMoves) {
    Alarm alarm = make({.name = "a",
                        .camera = "c",
                        .statistic = "light",
                        .rule = {.kind = AlarmKind::above, .threshold = 20}});
    alarm.measured(frame(90, 60));
    alarm.measured(frame(250, 60));  // something bright at the door
    DOUBLES_EQUAL(0, alarm.value(), 0);
    STRCMP_EQUAL("idle ", said().c_str());
    alarm.measured(frame(150, 110));
    STRCMP_EQUAL("idle raised ", said().c_str());
    DOUBLES_EQUAL(50, alarm.value(), 0);
}

TEST(Alarms, WhatIsNotMeasuredIsUnknown) {
    Alarm alarm = make({.name = "a", .camera = "c", .region = "sky", .statistic = "mean"});
    alarm.measured(frame(1, 2));
    CHECK_TRUE(alarm.state() == AlarmState::unknown);
    Alarm other = make({.name = "b", .camera = "c", .channel = "G", .statistic = "mean"});
    other.measured(frame(1, 2));
    CHECK_TRUE(other.state() == AlarmState::unknown);
    STRCMP_EQUAL("", said().c_str());
}

TEST(Alarms, ALostCameraIsSaidOnceAndItsPastForgotten) {
    Alarm alarm = make({.name = "a",
                        .camera = "c",
                        .statistic = "mean",
                        .rule = {.kind = AlarmKind::change, .threshold = 10}});
    alarm.measured(frame(0, 100));
    alarm.lost();
    alarm.lost();
    alarm.measured(frame(0, 10));
    STRCMP_EQUAL("idle unknown idle ", said().c_str());
}

TEST(Alarms, ThresholdsAreNumbersInOrder) {
    Alarm alarm = make({.name = "a",
                        .camera = "c",
                        .statistic = "mean",
                        .rule = {.kind = AlarmKind::between, .threshold = 1, .upper = 2}});
    CHECK_THROWS(Failure, alarm.set_thresholds(3, 2));
    CHECK_THROWS(Failure, alarm.set_thresholds(NAN, 2));
    CHECK_THROWS(Failure, alarm.set_thresholds(1, INFINITY));
    CHECK_THROWS(Failure, alarm.set_hysteresis(-1));
    alarm.set_thresholds(2, 2);
    alarm.set_hysteresis(0.5);
    DOUBLES_EQUAL(2, alarm.config().rule.threshold, 0);
    DOUBLES_EQUAL(0.5, alarm.config().rule.hysteresis, 0);
}
