// A client of the bus, on sd-bus directly.
#pragma once

#include <systemd/sd-bus.h>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/bus/support.hpp"

namespace glint::test {

inline constexpr const char* service_name = "org.glintd1";
inline constexpr const char* manager_path = "/org/glintd1";
inline constexpr const char* manager_interface = "org.glintd1.Manager";
inline constexpr const char* camera_interface = "org.glintd1.Camera";
inline constexpr const char* properties_interface = "org.freedesktop.DBus.Properties";
inline constexpr const char* log_control_path = "/org/freedesktop/LogControl1";
inline constexpr const char* log_control_interface = "org.freedesktop.LogControl1";

/// A D-Bus error as an exception.
class BusError : public std::runtime_error {
  public:
    BusError(std::string name, const std::string& text)
        : std::runtime_error(text), name_(std::move(name)) {}
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

  private:
    std::string name_;
};

/// Throws std::system_error when `result` is a negative errno value.
int check(int result, const char* what);

class Message {
  public:
    Message() = default;
    explicit Message(sd_bus_message* owned) noexcept : raw_(owned) {}
    ~Message() { sd_bus_message_unref(raw_); }
    Message(const Message& other) noexcept : raw_(sd_bus_message_ref(other.raw_)) {}
    Message(Message&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    Message& operator=(Message other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    [[nodiscard]] static Message share(sd_bus_message* raw) {
        return Message(sd_bus_message_ref(raw));
    }
    [[nodiscard]] sd_bus_message* get() const noexcept { return raw_; }

    template <typename... Args>
    const Message& append(const char* types, Args... values) const {
        check(sd_bus_message_append(raw_, types, values...), "cannot build a message");
        return *this;
    }
    /// False at the end of an array.
    template <typename... Args>
    bool read(const char* types, Args*... values) const {
        return check(sd_bus_message_read(raw_, types, values...), "cannot read a message") > 0;
    }
    bool enter(char type, const char* contents) const {
        return check(sd_bus_message_enter_container(raw_, type, contents), "not in the message") >
               0;
    }
    void exit() const { check(sd_bus_message_exit_container(raw_), "not read to the end"); }

  private:
    sd_bus_message* raw_ = nullptr;
};

using Handler = std::function<void(const Message&)>;

/// A handler of signals, for as long as the object lives.
class Subscription {
  public:
    explicit Subscription(Handler handler)
        : handler_(std::make_unique<Handler>(std::move(handler))) {}
    ~Subscription() { sd_bus_slot_unref(slot_); }
    Subscription(Subscription&& other) noexcept
        : handler_(std::move(other.handler_)), slot_(std::exchange(other.slot_, nullptr)) {}
    Subscription& operator=(Subscription&&) = delete;

  private:
    friend class Client;
    std::unique_ptr<Handler> handler_;
    sd_bus_slot* slot_ = nullptr;
};

class Client {
  public:
    explicit Client(const std::string& address);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] sd_bus* get() const noexcept { return bus_; }
    [[nodiscard]] Message new_call(const std::string& path, const char* interface,
                                   const char* member) const;
    /// Throws BusError.
    Message send(const Message& call, milliseconds at_most = seconds(20)) const;
    template <typename... Args>
    Message call(const std::string& path, const char* interface, const char* member,
                 const char* types = "", Args... values) const {
        return send(new_call(path, interface, member).append(types, values...));
    }
    /// The answer, error or not, goes to `answered` during wait_until() or process().
    void send_async(const Message& call, Handler answered);
    /// The handler is called during wait_until() or process(), as long as the result lives.
    [[nodiscard]] Subscription on_signal(const std::string& path, const char* interface,
                                         const char* member, Handler handler);

    /// Whether the service answers a Ping in that time.
    [[nodiscard]] bool answered_within(milliseconds at_most) const;

    /// The reply to Properties.Get, inside the variant.
    [[nodiscard]] Message get(const std::string& path, const char* interface, const char* property,
                              const char* type) const;
    [[nodiscard]] std::string text(const std::string& path, const char* interface,
                                   const char* property) const;

    /// Handles what has come.
    void process() const;
    /// Handles what comes until `met`; fails the test with `what` after the limit.
    void wait_until(const char* what, const std::function<bool()>& met,
                    milliseconds at_most = seconds(20)) const;
    void flush() const;

  private:
    static int handle(sd_bus_message* message, void* handler, sd_bus_error*) noexcept;

    sd_bus* bus_ = nullptr;
    std::list<Handler> handlers_;
};

/// Fails the test unless `act` throws a BusError of that name whose text contains `part`. A name
/// without a dot is one of org.glintd1.Error.
void expect_error(const std::string& name, const std::string& part,
                  const std::function<void()>& act);

}  // namespace glint::test
