#include "daemon/bus/log_control.hpp"

#include <fmt/format.h>

#include "daemon/bus/message.hpp"
#include "daemon/log.hpp"
#include "daemon/names.hpp"

namespace glint::bus {
namespace {

const sd_bus_vtable* log_control_vtable() {
    using L = LogControl;
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_WRITABLE_PROPERTY("LogLevel", "s", (property<L, &L::get_level>),
                                 (set_property<L, &L::set_level>), 0, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_WRITABLE_PROPERTY("LogTarget", "s", (property<L, &L::get_target>),
                                 (set_property<L, &L::set_target>), 0, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_PROPERTY("SyslogIdentifier", "s", (property<L, &L::get_identifier>), 0,
                        SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_VTABLE_END};
    return vtable;
}

std::string_view text_of(sd_bus_message* value) {
    const char* text = nullptr;
    read(value, "s", &text);
    return text;
}

}  // namespace

LogControl::LogControl(const Connection& connection)
    : slot_(connection.export_object(names::log_control_path, names::log_control_interface,
                                     log_control_vtable(), this)) {}

void LogControl::get_level(sd_bus_message* reply) const {
    append(reply, "s", log::level_name(log::max_level()).data());
}

void LogControl::set_level(sd_bus_message* value) {
    const std::string_view name = text_of(value);
    log::Level level{};
    if (!log::parse_level(name, level)) {
        throw Failure(
            SD_BUS_ERROR_INVALID_ARGS,
            fmt::format("LogLevel \"{}\"; allowed are err, warning, notice, info, debug", name));
    }
    log::set_max_level(level);
}

void LogControl::get_target(sd_bus_message* reply) const {
    append(reply, "s", log::target() == log::Target::journal ? "journal" : "console");
}

void LogControl::set_target(sd_bus_message* value) {
    const std::string_view name = text_of(value);
    if (name == "journal") return log::set_target(log::Target::journal);
    if (name == "console") return log::set_target(log::Target::console);
    if (name == "auto") return log::set_target(log::Target::automatic);
    throw Failure(SD_BUS_ERROR_INVALID_ARGS,
                  fmt::format("LogTarget \"{}\"; allowed are auto, console, journal", name));
}

void LogControl::get_identifier(sd_bus_message* reply) const {
    append(reply, "s", names::syslog_identifier);
}

}  // namespace glint::bus
