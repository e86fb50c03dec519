#include "daemon/bus/message.hpp"

#include <cerrno>
#include <system_error>

namespace glint::bus {

int set_error(sd_bus_error* error) noexcept {
    try {
        throw;
    } catch (const Failure& failure) {
        sd_bus_error_set(error, failure.name(), failure.what());
        return -EINVAL;
    } catch (const std::system_error& failure) {
        return sd_bus_error_set_errnof(error, failure.code().value(), "%s", failure.what());
    } catch (const std::exception& failure) {
        sd_bus_error_set(error, SD_BUS_ERROR_FAILED, failure.what());
        return -EIO;
    } catch (...) {
        return sd_bus_error_set_errno(error, EIO);
    }
}

void reply_error(const Message& call) noexcept {
    sd_bus_error error{};
    set_error(&error);
    // A caller that has left costs nothing: the bus drops the reply.
    sd_bus_reply_method_error(call.get(), &error);
    sd_bus_error_free(&error);
}

void reply_error(const Message& call, const Failure& failure) noexcept {
    const sd_bus_error error{failure.name(), failure.what(), 0};
    sd_bus_reply_method_error(call.get(), &error);
}

}  // namespace glint::bus
