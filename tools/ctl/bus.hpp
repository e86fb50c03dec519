// The system bus and the service on it; every error leaves here as a Failure with its next step.
#pragma once

#include <systemd/sd-bus.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "tools/ctl/failure.hpp"
#include "tools/ctl/wire.hpp"

namespace glint::ctl {

// An answer that is an error. what() is ready for the user; name() tells errors apart.
class BusError : public Failure {
  public:
    BusError(std::string name, std::string text, const std::string& line)
        : Failure(line), name_(std::move(name)), text_(std::move(text)) {}

    const std::string& name() const { return name_; }
    // What the service said.
    const std::string& text() const { return text_; }
    // The object or the interface does not exist.
    bool means_absent() const;

  private:
    std::string name_;
    std::string text_;
};

struct MessageUnref {
    void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, MessageUnref>;

class Bus {
  public:
    // Connects to the system bus, or to the one that DBUS_SYSTEM_BUS_ADDRESS names.
    Bus();

    sd_bus* get() const { return bus_.get(); }
    void set_timeout(std::chrono::microseconds timeout);

    template <class... In>
    Message call(const std::string& path, const char* interface, const char* member,
                 const In&... arguments) {
        const Message request = request_for(path, interface, member);
        (wire::append(request.get(), arguments), ...);
        return send(request.get(), member);
    }

  private:
    struct Close {
        void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
    };

    Message request_for(const std::string& path, const char* interface, const char* member);
    Message send(sd_bus_message* request, const char* member);

    std::unique_ptr<sd_bus, Close> bus_;
};

}  // namespace glint::ctl
