// org.glintd1.Alarm on /org/glintd1/alarm/NAME.
#pragma once

#include <string>

#include "daemon/alarm.hpp"
#include "daemon/bus/connection.hpp"

namespace glint::bus {

class AlarmObject {
  public:
    AlarmObject(const Connection& connection, Alarm& alarm);
    ~AlarmObject();
    AlarmObject(const AlarmObject&) = delete;
    AlarmObject& operator=(const AlarmObject&) = delete;

    [[nodiscard]] const Alarm& alarm() const noexcept { return alarm_; }
    /// Signals the properties that change with the state.
    void changed() const;

    void get_camera(sd_bus_message* reply) const;
    void get_region(sd_bus_message* reply) const;
    void get_statistic(sd_bus_message* reply) const;
    void get_kind(sd_bus_message* reply) const;
    void get_lines(sd_bus_message* reply) const;
    void get_state(sd_bus_message* reply) const;
    void get_since(sd_bus_message* reply) const;
    void get_value(sd_bus_message* reply) const;
    void get_threshold(sd_bus_message* reply) const;
    void set_threshold(sd_bus_message* value);
    void get_upper_threshold(sd_bus_message* reply) const;
    void set_upper_threshold(sd_bus_message* value);
    void get_hysteresis(sd_bus_message* reply) const;
    void set_hysteresis(sd_bus_message* value);
    void acknowledge(sd_bus_message* call);

  private:
    void property_changed(const char* name) const;

    const Connection& connection_;
    Alarm& alarm_;
    std::string path_;
    Slot slot_;
};

}  // namespace glint::bus
