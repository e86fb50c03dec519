// Filters of float coefficients: what they promise, plainly computed. No OpenCL in here.
#pragma once

#include <array>
#include <cstdint>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

/// out = sum(coefficient * sample). Bytes are made of it by clamping to 0 to 255 and rounding to
/// the nearest, of two to the even one. Coefficients lie as in Filter.
struct FloatFilter {
    uint32_t size = 3;  ///< odd, 3 to max_filter_size: rows and columns
    std::array<float, max_filter_taps> coefficients{};
    Border border = Border::replicate;
    float border_value = 0;  ///< of Border::constant

    bool operator==(const FloatFilter&) const = default;
    [[nodiscard]] uint32_t taps() const { return size * size; }
};

/// A picture of floats, one beside the other; everything counts floats.
struct FloatPicture {
    uint32_t offset = 0;
    uint32_t stride = 0;
    uint32_t width = 0;   ///< >= 1
    uint32_t height = 0;  ///< >= 1

    bool operator==(const FloatPicture&) const = default;
};

/// A pixel as it should be, before it becomes a byte.
struct ExactPixel {
    double value = 0;
    double magnitude = 0;  ///< sum(|coefficient * sample|)

    /// How far a device may be off: (n + 2) x 2^-23 x magnitude for n taps, twice that where every
    /// operation rounds towards zero: one rounding for each product and each addition.
    [[nodiscard]] double tolerance(const FloatFilter& filter, bool rounds_to_zero) const;
    [[nodiscard]] bool allows(float got, const FloatFilter& filter, bool rounds_to_zero) const;
    /// A byte may be off by a half more, having been rounded.
    [[nodiscard]] bool allows(uint8_t got, const FloatFilter& filter, bool rounds_to_zero) const;
};

namespace reference {
[[nodiscard]] ExactPixel convolve(const uint8_t* frame, const Lane& lane, const FloatFilter& filter,
                                  uint32_t x, uint32_t y) noexcept;
[[nodiscard]] ExactPixel convolve(const float* samples, const FloatPicture& picture,
                                  const FloatFilter& filter, uint32_t x, uint32_t y) noexcept;
}  // namespace reference

/// Vectorised by the compiler, one thread, within the same bound.
namespace cpu {
void convolve(const uint8_t* frame, const Lane& lane, const FloatFilter& filter,
              const Output& output) noexcept;
/// The stride of the output counts floats.
void convolve(const float* samples, const FloatPicture& picture, const FloatFilter& filter,
              float* output, uint32_t output_stride) noexcept;
}  // namespace cpu

}  // namespace glint::gpu
