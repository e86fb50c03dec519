// Alarms as tables: a rule, the values that come, and the state after each.
#include <string>
#include <vector>

#include "daemon/alarm_rule.hpp"
#include "daemon/window.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using std::chrono::milliseconds;

namespace {

constexpr uint64_t msec = 1'000'000;

struct Step {
    double value;
    const char* state;
};

/// One result each 10 ms. Empty when every state is as expected.
std::string play(const AlarmRule& rule, const std::vector<Step>& steps, AlarmMemory memory = {}) {
    uint64_t now = 100 * msec;
    std::string wrong;
    for (const Step& step : steps) {
        memory = judge(rule, memory, step.value, now += 10 * msec);
        if (std::string(name_of(memory.state)) == step.state) continue;
        wrong += std::to_string(step.value) + ": " + name_of(memory.state) + ", not " + step.state +
                 "; ";
    }
    return wrong;
}

AlarmMemory raised(const AlarmRule& rule) {
    AlarmMemory memory;
    for (uint64_t i = 0; i < 10 && memory.state != AlarmState::raised; ++i) {
        memory = judge(rule, memory, 1000, i * 100 * msec);
    }
    return memory;
}

}  // namespace

TEST_GROUP(AlarmRules){};

TEST(AlarmRules, EachKindAtItsBounds) {
    const struct {
        AlarmRule rule;
        std::vector<Step> steps;
    } rows[]{
        {{.kind = AlarmKind::above, .threshold = 5}, {{5, "idle"}, {5.1, "raised"}, {5, "idle"}}},
        {{.kind = AlarmKind::below, .threshold = 5}, {{5, "idle"}, {4.9, "raised"}, {5, "idle"}}},
        {{.kind = AlarmKind::between, .threshold = 5, .upper = 7},
         {{4.9, "idle"}, {5, "raised"}, {7, "raised"}, {7.1, "idle"}, {6, "raised"}}},
        {{.kind = AlarmKind::change, .threshold = 5},
         {{5, "idle"}, {-5.1, "raised"}, {0, "idle"}, {5.1, "raised"}}},
    };
    for (const auto& row : rows) STRCMP_EQUAL("", play(row.rule, row.steps).c_str());
}

TEST(AlarmRules, HysteresisKeepsWhatIsRaised) {
    const struct {
        AlarmRule rule;
        std::vector<Step> steps;
    } rows[]{
        {{.kind = AlarmKind::above, .threshold = 5, .hysteresis = 2},
         {{4, "idle"}, {6, "raised"}, {3.1, "raised"}, {3, "idle"}, {5, "idle"}}},
        {{.kind = AlarmKind::below, .threshold = 5, .hysteresis = 2},
         {{6, "idle"}, {4, "raised"}, {6.9, "raised"}, {7, "idle"}, {5, "idle"}}},
        {{.kind = AlarmKind::between, .threshold = 5, .upper = 7, .hysteresis = 1},
         {{4.5, "idle"}, {6, "raised"}, {4, "raised"}, {8, "raised"}, {8.1, "idle"}, {8, "idle"}}},
        {{.kind = AlarmKind::change, .threshold = 5, .hysteresis = 2},
         {{6, "raised"}, {-3.1, "raised"}, {3, "idle"}}},
    };
    for (const auto& row : rows) STRCMP_EQUAL("", play(row.rule, row.steps).c_str());
}

TEST(AlarmRules, ResultsInARowAreCountedBothWays) {
    const AlarmRule rule{.threshold = 5, .hold_frames = 3};
    STRCMP_EQUAL("", play(rule, {{9, "idle"},
                                 {9, "idle"},
                                 {1, "idle"},  // begins anew
                                 {9, "idle"},
                                 {9, "idle"},
                                 {9, "raised"},
                                 {1, "raised"},
                                 {1, "raised"},
                                 {9, "raised"},
                                 {1, "raised"},
                                 {1, "raised"},
                                 {1, "idle"}})
                         .c_str());
}

