#include "daemon/config_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daemon/names.hpp"
#include "daemon/statistics.hpp"

namespace glint::config {
namespace {

constexpr std::array<Choice<LineRole>, 3> roles{
    {{"trigger", LineRole::trigger}, {"alarm", LineRole::alarm}, {"strobe", LineRole::strobe}}};
constexpr std::array<Choice<TriggerEdge>, 3> edges{{{"rising", TriggerEdge::rising},
                                                    {"falling", TriggerEdge::falling},
                                                    {"both", TriggerEdge::both}}};
constexpr std::array<Choice<gpio::Bias>, 4> biases{{{"as-is", gpio::Bias::as_is},
                                                    {"disabled", gpio::Bias::disabled},
                                                    {"pull-up", gpio::Bias::pull_up},
                                                    {"pull-down", gpio::Bias::pull_down}}};
constexpr std::array<Choice<gpio::Drive>, 3> drives{{{"push-pull", gpio::Drive::push_pull},
                                                     {"open-drain", gpio::Drive::open_drain},
                                                     {"open-source", gpio::Drive::open_source}}};
/// More than any statistic is: 16-bit samples are below 65536, pictures below 2^32 samples.
constexpr double largest = 4294967296.0;

void check_name(Table& table, std::string_view what) {
    if (!valid_name(table.name())) {
        table.refuse("", fmt::format("{} name is [a-z][a-z0-9_]{{0,31}}", what));
    }
}

template <typename Named>
std::string names_of(const std::vector<Named>& all) {
    std::string text;
    for (const Named& one : all) text += fmt::format("{}{}", text.empty() ? "" : ", ", one.name);
    return text.empty() ? "none is configured" : text;
}

const CameraConfig& read_camera_name(Table& table, const std::vector<CameraConfig>& cameras) {
    const std::string name = table.required_text("camera");
    const auto found = std::ranges::find(cameras, name, &CameraConfig::name);
    if (found == cameras.end()) {
        table.refuse("camera", fmt::format("cameras are: {}", names_of(cameras)));
    }
    return *found;
}

void read_trigger(Table& table, const std::vector<CameraConfig>& cameras, LineConfig& line) {
    line.camera = read_camera_name(table, cameras).name;
    line.edge = table.choice("edge", edges).value_or(line.edge);
    line.debounce_us = table.number("debounce_us", 0, 10'000'000).value_or(0);
    line.min_interval_ms = table.number("min_interval_ms", 0, 3'600'000).value_or(0);
}

/// Exactly one of the kinds.
AlarmRule read_rule(Table& table) {
    AlarmRule rule;
    int kinds = 0;
    const auto take = [&](const char* key, AlarmKind kind, double least) {
        const auto value = table.real(key, least, largest);
        if (!value) return;
        ++kinds;
        rule.kind = kind;
        rule.threshold = *value;
    };
    take("above", AlarmKind::above, -largest);
    take("below", AlarmKind::below, -largest);
    take("change", AlarmKind::change, 0);
    if (const auto ends = table.interval("between", -largest, largest)) {
        ++kinds;
        rule.kind = AlarmKind::between;
        rule.threshold = ends->first;
        rule.upper = ends->second;
    }
    if (kinds != 1) table.refuse("", "takes one of above, below, between and change");
    rule.hysteresis = table.real("hysteresis", 0, largest).value_or(0);
    rule.hold_frames = table.number("hold_frames", 1, 1'000'000).value_or(1);
    rule.hold = std::chrono::milliseconds(
        table.number("hold_ms", 0, most_alarm_seconds * 1000).value_or(0));
    rule.latch = table.flag("latch").value_or(false);
    return rule;
}

void check_region(Table& table, const CameraConfig& camera, const std::string& region) {
    const bool known =
        region == names::whole_frame_region ||
        (region == names::metering_region && camera.metering) ||
        std::ranges::find(camera.regions, region, &RegionConfig::name) != camera.regions.end();
    if (known) return;
    table.refuse("region",
                 fmt::format("regions of camera {} are: frame{}", camera.name,
                             camera.regions.empty() ? "" : ", " + names_of(camera.regions)));
}

}  // namespace

LineConfig read_line(Table& table, const std::vector<CameraConfig>& cameras) {
    check_name(table, "a line's");
    LineConfig line{.name = table.name()};
    const auto role = table.choice("role", roles);
    if (!role) table.refuse("role", "\"trigger\", \"alarm\" or \"strobe\" is expected");
    line.role = *role;
    line.chip = table.text("chip").value_or("");
    line.line = table.required_text("line");
    line.active_low = table.flag("active_low").value_or(false);
    line.bias = table.choice("bias", biases).value_or(line.bias);
    if (line.role == LineRole::trigger) {
        read_trigger(table, cameras, line);
    } else {
        line.drive = table.choice("drive", drives).value_or(line.drive);
    }
    if (line.role == LineRole::strobe) {
        line.pulse_us = table.number("pulse_us", 100, 10'000'000).value_or(line.pulse_us);
    }
    table.warn_unknown();
    return line;
}

AlarmConfig read_alarm(Table& table, const std::vector<CameraConfig>& cameras,
                       const std::vector<LineConfig>& lines) {
    check_name(table, "an alarm's");
    const CameraConfig& camera = read_camera_name(table, cameras);
    AlarmConfig alarm{.name = table.name(), .camera = camera.name};
    alarm.region = table.text("region").value_or(alarm.region);
    check_region(table, camera, alarm.region);
    alarm.channel = table.text("channel").value_or("");
    alarm.statistic = table.required_text("statistic");
    const bool light = alarm.statistic == light_statistic;
    if (!light && find_statistic(alarm.statistic) == nullptr) {
        std::string allowed;
        for (const NamedStatistic& one : all_statistics) allowed += fmt::format("{}, ", one.name);
        table.refuse("statistic", fmt::format("allowed are {}{}", allowed, light_statistic));
    }
    alarm.rule = read_rule(table);
    alarm.over_ms = table.number("over_ms", 1, most_alarm_seconds * 1000).value_or(alarm.over_ms);
    alarm.lines = table.text_list("lines").value_or(alarm.lines);
    for (const std::string& name : alarm.lines) {
        const auto line = std::ranges::find(lines, name, &LineConfig::name);
        if (line == lines.end()) {
            table.refuse("lines", fmt::format("no line is called \"{}\"; lines are: {}", name,
                                              names_of(lines)));
        }
        if (line->role == LineRole::trigger) {
            table.refuse("lines", fmt::format("line {} is a trigger, which is an input", name));
        }
    }
    table.warn_unknown();
    return alarm;
}

}  // namespace glint::config
