#include "tests/bus/client.hpp"

#include <algorithm>
#include <system_error>

#include <CppUTest/TestHarness.h>

namespace glint::test {

int check(int result, const char* what) {
    if (result < 0) throw std::system_error(-result, std::generic_category(), what);
    return result;
}

Client::Client(const std::string& address) {
    check(sd_bus_new(&bus_), "sd_bus_new");
    check(sd_bus_set_address(bus_, address.c_str()), "sd_bus_set_address");
    check(sd_bus_set_bus_client(bus_, 1), "sd_bus_set_bus_client");
    check(sd_bus_negotiate_fds(bus_, 1), "sd_bus_negotiate_fds");
    check(sd_bus_start(bus_), "the bus does not answer");
}

Client::~Client() {
    sd_bus_close(bus_);
    sd_bus_unref(bus_);
}

Message Client::new_call(const std::string& path, const char* interface, const char* member) const {
    sd_bus_message* raw = nullptr;
    check(sd_bus_message_new_method_call(bus_, &raw, service_name, path.c_str(), interface, member),
          member);
    return Message(raw);
}

Message Client::send(const Message& call, milliseconds at_most) const {
    sd_bus_error error{};
    sd_bus_message* reply = nullptr;
    const auto usec = static_cast<uint64_t>(at_most.count()) * 1000;
    const int result = sd_bus_call(bus_, call.get(), usec, &error, &reply);
    if (result >= 0) return Message(reply);
    const BusError failure(error.name != nullptr ? error.name : "none",
                           error.message != nullptr ? error.message : "");
    sd_bus_error_free(&error);
    throw failure;
}

int Client::handle(sd_bus_message* message, void* handler, sd_bus_error*) noexcept {
    (*static_cast<Handler*>(handler))(Message::share(message));
    return 0;
}

void Client::send_async(const Message& call, Handler answered) {
    handlers_.push_back(std::move(answered));
    constexpr uint64_t at_most_usec = 60'000'000;
    check(sd_bus_call_async(bus_, nullptr, call.get(), handle, &handlers_.back(), at_most_usec),
          "cannot send a call");
}

Subscription Client::on_signal(const std::string& path, const char* interface, const char* member,
                               Handler handler) {
    Subscription result(std::move(handler));
    check(sd_bus_match_signal(bus_, &result.slot_, service_name, path.c_str(), interface, member,
                              handle, result.handler_.get()),
          "cannot listen");
    return result;
}

bool Client::answered_within(milliseconds at_most) const {
    try {
        send(new_call("/", "org.freedesktop.DBus.Peer", "Ping"), at_most);
        return true;
    } catch (const BusError&) {
        return false;
    }
}

Message Client::get(const std::string& path, const char* interface, const char* property,
                    const char* type) const {
    Message reply = call(path, properties_interface, "Get", "ss", interface, property);
    reply.enter(SD_BUS_TYPE_VARIANT, type);
    return reply;
}

std::string Client::text(const std::string& path, const char* interface,
                         const char* property) const {
    const Message reply = get(path, interface, property, "s");
    const char* value = nullptr;
    reply.read("s", &value);
    return value;
}

void Client::process() const {
    while (check(sd_bus_process(bus_, nullptr), "the bus is gone") > 0) {
    }
}

void Client::wait_until(const char* what, const std::function<bool()>& met,
                        milliseconds at_most) const {
    const milliseconds end = now() + at_most;
    while (true) {
        process();
        if (met()) return;
        if (now() >= end) FAIL(what);
        constexpr uint64_t step_usec = 10'000;
        sd_bus_wait(bus_, step_usec);
    }
}

void Client::flush() const {
    check(sd_bus_flush(bus_), "cannot send");
}

void expect_error(const std::string& name, const std::string& part,
                  const std::function<void()>& act) {
    const std::string full = contains(name, ".") ? name : "org.glintd1.Error." + name;
    try {
        act();
    } catch (const BusError& error) {
        STRCMP_EQUAL(full.c_str(), error.name().c_str());
        STRCMP_CONTAINS(part.c_str(), error.what());
        return;
    }
    FAIL(("no error; expected " + full + " with " + part).c_str());
}

}  // namespace glint::test
