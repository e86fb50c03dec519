// A variant that this device did not get: plain data, for the bus.
#pragma once

#include <string>

namespace glint::gpu {

struct Refusal {
    std::string op;
    std::string variant;
    std::string reason;

    bool operator==(const Refusal&) const = default;
};

}  // namespace glint::gpu
