// Which edge triggers which camera, which result raises which line.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "daemon/alarm.hpp"
#include "daemon/camera.hpp"
#include "daemon/line.hpp"

namespace glint {

/// Loop thread only.
class Wiring {
  public:
    /// What the bus shows comes and goes with these; each has just been made, or is about to go.
    struct Events {
        std::function<void(Line&)> line_added;
        std::function<void(Line&)> line_going;
        std::function<void(Alarm&)> alarm_added;
        std::function<void(Alarm&)> alarm_going;
        std::function<void(Alarm&)> alarm_changed;
    };
    using FindCamera = std::function<Camera*(std::string_view name)>;

    Wiring(Loop& loop, FindCamera find_camera);

    /// Tells of everything that there is.
    void listen(Events events);
    /// What is not as before is made anew, the rest goes on.
    void apply(const std::vector<LineConfig>& lines, const std::vector<AlarmConfig>& alarms);
    void measured(const Camera& camera, const Measurement& measurement);
    void camera_changed(const Camera& camera);

    [[nodiscard]] const std::vector<std::unique_ptr<Line>>& lines() const noexcept {
        return lines_;
    }
    [[nodiscard]] const std::vector<std::unique_ptr<Alarm>>& alarms() const noexcept {
        return alarms_;
    }

  private:
    void add_line(const LineConfig& config);
    void add_alarm(const AlarmConfig& config);
    void remove(Line& line);
    void remove(Alarm& alarm);
    void edge(const LineConfig& line, const gpio::Edge& edge, uint64_t& next_nsec);
    void alarm_changed(Alarm& alarm, AlarmState before);
    void drive_lines(const Alarm& alarm, bool active);

    Loop& loop_;
    FindCamera find_camera_;
    Events events_;
    std::vector<std::unique_ptr<Line>> lines_;
    std::vector<std::unique_ptr<Alarm>> alarms_;
};

}  // namespace glint
