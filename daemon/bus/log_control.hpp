// org.freedesktop.LogControl1, as systemctl service-log-level uses it.
#pragma once

#include "daemon/bus/connection.hpp"

namespace glint::bus {

class LogControl {
  public:
    explicit LogControl(const Connection& connection);

    void get_level(sd_bus_message* reply) const;
    void set_level(sd_bus_message* value);
    void get_target(sd_bus_message* reply) const;
    void set_target(sd_bus_message* value);
    void get_identifier(sd_bus_message* reply) const;

  private:
    Slot slot_;
};

}  // namespace glint::bus
