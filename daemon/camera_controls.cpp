// A camera's knobs, asked for and turned over the bus.
#include <fmt/format.h>

#include "daemon/camera.hpp"
#include "daemon/names.hpp"

namespace glint {
namespace {

/// A bus of an image sensor answers in milliseconds, a webcam in some tenths of seconds each.
constexpr std::chrono::seconds deadline{20};

}  // namespace

std::shared_ptr<const zero_copy::DeviceFd> Camera::control_device() const {
    // While a job of this camera runs the source may be another thread's.
    if (source_ == nullptr || busy_) {
        throw Failure(names::error::not_streaming, fmt::format("camera {} is {}; call Start first",
                                                               config_.name, name_of(state_)));
    }
    return source_->control_device();
}

void Camera::list_controls(std::function<void(Outcome<std::vector<zero_copy::Control>>)> reply) {
    post(
        services_.worker, deadline,
        [device = control_device()] {
            return device == nullptr ? std::vector<zero_copy::Control>()
                                     : zero_copy::list_controls(*device);
        },
        std::move(reply));
}

void Camera::set_control(const std::string& name, int64_t value,
                         std::function<void(Outcome<bool>)> reply) {
    auto device = control_device();
    if (device == nullptr) {
        throw Failure(names::error::control_invalid,
                      fmt::format("camera {} has no controls", config_.name));
    }
    post(
        services_.worker, deadline,
        [device = std::move(device), name, value] {
            try {
                zero_copy::set_control(*device, name, value);
            } catch (const zero_copy::ControlError& error) {
                throw Failure(names::error::control_invalid, error.what());
            }
            return true;
        },
        std::move(reply));
}

}  // namespace glint
