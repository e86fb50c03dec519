// Edges of lines that ask a camera for a measurement.
#include "daemon/camera.hpp"
#include "daemon/stream.hpp"

namespace glint {

void Camera::trigger(Trigger trigger) {
    if (wanted_ && state_ == CameraState::streaming) {
        counters_.triggers_missed += triggers_.arm(std::move(trigger));
    } else {
        ++counters_.triggers_missed;
    }
}

FrameTime Camera::frame_time(uint64_t timestamp_nsec, int32_t exposure_usec) const {
    return {.timestamp_source = source_->timestamp_source(),
            .timestamp_nsec = timestamp_nsec,
            .rate = info_.rate,
            .exposure_usec = exposure_usec};
}

std::optional<Trigger> Camera::answered_by(const zero_copy::Captured& frame) {
    if (triggers_.empty()) return std::nullopt;
    const FrameTime time = frame_time(frame.timestamp_nsec, frame.exposure_usec);
    return triggers_.answer(exposure_start_nsec(time), counters_.triggers_missed);
}

bool Camera::basis_changed(const Measurement& measurement) {
    const FrameTime time = frame_time(measurement.timestamp_nsec, measurement.exposure_usec);
    const std::string_view basis = glint::trigger_basis(time);
    if (trigger_basis_ == basis) return false;
    trigger_basis_ = basis;
    return true;
}

}  // namespace glint
