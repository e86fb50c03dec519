#include "daemon/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/log.hpp"
#include "daemon/names.hpp"

namespace glint {
namespace {

bool triggers(TriggerEdge wanted, bool rising) noexcept {
    return wanted == TriggerEdge::both || (wanted == TriggerEdge::rising) == rising;
}

/// Those of `all` that `wanted` does not have as they are.
template <typename Thing, typename Config>
std::vector<Thing*> outdated(const std::vector<std::unique_ptr<Thing>>& all,
                             const std::vector<Config>& wanted) {
    std::vector<Thing*> result;
    for (const auto& one : all) {
        if (std::ranges::find(wanted, one->config()) == wanted.end()) result.push_back(one.get());
    }
    return result;
}

template <typename Thing>
bool has(const std::vector<std::unique_ptr<Thing>>& all, std::string_view name) {
    return std::ranges::any_of(all, [&](const auto& one) { return one->config().name == name; });
}

}  // namespace

Wiring::Wiring(Loop& loop, FindCamera find_camera)
    : loop_(loop), find_camera_(std::move(find_camera)) {}

void Wiring::listen(Events events) {
    events_ = std::move(events);
    for (const auto& line : lines_) {
        if (events_.line_added) events_.line_added(*line);
    }
    for (const auto& alarm : alarms_) {
        if (events_.alarm_added) events_.alarm_added(*alarm);
    }
}

void Wiring::apply(const std::vector<LineConfig>& lines, const std::vector<AlarmConfig>& alarms) {
    for (Alarm* alarm : outdated(alarms_, alarms)) remove(*alarm);
    for (Line* line : outdated(lines_, lines)) remove(*line);
    for (const LineConfig& line : lines) {
        if (!has(lines_, line.name)) add_line(line);
    }
    for (const AlarmConfig& alarm : alarms) {
        if (!has(alarms_, alarm.name)) add_alarm(alarm);
    }
    // A line that was made anew knows nothing of alarms that were not.
    for (const auto& alarm : alarms_) drive_lines(*alarm, is_active(alarm->state()));
}

void Wiring::add_line(const LineConfig& config) {
    Line& line = *lines_.emplace_back(std::make_unique<Line>(
        loop_, config, [this, config, next_nsec = uint64_t{0}](const gpio::Edge& one) mutable {
            edge(config, one, next_nsec);
        }));
    line.open();
    if (events_.line_added) events_.line_added(line);
}

void Wiring::add_alarm(const AlarmConfig& config) {
    Alarm& alarm = *alarms_.emplace_back(std::make_unique<Alarm>(
        config, [this](Alarm& changed, AlarmState before) { alarm_changed(changed, before); }));
    if (events_.alarm_added) events_.alarm_added(alarm);
}

void Wiring::remove(Line& line) {
    if (events_.line_going) events_.line_going(line);
    std::erase_if(lines_, [&](const auto& one) { return one.get() == &line; });
}

void Wiring::remove(Alarm& alarm) {
    drive_lines(alarm, false);
    if (events_.alarm_going) events_.alarm_going(alarm);
    std::erase_if(alarms_, [&](const auto& one) { return one.get() == &alarm; });
}

/// `next_nsec`: before which the line's edges come too soon.
void Wiring::edge(const LineConfig& line, const gpio::Edge& edge, uint64_t& next_nsec) {
    if (!triggers(line.edge, edge.rising)) return;
    Camera* camera = find_camera_(line.camera);
    if (camera == nullptr) return;  // it is being replaced
    if (edge.timestamp_nsec < next_nsec) {
        ++camera->counters().triggers_missed;
        return;
    }
    next_nsec = edge.timestamp_nsec + uint64_t{line.min_interval_ms} * 1'000'000;
    camera->trigger(
        {.line = line.name, .sequence = edge.sequence, .timestamp_nsec = edge.timestamp_nsec});
}

void Wiring::measured(const Camera& camera, const Measurement& measurement) {
    for (const auto& alarm : alarms_) {
        if (alarm->config().camera == camera.config().name) alarm->measured(measurement);
    }
}

/// One that starts anew, after a fault or for another GPU, has not been lost yet.
void Wiring::camera_changed(const Camera& camera) {
    const CameraState state = camera.state();
    if (state == CameraState::streaming || state == CameraState::starting) return;
    for (const auto& alarm : alarms_) {
        if (alarm->config().camera == camera.config().name) alarm->lost();
    }
}

void Wiring::alarm_changed(Alarm& alarm, AlarmState before) {
    // The lines first: somebody waits for them.
    drive_lines(alarm, is_active(alarm.state()));
    if (events_.alarm_changed) events_.alarm_changed(alarm);
    const bool raised = alarm.state() == AlarmState::raised;
    if (!raised && !is_active(before)) return;  // nothing to tell people
    const char* message = raised ? names::message::alarm_raised : names::message::alarm_over;
    log::write(raised ? log::Level::warning : log::Level::notice,
               fmt::format("alarm {} is {}: {} of {} in {} is {:.6g}", alarm.config().name,
                           name_of(alarm.state()), alarm.config().statistic, alarm.config().region,
                           alarm.config().camera, alarm.value()),
               {{names::field_message_id, message},
                {names::field_alarm, alarm.config().name},
                {names::field_camera, alarm.config().camera}});
}

void Wiring::drive_lines(const Alarm& alarm, bool active) {
    for (const auto& line : lines_) {
        const auto& wanted = alarm.config().lines;
        if (std::ranges::find(wanted, line->config().name) != wanted.end()) {
            line->hold("alarm " + alarm.config().name, active);
        }
    }
}

}  // namespace glint
