// sd-bus with exceptions: messages that count their references, and the one place where a C++
// exception becomes a D-Bus error.
#pragma once

#include <systemd/sd-bus.h>

#include <string>
#include <string_view>
#include <utility>

#include "daemon/failure.hpp"
#include "daemon/loop.hpp"

namespace glint::bus {

/// A counted reference to a message.
class Message {
  public:
    Message() = default;
    /// Takes over the caller's reference.
    explicit Message(sd_bus_message* owned) noexcept : raw_(owned) {}
    /// Adds a reference, to answer later.
    [[nodiscard]] static Message share(sd_bus_message* message) noexcept {
        return Message(sd_bus_message_ref(message));
    }
    ~Message() { sd_bus_message_unref(raw_); }
    Message(const Message& other) noexcept : raw_(sd_bus_message_ref(other.raw_)) {}
    Message& operator=(Message other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    [[nodiscard]] sd_bus_message* get() const noexcept { return raw_; }

  private:
    sd_bus_message* raw_ = nullptr;
};

/// Appends basic values and strings as sd_bus_message_append does. Throws std::system_error.
template <typename... Args>
void append(sd_bus_message* message, const char* types, Args... values) {
    check_errno(sd_bus_message_append(message, types, values...), "cannot build a message");
}

template <typename... Args>
void read(sd_bus_message* message, const char* types, Args*... values) {
    check_errno(sd_bus_message_read(message, types, values...), "cannot read a message");
}

[[nodiscard]] inline std::string read_text(sd_bus_message* message) {
    const char* text = nullptr;
    read(message, "s", &text);
    return text;
}

/// An array, struct or dictionary entry, open for the life of the object.
class Container {
  public:
    Container(sd_bus_message* message, char type, const char* contents) : message_(message) {
        check_errno(sd_bus_message_open_container(message, type, contents),
                    "cannot build a message");
    }
    ~Container() { sd_bus_message_close_container(message_); }
    Container(const Container&) = delete;
    Container& operator=(const Container&) = delete;

  private:
    sd_bus_message* message_;
};

/// Fills `error` from the exception that is being handled; returns a negative errno value.
int set_error(sd_bus_error* error) noexcept;

/// Answers a method call with the exception that is being handled.
void reply_error(const Message& call) noexcept;
void reply_error(const Message& call, const Failure& failure) noexcept;

/// A method handler of T as sd-bus wants it. The method sends the reply itself, now or later.
template <typename T, void (T::*Method)(sd_bus_message*)>
int method(sd_bus_message* message, void* self, sd_bus_error* error) noexcept {
    try {
        (static_cast<T*>(self)->*Method)(message);
        return 1;
    } catch (...) {
        return set_error(error);
    }
}

/// A property getter of T, which appends the value.
template <typename T, void (T::*Get)(sd_bus_message*) const>
int property(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* self,
             sd_bus_error* error) noexcept {
    try {
        (static_cast<const T*>(self)->*Get)(reply);
        return 1;
    } catch (...) {
        return set_error(error);
    }
}

/// A property setter of T, which reads the value.
template <typename T, void (T::*Set)(sd_bus_message*)>
int set_property(sd_bus*, const char*, const char*, const char*, sd_bus_message* value, void* self,
                 sd_bus_error* error) noexcept {
    try {
        (static_cast<T*>(self)->*Set)(value);
        return 1;
    } catch (...) {
        return set_error(error);
    }
}

}  // namespace glint::bus
