#include "daemon/gpu/float_filter.hpp"

#include <algorithm>
#include <cmath>

namespace glint::gpu {

double ExactPixel::tolerance(const FloatFilter& filter, bool rounds_to_zero) const {
    const double one = (filter.taps() + 2) * std::ldexp(magnitude, -23);
    return rounds_to_zero ? 2 * one : one;
}

bool ExactPixel::allows(float got, const FloatFilter& filter, bool rounds_to_zero) const {
    return std::abs(double{got} - value) <= tolerance(filter, rounds_to_zero);
}

bool ExactPixel::allows(uint8_t got, const FloatFilter& filter, bool rounds_to_zero) const {
    const double off = std::abs(double{1} * got - std::clamp(value, 0.0, 255.0));
    return off <= 0.5 + tolerance(filter, rounds_to_zero);
}

}  // namespace glint::gpu
