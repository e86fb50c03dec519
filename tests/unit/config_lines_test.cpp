// [line.NAME] and [alarm.NAME]: what is read, and what is refused, with its place.
#include <string>

#include "daemon/config.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

const std::string cameras =
    "[camera.front]\nsource = 'test:ramp'\n[camera.front.region.door]\nwidth = 3\nheight = 2\n";
const std::string siren = "[line.siren]\nrole = 'alarm'\nline = 'SIREN'\n";
const std::string button = "[line.button]\nrole = 'trigger'\nline = 'B'\ncamera = 'front'\n";

Config parsed(const std::string& text) {
    const ConfigResult result = parse_config({{"good.toml", cameras + text}});
    for (const std::string& warning : result.warnings) STRCMP_EQUAL("", warning.c_str());
    return result.config;
}

/// Each row is added to `before` and refused.
struct Refused {
    const char* line;
    const char* says;
};
template <size_t count>
void check_refused(const std::string& before, const Refused (&rows)[count]) {
    for (const Refused& row : rows) {
        const std::string text = cameras + before + row.line + "\n";
        const std::string error = text_thrown<ConfigError>([&] {
            (void)parse_config({{"bad.toml", text}});
        });
        STRCMP_EQUAL("", missing_in(error, {"bad.toml:", row.says}).c_str());
    }
}

}  // namespace

TEST_GROUP(LineConfigs){};

TEST(LineConfigs, ATriggerHasAllThatIsGiven) {
    const LineConfig line = parsed(button +
                                   "chip = 'gpiochip2'\nactive_low = true\nbias = 'pull-up'\n"
                                   "edge = 'both'\ndebounce_us = 500\nmin_interval_ms = 20\n")
                                .lines.at(0);
    CHECK_TRUE(line.role == LineRole::trigger && line.edge == TriggerEdge::both);
    STRCMP_EQUAL("button gpiochip2 B front",
                 (line.name + " " + line.chip + " " + line.line + " " + line.camera).c_str());
    CHECK_TRUE(line.active_low && line.bias == gpio::Bias::pull_up);
    LONGS_EQUAL(500, line.debounce_us);
    LONGS_EQUAL(20, line.min_interval_ms);
}

TEST(LineConfigs, OutputsHaveDefaults) {
    const Config config = parsed(siren +
                                 "[line.flash]\nrole = 'strobe'\nline = '7'\nchip = 'a'\n"
                                 "drive = 'open-drain'\npulse_us = 250\n");
    const LineConfig& flash = config.lines.at(0);  // by name
    CHECK_TRUE(flash.drive == gpio::Drive::open_drain);
    LONGS_EQUAL(250, flash.pulse_us);
    const LineConfig& line = config.lines.at(1);
    CHECK_TRUE(line.drive == gpio::Drive::push_pull && line.bias == gpio::Bias::as_is);
    CHECK_FALSE(line.active_low);
}

TEST(LineConfigs, BadOnesAreRefused) {
    check_refused("[line.Siren]\n", {{"role = 'alarm'", "a line's name"}});
    check_refused("[line.a]\n", {{"line = 'L'", "\"trigger\", \"alarm\" or \"strobe\""},
                                 {"role = 'input'", "allowed are \"trigger\""},
                                 {"role = 'alarm'", "line is missing"}});
    check_refused("[line.a]\nline = 'L'\nrole = 'trigger'\n",
                  {{"bias = 'none'", "\"pull-down\""},
                   {"", "camera is missing"},
                   {"camera = 'back'", "cameras are: front"}});
    check_refused(button, {{"edge = 'up'", "\"falling\""},
                           {"debounce_us = -1", "from 0 to 10000000"},
                           {"active_low = 1", "true or false"}});
    check_refused(siren, {{"drive = 'both'", "\"open-source\""}});
    check_refused("[line.a]\nline = 'L'\nrole = 'strobe'\n", {{"pulse_us = 99", "from 100"}});
}

TEST(LineConfigs, WhatIsOfAnotherRoleIsUnknown) {
    for (const std::string& text : {siren + "camera = 'front'\n", siren + "pulse_us = 1000\n",
                                    button + "drive = 'open-drain'\n"}) {
        LONGS_EQUAL(1, parse_config({{"f.toml", cameras + text}}).warnings.size());
    }
}

TEST_GROUP(AlarmConfigs) {
    const std::string dark = siren + "[alarm.dark]\ncamera = 'front'\nstatistic = 'mean'\n";
    AlarmConfig alarm(const std::string& rest) const {
        return parsed(dark + rest).alarms.at(0);
    }
};

TEST(AlarmConfigs, HaveAllThatIsGiven) {
    const AlarmConfig one = alarm(
        "below = 20\nhysteresis = 2.5\nhold_frames = 3\nhold_ms = 1500\nlatch = true\n"
        "over_ms = 40\nregion = 'door'\nchannel = 'Y'\nlines = ['siren']\n");
    const AlarmRule expected{.kind = AlarmKind::below,
                             .threshold = 20,
                             .upper = 0,
                             .hysteresis = 2.5,
                             .hold_frames = 3,
                             .hold = std::chrono::milliseconds{1500},
                             .latch = true};
    CHECK_TRUE(one.rule == expected);
    STRCMP_EQUAL("dark front door Y mean siren",
                 (one.name + " " + one.camera + " " + one.region + " " + one.channel + " " +
                  one.statistic + " " + one.lines.at(0))
                     .c_str());
    LONGS_EQUAL(40, one.over_ms);
}

TEST(AlarmConfigs, HaveOneOfFourKinds) {
    CHECK_TRUE(alarm("above = -1").rule.kind == AlarmKind::above);
    CHECK_TRUE(alarm("change = 1.5").rule.kind == AlarmKind::change);
    const AlarmRule between = alarm("between = [3, 4.5]").rule;
    CHECK_TRUE(between.kind == AlarmKind::between);
    DOUBLES_EQUAL(3, between.threshold, 0);
    DOUBLES_EQUAL(4.5, between.upper, 0);
    CHECK_TRUE(parsed("[alarm.lamp]\ncamera = 'front'\nstatistic = 'light'\nabove = 30\n")
                   .alarms.at(0)
                   .statistic == "light");
}

TEST(AlarmConfigs, BadOnesAreRefused) {
    check_refused(dark, {{"", "one of above, below, between and change"},
                         {"above = 1\nbelow = 2", "one of above, below, between and change"},
                         {"above = nan", "a number from"},
                         {"change = -1", "a number from 0"},
                         {"between = [4, 3]", "the smaller one first"},
                         {"between = [1, nan]", "two numbers"},
                         {"between = [1, 'x', 2]", "two numbers"},
                         {"between = 7", "two numbers"}});
    check_refused(dark + "above = 1\n",
                  {{"region = 'sky'", "regions of camera front are: frame, door"},
                   {"hysteresis = -1", "from 0"},
                   {"hold_frames = 0", "from 1"},
                   {"latch = 'yes'", "true or false"},
                   {"lines = ['horn']", "lines are: siren"},
                   {"lines = 'siren'", "a list of texts"}});
    check_refused(button + "[alarm.a]\ncamera = 'front'\nstatistic = 'mean'\nabove = 1\n",
                  {{"lines = ['button']", "which is an input"}});
    check_refused(
        "[alarm.a]\ncamera = 'front'\nabove = 1\n",
        {{"statistic = 'average'", "allowed are samples, mean"}, {"", "statistic is missing"}});
    check_refused("[alarm.a]\nstatistic = 'mean'\nabove = 1\n", {{"camera = 'x'", "cameras are"}});
}
