// Typed values to and from D-Bus messages, so that no caller spells a signature.
//
// A struct takes part by naming its members once, in the order of the interface:
//     static auto fields(auto& self) { return std::tie(self.name, self.x); }
#pragma once

#include <systemd/sd-bus.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tools/ctl/failure.hpp"

namespace glint::ctl::wire {

// A file descriptor to send: it stays the sender's, the message takes a copy.
struct Descriptor {
    int fd;
};

template <class T>
inline constexpr char code = '\0';
template <>
inline constexpr char code<bool> = 'b';
template <>
inline constexpr char code<std::uint8_t> = 'y';
template <>
inline constexpr char code<std::int16_t> = 'n';
template <>
inline constexpr char code<std::int32_t> = 'i';
template <>
inline constexpr char code<std::uint32_t> = 'u';
template <>
inline constexpr char code<std::int64_t> = 'x';
template <>
inline constexpr char code<std::uint64_t> = 't';
template <>
inline constexpr char code<double> = 'd';
template <>
inline constexpr char code<std::string> = 's';

template <class T>
concept Basic = code<T>
!= '\0';

template <class T>
concept Struct = requires(T& value) {
    T::fields(value);
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_map = false;
template <Basic K, class V>
inline constexpr bool is_map<std::map<K, V>> = true;

// The signature of one value, a struct with its brackets.
template <class T>
std::string signature() {
    if constexpr (Basic<T>) {
        return {code<T>};
    } else if constexpr (is_vector<T>) {
        return "a" + signature<typename T::value_type>();
    } else if constexpr (is_map<T>) {
        return "a{" + signature<typename T::key_type>() + signature<typename T::mapped_type>() +
               "}";
    } else {
        T sample{};
        return std::apply(
            [](const auto&... member) {
                return "(" + (signature<std::remove_cvref_t<decltype(member)>>() + ...) + ")";
            },
            T::fields(sample));
    }
}

// Nothing but a service of another version makes reading fail, or an interface seen mid-change.
inline int expect(int result) {
    if (result < 0)
        throw Failure(
            "glintd answered in a form that this glintctl does not know: are both of one version? "
            "(compare 'glintctl --version' with 'busctl introspect org.glintd1 /org/glintd1')");
    return result;
}

inline void enter(sd_bus_message* message, char type, const std::string& contents) {
    if (expect(sd_bus_message_enter_container(message, type, contents.c_str())) == 0)
        expect(-ENXIO);
}

inline void leave(sd_bus_message* message) {
    expect(sd_bus_message_exit_container(message));
}

inline bool at_end(sd_bus_message* message) {
    return expect(sd_bus_message_at_end(message, 0)) > 0;
}

template <class T>
void read(sd_bus_message* message, T& out);

// Reads the members one after the other: the arguments of a message, or the inside of a struct.
template <Struct T>
void read_fields(sd_bus_message* message, T& out) {
    std::apply([message](auto&... member) { (read(message, member), ...); }, T::fields(out));
}

template <Basic T>
void read_basic(sd_bus_message* message, T& out) {
    if constexpr (std::is_same_v<T, std::string>) {
        const char* text = nullptr;
        if (expect(sd_bus_message_read_basic(message, 's', &text)) == 0) expect(-ENXIO);
        out = text;
    } else if constexpr (std::is_same_v<T, bool>) {
        int value = 0;  // sd-bus writes a whole int for a boolean
        if (expect(sd_bus_message_read_basic(message, 'b', &value)) == 0) expect(-ENXIO);
        out = value != 0;
    } else {
        if (expect(sd_bus_message_read_basic(message, code<T>, &out)) == 0) expect(-ENXIO);
    }
}

template <class T>
void read_map(sd_bus_message* message, T& out) {
    const std::string entry =
        signature<typename T::key_type>() + signature<typename T::mapped_type>();
    out.clear();
    enter(message, 'a', "{" + entry + "}");
    while (!at_end(message)) {
        enter(message, 'e', entry);
        typename T::key_type key{};
        read(message, key);
        read(message, out[key]);
        leave(message);
    }
    leave(message);
}

template <class T>
void read(sd_bus_message* message, T& out) {
    if constexpr (Basic<T>) {
        read_basic(message, out);
    } else if constexpr (is_vector<T>) {
        out.clear();
        enter(message, 'a', signature<typename T::value_type>());
        while (!at_end(message)) read(message, out.emplace_back());
        leave(message);
    } else if constexpr (is_map<T>) {
        read_map(message, out);
    } else {
        const std::string bracketed = signature<T>();
        enter(message, 'r', bracketed.substr(1, bracketed.size() - 2));
        read_fields(message, out);
        leave(message);
    }
}

template <class T>
void read_variant(sd_bus_message* message, T& out) {
    enter(message, 'v', signature<T>());
    read(message, out);
    leave(message);
}

inline void sent(int result) {
    if (result < 0) throw Failure("a D-Bus message could not be built: out of memory?");
}

template <class T>
void append(sd_bus_message* message, const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        sent(sd_bus_message_append_basic(message, 's', value.c_str()));
    } else if constexpr (std::is_same_v<T, Descriptor>) {
        sent(sd_bus_message_append_basic(message, 'h', &value.fd));
    } else if constexpr (std::is_same_v<T, bool>) {
        const int whole = value ? 1 : 0;  // sd-bus reads an int for a boolean
        sent(sd_bus_message_append_basic(message, 'b', &whole));
    } else if constexpr (Basic<T>) {
        sent(sd_bus_message_append_basic(message, code<T>, &value));
    } else if constexpr (is_vector<T>) {
        sent(sd_bus_message_open_container(message, 'a',
                                           signature<typename T::value_type>().c_str()));
        for (const auto& item : value) append(message, item);
        sent(sd_bus_message_close_container(message));
    } else {
        const std::string bracketed = signature<T>();
        sent(sd_bus_message_open_container(message, 'r',
                                           bracketed.substr(1, bracketed.size() - 2).c_str()));
        std::apply([message](const auto&... member) { (append(message, member), ...); },
                   T::fields(value));
        sent(sd_bus_message_close_container(message));
    }
}

}  // namespace glint::ctl::wire
