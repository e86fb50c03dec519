#include "daemon/bus/alarm_object.hpp"

#include <fmt/format.h>

#include "daemon/bus/message.hpp"
#include "daemon/names.hpp"

namespace glint::bus {
namespace {

using A = AlarmObject;

const sd_bus_vtable* alarm_vtable() {
    constexpr uint64_t constant = SD_BUS_VTABLE_PROPERTY_CONST;
    constexpr uint64_t changes = SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
    constexpr uint64_t anyone = SD_BUS_VTABLE_UNPRIVILEGED;  // the bus policy decides who may
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Camera", "s", (property<A, &A::get_camera>), 0, constant),
        SD_BUS_PROPERTY("Region", "s", (property<A, &A::get_region>), 0, constant),
        SD_BUS_PROPERTY("Statistic", "s", (property<A, &A::get_statistic>), 0, constant),
        SD_BUS_PROPERTY("Kind", "s", (property<A, &A::get_kind>), 0, constant),
        SD_BUS_PROPERTY("Lines", "as", (property<A, &A::get_lines>), 0, constant),
        SD_BUS_PROPERTY("State", "s", (property<A, &A::get_state>), 0, changes),
        SD_BUS_PROPERTY("SinceNSec", "t", (property<A, &A::get_since>), 0, changes),
        SD_BUS_PROPERTY("Value", "d", (property<A, &A::get_value>), 0, 0),
        SD_BUS_WRITABLE_PROPERTY("Threshold", "d", (property<A, &A::get_threshold>),
                                 (set_property<A, &A::set_threshold>), 0, changes | anyone),
        SD_BUS_WRITABLE_PROPERTY("UpperThreshold", "d", (property<A, &A::get_upper_threshold>),
                                 (set_property<A, &A::set_upper_threshold>), 0, changes | anyone),
        SD_BUS_WRITABLE_PROPERTY("Hysteresis", "d", (property<A, &A::get_hysteresis>),
                                 (set_property<A, &A::set_hysteresis>), 0, changes | anyone),
        SD_BUS_METHOD("Acknowledge", "", "", (method<A, &A::acknowledge>), anyone),
        SD_BUS_VTABLE_END};
    return vtable;
}

double read_number(sd_bus_message* value) {
    double number = 0;
    read(value, "d", &number);
    return number;
}

}  // namespace

AlarmObject::AlarmObject(const Connection& connection, Alarm& alarm)
    : connection_(connection),
      alarm_(alarm),
      path_(fmt::format("{}/{}", names::alarm_path_prefix, alarm.config().name)),
      slot_(connection.export_object(path_, names::alarm_interface, alarm_vtable(), this)) {
    connection_.announce(path_);
}

AlarmObject::~AlarmObject() {
    connection_.withdraw(path_);
}

void AlarmObject::changed() const {
    sd_bus_emit_properties_changed(connection_.get(), path_.c_str(), names::alarm_interface,
                                   "State", "SinceNSec", nullptr);
}

void AlarmObject::property_changed(const char* name) const {
    sd_bus_emit_properties_changed(connection_.get(), path_.c_str(), names::alarm_interface, name,
                                   nullptr);
}

void AlarmObject::get_camera(sd_bus_message* reply) const {
    append(reply, "s", alarm_.config().camera.c_str());
}

void AlarmObject::get_region(sd_bus_message* reply) const {
    append(reply, "s", alarm_.config().region.c_str());
}

void AlarmObject::get_statistic(sd_bus_message* reply) const {
    append(reply, "s", alarm_.config().statistic.c_str());
}

void AlarmObject::get_kind(sd_bus_message* reply) const {
    append(reply, "s", name_of(alarm_.config().rule.kind));
}

void AlarmObject::get_lines(sd_bus_message* reply) const {
    const Container list(reply, SD_BUS_TYPE_ARRAY, "s");
    for (const std::string& line : alarm_.config().lines) append(reply, "s", line.c_str());
}

void AlarmObject::get_state(sd_bus_message* reply) const {
    append(reply, "s", name_of(alarm_.state()));
}

void AlarmObject::get_since(sd_bus_message* reply) const {
    append(reply, "t", alarm_.since_nsec());
}

void AlarmObject::get_value(sd_bus_message* reply) const {
    append(reply, "d", alarm_.value());
}

void AlarmObject::get_threshold(sd_bus_message* reply) const {
    append(reply, "d", alarm_.config().rule.threshold);
}

void AlarmObject::set_threshold(sd_bus_message* value) {
    alarm_.set_thresholds(read_number(value), alarm_.config().rule.upper);
    property_changed("Threshold");
}

void AlarmObject::get_upper_threshold(sd_bus_message* reply) const {
    append(reply, "d", alarm_.config().rule.upper);
}

void AlarmObject::set_upper_threshold(sd_bus_message* value) {
    alarm_.set_thresholds(alarm_.config().rule.threshold, read_number(value));
    property_changed("UpperThreshold");
}

void AlarmObject::get_hysteresis(sd_bus_message* reply) const {
    append(reply, "d", alarm_.config().rule.hysteresis);
}

void AlarmObject::set_hysteresis(sd_bus_message* value) {
    alarm_.set_hysteresis(read_number(value));
    property_changed("Hysteresis");
}

void AlarmObject::acknowledge(sd_bus_message* call) {
    alarm_.acknowledge();
    check_errno(sd_bus_reply_method_return(call, ""), "cannot reply");
}

}  // namespace glint::bus
