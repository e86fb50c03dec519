// An sd-bus connection on the loop.
#pragma once

#include <systemd/sd-bus.h>

#include <string>

#include "daemon/loop.hpp"

namespace glint::bus {

/// A vtable on a path, for as long as the object lives.
class Slot {
  public:
    Slot() = default;
    explicit Slot(sd_bus_slot* owned) noexcept : raw_(owned) {}
    ~Slot() { sd_bus_slot_unref(raw_); }
    Slot(Slot&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    Slot& operator=(Slot&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

  private:
    sd_bus_slot* raw_ = nullptr;
};

class Connection {
  public:
    /// The system bus, or the one at $DBUS_SYSTEM_BUS_ADDRESS. Throws std::runtime_error with the
    /// address that was tried.
    explicit Connection(Loop& loop);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] sd_bus* get() const noexcept { return bus_; }
    [[nodiscard]] Slot export_object(const std::string& path, const char* interface,
                                     const sd_bus_vtable* vtable, void* object) const;
    [[nodiscard]] Slot export_object_manager(const char* path) const;
    /// Tells clients that an object has come, after it was exported, or is about to go. Before the
    /// name is ours nobody hears it.
    void announce(const std::string& path) const noexcept;
    void withdraw(const std::string& path) const noexcept;
    /// Throws std::runtime_error that names user, bus name and the policy file.
    void request_name(const char* name) const;
    /// Messages that the bus has not taken yet.
    [[nodiscard]] uint64_t queued_messages() const noexcept;

  private:
    static int on_disconnected(sd_bus_message*, void* self, sd_bus_error*) noexcept;
    void check_progress();

    Loop& loop_;
    sd_bus* bus_ = nullptr;
    Slot disconnected_;
    Timer progress_timer_;
    uint64_t waiting_ = 0;        ///< queued messages at the last look
    uint32_t looks_in_vain_ = 0;  ///< in a row, without fewer of them
};

}  // namespace glint::bus
