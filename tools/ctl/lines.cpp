// Lines and alarms: lines, line, alarms, acknowledge; and reload, by which they come and go.
#include <fmt/format.h>

#include <algorithm>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"

namespace glint::ctl {
namespace {

std::string line_text(const LineInfo& line) {
    if (!line.problem.empty()) return fmt::format("cannot be had: {}", line.problem);
    const std::string level = line.active ? "active" : "inactive";
    if (line.role != "trigger") return level;
    return fmt::format("{}, {} edges, {}{} missed", level, line.edges,
                       line.missed_exact ? "" : "at least ", line.missed);
}

std::string rule_text(const AlarmInfo& alarm) {
    const std::string upper = alarm.kind == "between" ? fmt::format(" and {:g}", alarm.upper) : "";
    return fmt::format("{} {} {} {:g}{}", alarm.region, alarm.statistic, alarm.kind,
                       alarm.threshold, upper);
}

std::string alarm_text(const AlarmInfo& alarm) {
    std::string lines;
    for (const std::string& line : alarm.lines) lines += (lines.empty() ? "; " : ", ") + line;
    return fmt::format("{} {}: {} of {}, is {:g}{}\n", alarm.name, alarm.state, rule_text(alarm),
                       alarm.camera, alarm.value, lines);
}

// What a call to an object that is not there means.
template <class Info>
[[noreturn]] void refuse_name(std::string_view kind, const std::string& name,
                              const std::vector<Info>& all) {
    std::string known;
    for (const Info& one : all) known += (known.empty() ? "" : ", ") + one.name;
    throw Failure(
        fmt::format("no {} '{}': there is {}", kind, name, known.empty() ? "none" : known));
}

template <class Info>
void require_name(std::string_view kind, const std::string& name, const std::vector<Info>& all) {
    if (std::ranges::find(all, name, &Info::name) == all.end()) refuse_name(kind, name, all);
}

}  // namespace

void list_lines(Bus& bus) {
    std::string out;
    for (const LineInfo& line : read_lines(bus)) {
        out += fmt::format("{} {}: {}\n", line.name, line.role, line_text(line));
    }
    print(out);
}

void set_line(Bus& bus, const std::string& name, bool active) {
    require_name("line", name, read_lines(bus));
    bus.call(fmt::format("{}/{}", names::line_path_prefix, name), names::line_interface, "Set",
             active);
}

void list_alarms(Bus& bus) {
    std::string out;
    for (const AlarmInfo& alarm : read_alarms(bus)) out += alarm_text(alarm);
    print(out);
}

void acknowledge(Bus& bus, const std::string& name) {
    require_name("alarm", name, read_alarms(bus));
    bus.call(fmt::format("{}/{}", names::alarm_path_prefix, name), names::alarm_interface,
             "Acknowledge");
}

void reload(Bus& bus) {
    bus.call(names::root_path, names::manager_interface, "Reload");
}

}  // namespace glint::ctl
