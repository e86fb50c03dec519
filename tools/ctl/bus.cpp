#include "tools/ctl/bus.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "daemon/names.hpp"

namespace glint::ctl {
namespace {

struct ErrorGuard {
    sd_bus_error error{};
    ErrorGuard() = default;
    ErrorGuard(const ErrorGuard&) = delete;
    ErrorGuard& operator=(const ErrorGuard&) = delete;
    ~ErrorGuard() { sd_bus_error_free(&error); }
};

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    for (const std::string_view candidate : names)
        if (name == candidate) return true;
    return false;
}

bool means_not_running(std::string_view name) {
    return one_of(name, {SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER,
                         "org.freedesktop.DBus.Error.Disconnected"});
}

bool means_denied(std::string_view name) {
    return one_of(name, {SD_BUS_ERROR_ACCESS_DENIED, SD_BUS_ERROR_AUTH_FAILED,
                         SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED});
}

bool means_silent(std::string_view name) {
    return one_of(
        name, {SD_BUS_ERROR_NO_REPLY, SD_BUS_ERROR_TIMEOUT, "org.freedesktop.DBus.Error.TimedOut"});
}

// The line that the user reads, with what to do next where that is known.
std::string explain(const char* member, std::string_view name, std::string_view text) {
    if (means_not_running(name))
        return "glintd is not running: start it with 'systemctl start glintd'";
    if (means_denied(name))
        return fmt::format(
            "{} was refused: it needs membership of the group glintd "
            "('usermod -aG glintd USER', then log in again) or root",
            member);
    if (means_silent(name))
        return fmt::format("glintd did not answer {} in time: see 'journalctl -u glintd'", member);
    if (name.starts_with(names::error_prefix))
        return fmt::format("{} ({})", text, name.substr(names::error_prefix.size()));
    return fmt::format("{} failed: {} ({})", member, text, name);
}

std::string address_in_use() {
    const char* address = std::getenv("DBUS_SYSTEM_BUS_ADDRESS");
    return address != nullptr ? fmt::format("at {} (DBUS_SYSTEM_BUS_ADDRESS)", address)
                              : "at its usual place";
}

}  // namespace

bool BusError::means_absent() const {
    return one_of(name_, {SD_BUS_ERROR_UNKNOWN_OBJECT, SD_BUS_ERROR_UNKNOWN_INTERFACE,
                          SD_BUS_ERROR_UNKNOWN_METHOD, SD_BUS_ERROR_UNKNOWN_PROPERTY});
}

Bus::Bus() {
    sd_bus* bus = nullptr;
    const int result = sd_bus_open_system(&bus);
    bus_.reset(bus);
    if (result < 0)
        throw Failure(fmt::format("no system bus {}: {}: is dbus-daemon or dbus-broker running?",
                                  address_in_use(), std::strerror(-result)));
}

void Bus::set_timeout(std::chrono::microseconds timeout) {
    sd_bus_set_method_call_timeout(bus_.get(), static_cast<std::uint64_t>(timeout.count()));
}

Message Bus::request_for(const std::string& path, const char* interface, const char* member) {
    sd_bus_message* request = nullptr;
    wire::sent(sd_bus_message_new_method_call(bus_.get(), &request, names::bus_name, path.c_str(),
                                              interface, member));
    Message owned(request);
    // A look at the service must not start the service, and with it the cameras.
    wire::sent(sd_bus_message_set_auto_start(request, 0));
    return owned;
}

Message Bus::send(sd_bus_message* request, const char* member) {
    ErrorGuard guard;
    sd_bus_message* reply = nullptr;
    const int result = sd_bus_call(bus_.get(), request, 0, &guard.error, &reply);
    Message owned(reply);
    if (result >= 0) return owned;
    if (sd_bus_error_is_set(&guard.error) == 0)
        throw Failure(fmt::format("{} failed: {}", member, std::strerror(-result)));
    const std::string name = guard.error.name;
    const std::string text = guard.error.message != nullptr ? guard.error.message : "";
    throw BusError(name, text, explain(member, name, text));
}

}  // namespace glint::ctl