TEST(AlarmRules, TimeIsHeldFromTheFirstOfThem) {
    const AlarmRule rule{.threshold = 5, .hold = milliseconds{25}};
    STRCMP_EQUAL("", play(rule, {{9, "idle"},
                                 {9, "idle"},  // 10 ms
                                 {9, "idle"},  // 20 ms
                                 {9, "raised"},
                                 {1, "raised"},
                                 {1, "raised"},
                                 {1, "raised"},
                                 {1, "idle"}})
                         .c_str());
    // A source that starts anew may count from an earlier time.
    AlarmMemory memory = judge(rule, {}, 9, 500 * msec);
    memory = judge(rule, memory, 9, 10 * msec);
    CHECK(memory.state == AlarmState::idle);
    memory = judge(rule, memory, 9, 35 * msec);
    CHECK(memory.state == AlarmState::raised);
}

TEST(AlarmRules, LatchedUntilAcknowledged) {
    const AlarmRule rule{.threshold = 5, .latch = true};
    AlarmMemory memory = raised(rule);
    STRCMP_EQUAL("",
                 play(rule, {{1, "latched"}, {2, "latched"}, {9, "raised"}, {1, "latched"}}, memory)
                     .c_str());
    memory = judge(rule, memory, 1, 2000 * msec);
    CHECK(is_active(memory.state));
    memory = acknowledge(memory, 2100 * msec);
    CHECK(memory.state == AlarmState::idle);
    CHECK(memory.since_nsec == 2100 * msec);
}

TEST(AlarmRules, AcknowledgedWhileRaisedItEndsByItself) {
    const AlarmRule rule{.threshold = 5, .latch = true};
    const AlarmMemory memory = acknowledge(raised(rule), 1500 * msec);
    CHECK(memory.state == AlarmState::raised);
    STRCMP_EQUAL("", play(rule, {{1, "idle"}, {9, "raised"}, {1, "latched"}}, memory).c_str());
}

TEST(AlarmRules, AcknowledgingAnIdleOneChangesNothing) {
    const AlarmMemory idle = judge({.threshold = 5}, {}, 1, msec);
    CHECK(acknowledge(idle, 2 * msec) == idle);
    CHECK(acknowledge({}, 2 * msec) == AlarmMemory{});
}

TEST(AlarmRules, WithoutResultsTheStateIsUnknownUnlessLatched) {
    const AlarmRule plain{.threshold = 5};
    AlarmRule latching = plain;
    latching.latch = true;
    const AlarmMemory lost = lose(plain, raised(plain), 900 * msec);
    CHECK(lost.state == AlarmState::unknown);
    CHECK(lost.since_nsec == 900 * msec);
    CHECK(lose(latching, raised(latching), 900 * msec).state == AlarmState::latched);
    CHECK(lose(latching, judge(latching, {}, 1, msec), 900 * msec).state == AlarmState::unknown);
    STRCMP_EQUAL("", play(plain, {{1, "idle"}}, lost).c_str());
}

TEST(AlarmRules, SinceIsWhenTheStateBegan) {
    const AlarmRule rule{.threshold = 5};
    AlarmMemory memory = judge(rule, {}, 1, 10 * msec);
    memory = judge(rule, memory, 1, 20 * msec);
    CHECK(memory.since_nsec == 10 * msec);
    memory = judge(rule, memory, 9, 30 * msec);
    memory = judge(rule, memory, 8, 40 * msec);
    CHECK(memory.since_nsec == 30 * msec);
    DOUBLES_EQUAL(8, memory.value, 0);
}

TEST_GROUP(LightStep) {
    static constexpr uint32_t bins = 256;
    /// Ten bands of brightness, ten samples each.
    static std::vector<uint32_t> picture(const std::vector<int>& bands) {
        std::vector<uint32_t> counts(bins);
        for (const int band : bands) {
            counts[static_cast<size_t>(std::min(255, std::max(0, band)))] += 10;
        }
        return counts;
    }
    static double step(const std::vector<int>& before, const std::vector<int>& after) {
        return light_step(deciles_of(picture(before)), deciles_of(picture(after)), bins);
    }
    const std::vector<int> dark{20, 25, 30, 35, 40, 45, 50, 55, 60, 65};
};

