#include "daemon/bus/connection.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace glint::bus {
namespace {

constexpr uint64_t last_words_nsec = 100'000'000;
constexpr uint32_t most_looks_in_vain = 8;  // one a second

std::string bus_address() {
    const char* address = std::getenv("DBUS_SYSTEM_BUS_ADDRESS");
    return address != nullptr ? address : "unix:path=/run/dbus/system_bus_socket";
}

}  // namespace

Connection::Connection(Loop& loop)
    : loop_(loop), progress_timer_(loop, [this] { check_progress(); }) {
    const int result = sd_bus_open_system(&bus_);
    if (result < 0) {
        throw std::runtime_error(fmt::format(
            "cannot connect to the system bus at {}: {}; is dbus-daemon or dbus-broker running?",
            bus_address(), std::strerror(-result)));
    }
    check_errno(sd_bus_attach_event(bus_, loop.get(), SD_EVENT_PRIORITY_NORMAL),
                "cannot attach the bus to the event loop");
    sd_bus_slot* slot = nullptr;
    check_errno(sd_bus_match_signal(bus_, &slot, "org.freedesktop.DBus.Local",
                                    "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
                                    "Disconnected", on_disconnected, this),
                "cannot watch the bus connection");
    disconnected_ = Slot(slot);
    check_progress();
}

Connection::~Connection() {
    // Replies that are queued should still go out, but sd_bus_flush would wait for ever for a bus
    // that does not read.
    const uint64_t deadline = now_nsec() + last_words_nsec;
    while (queued_messages() > 0 && now_nsec() < deadline) {
        pollfd bus{.fd = sd_bus_get_fd(bus_), .events = POLLOUT, .revents = 0};
        if (::poll(&bus, 1, 10) > 0 && sd_bus_process(bus_, nullptr) < 0) break;
    }
    sd_bus_detach_event(bus_);
    sd_bus_close(bus_);
    sd_bus_unref(bus_);
}

/// A listener that does not read its signals fills the bus's quota for us, and then the bus reads
/// nothing of ours any more, replies included. Only another connection helps: end, and be started
/// again.
void Connection::check_progress() {
    const uint64_t waiting = queued_messages();
    looks_in_vain_ = waiting != 0 && waiting >= waiting_ ? looks_in_vain_ + 1 : 0;
    waiting_ = waiting;
    if (looks_in_vain_ > most_looks_in_vain) {
        throw std::runtime_error(
            fmt::format("the bus has taken no message for {} s while {} wait: a listener that does "
                        "not read its "
                        "signals has used up our quota",
                        most_looks_in_vain, waiting));
    }
    progress_timer_.arm(std::chrono::seconds(1));
}

/// A service that nobody can reach is of no use: end, and be started again.
int Connection::on_disconnected(sd_bus_message*, void* self, sd_bus_error*) noexcept {
    static_cast<Connection*>(self)->loop_.guarded(
        [] { throw std::runtime_error("the connection to the system bus was lost"); });
    return 0;
}

Slot Connection::export_object(const std::string& path, const char* interface,
                               const sd_bus_vtable* vtable, void* object) const {
    sd_bus_slot* slot = nullptr;
    check_errno(sd_bus_add_object_vtable(bus_, &slot, path.c_str(), interface, vtable, object),
                "cannot export " + path);
    return Slot(slot);
}

Slot Connection::export_object_manager(const char* path) const {
    sd_bus_slot* slot = nullptr;
    check_errno(sd_bus_add_object_manager(bus_, &slot, path), "cannot export the object manager");
    return Slot(slot);
}

void Connection::announce(const std::string& path) const noexcept {
    sd_bus_emit_object_added(bus_, path.c_str());
}

void Connection::withdraw(const std::string& path) const noexcept {
    sd_bus_emit_object_removed(bus_, path.c_str());
}

void Connection::request_name(const char* name) const {
    const int result = sd_bus_request_name(bus_, name, 0);
    if (result >= 0) return;
    if (result == -EEXIST) {
        throw std::runtime_error(
            fmt::format("the bus name {} is taken: another glintd runs on this bus", name));
    }
    if (result == -EACCES || result == -EPERM) {
        throw std::runtime_error(
            fmt::format("the bus does not let user {} own the name {}: install the policy file "
                        "org.glintd1.conf into dbus-1/system.d and run as the user it names",
                        ::getuid(), name));
    }
    throw std::runtime_error(
        fmt::format("cannot own the bus name {}: {}", name, std::strerror(-result)));
}

uint64_t Connection::queued_messages() const noexcept {
    uint64_t count = 0;
    return sd_bus_get_n_queued_write(bus_, &count) < 0 ? 0 : count;
}

}  // namespace glint::bus
