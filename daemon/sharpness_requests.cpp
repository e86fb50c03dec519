#include "daemon/sharpness_requests.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/names.hpp"

namespace glint {

void SharpnessRequests::add(Request request) {
    if (waiting_.size() >= max_waiting) {
        throw Failure("org.freedesktop.DBus.Error.LimitsExceeded",
                      fmt::format("{} callers wait for statistics already", max_waiting));
    }
    waiting_.push_back(std::move(request));
}

std::optional<size_t> SharpnessRequests::wanted(const Plan& plan) const {
    for (const Request& request : waiting_) {
        if (const auto region = plan.find_region(request.region)) return region;
    }
    return std::nullopt;
}

void SharpnessRequests::measured(const Measurement& measurement) {
    // A caller may ask again while it is answered.
    for (Request& request : std::exchange(waiting_, {})) {
        const auto region = measurement.plan->find_region(request.region);
        if (!region) {
            request.refuse({names::error::region_invalid,
                            fmt::format("region \"{}\" was taken away", request.region)});
        } else if (measurement.sharpness_region == region) {
            request.answer(measurement);
        } else {
            waiting_.push_back(std::move(request));
        }
    }
}

void SharpnessRequests::refuse(const Failure& failure) {
    for (const Request& request : std::exchange(waiting_, {})) request.refuse(failure);
}

}  // namespace glint