TEST(LightStep, DecilesAreWhereTheTenthsEnd) {
    const Deciles deciles = deciles_of(picture(dark));
    LONGS_EQUAL(20, deciles.front());
    LONGS_EQUAL(40, deciles[4]);
    LONGS_EQUAL(60, deciles.back());
    const std::vector<uint32_t> nothing(bins);
    LONGS_EQUAL(0, deciles_of(nothing).back());
}

TEST(LightStep, ALampMovesAll) {
    std::vector<int> lit = dark;
    for (int& band : lit) band = band * 2 + 10;
    DOUBLES_EQUAL(30, step(dark, lit), 0);
    DOUBLES_EQUAL(-30, step(lit, dark), 0);
}

TEST(LightStep, SomethingThatMovesIsNoLamp) {
    std::vector<int> with_white_object = dark;
    for (size_t i = 0; i < 4; ++i) with_white_object[i] = 200;  // covers the darkest four tenths
    DOUBLES_EQUAL(0,
                  step({20, 20, 20, 20, 20, 20, 20, 20, 200, 200},
                       {20, 20, 20, 20, 200, 200, 200, 200, 200, 200}),
                  0);
    std::vector<int> with_black_object = dark;
    for (size_t i = 7; i < 10; ++i) with_black_object[i] = 0;
    CHECK(step(dark, with_black_object) > -16);  // the object's size, not the lamp's brightness
    DOUBLES_EQUAL(0, step(dark, dark), 0);
}

TEST(LightStep, WhatIsBlackOrWhiteAnywayDoesNotCount) {
    // A bright window in the picture, and a black frame around it.
    DOUBLES_EQUAL(40,
                  step({0, 30, 40, 50, 60, 70, 80, 255, 255, 255},
                       {0, 70, 80, 90, 100, 110, 120, 255, 255, 255}),
                  0);
    // Too little is left to tell.
    DOUBLES_EQUAL(0,
                  step({0, 0, 0, 50, 60, 70, 255, 255, 255, 255},
                       {0, 0, 0, 90, 100, 110, 255, 255, 255, 255}),
                  0);
}

TEST_GROUP(Windows){static double difference(double before, double after){return after - before;
}
}
;

TEST(Windows, TheLargestChangeWithinTheTime) {
    Window<double> window(milliseconds{100});
    DOUBLES_EQUAL(0, window.largest(10, 0, difference), 0);
    DOUBLES_EQUAL(5, window.largest(15, 50 * msec, difference), 0);
    DOUBLES_EQUAL(-8, window.largest(7, 100 * msec, difference), 0);  // from 15, not from 10
    DOUBLES_EQUAL(-9, window.largest(6, 150 * msec, difference), 0);  // 10 is too old
    DOUBLES_EQUAL(0, window.largest(6, 1000 * msec, difference), 0);
    window.clear();
    DOUBLES_EQUAL(0, window.largest(100, 1010 * msec, difference), 0);
}

TEST(Windows, ATimeThatFallsBackBeginsAnew) {
    Window<double> window(milliseconds{100});
    DOUBLES_EQUAL(0, window.largest(10, 5000 * msec, difference), 0);
    DOUBLES_EQUAL(0, window.largest(90, 10 * msec, difference), 0);
    DOUBLES_EQUAL(1, window.largest(91, 20 * msec, difference), 0);
}

TEST(Windows, AFastCameraIsThinned) {
    Window<double> window(milliseconds{64});
    double largest = 0;
    for (uint64_t i = 0; i <= 10'000; ++i) {  // one each 10 us
        largest = window.largest(static_cast<double>(i), i * 10'000, difference);
    }
    CHECK(largest > 6300 && largest <= 6400);
}
