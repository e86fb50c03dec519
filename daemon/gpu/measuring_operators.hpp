// Operators that make numbers from a lane, besides the plain histogram: plain data shared by the
// reference, the cpu variants and the OpenCL variants. No OpenCL in here.
#pragma once

#include <cstdint>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

/// The square of one sample's Laplacian is at most (4 * 255)^2 = 1040400, so 32 bits hold the sum
/// of 4128 of them and of no more.
inline constexpr uint32_t max_squares_per_partial = UINT32_MAX / (1020 * 1020);

/// A rectangle of a lane, in samples.
struct Rectangle {
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t width = 0;
    uint32_t height = 0;
};

namespace reference {
/// Sharpness, a focus figure: the sum of the squares of the Laplacian
///     4 s(x, y) - s(x - 1, y) - s(x + 1, y) - s(x, y - 1) - s(x, y + 1)
/// over all samples of the lane, as filters see them, with the border replicated. Divided by the
/// number of samples it is the mean energy of the Laplacian (Pertuz et al., Analysis of focus
/// measure operators for shape-from-focus, Pattern Recognition 46, 2013, LAP1).
[[nodiscard]] uint64_t sharpness(const uint8_t* frame, const Lane& lane) noexcept;
/// The histogram of what the filter makes of the lane, which is not kept.
[[nodiscard]] Bins filtered_histogram(const uint8_t* frame, const Lane& lane,
                                      const Filter& filter) noexcept;
}  // namespace reference

namespace cpu {
[[nodiscard]] uint64_t sharpness(const uint8_t* frame, const Lane& lane) noexcept;
/// What the samples of `part` contribute to the lane's sharpness; their neighbours are the lane's.
[[nodiscard]] uint64_t sharpness(const uint8_t* frame, const Lane& lane,
                                 const Rectangle& part) noexcept;
[[nodiscard]] Bins filtered_histogram(const uint8_t* frame, const Lane& lane,
                                      const Filter& filter) noexcept;
}  // namespace cpu

}  // namespace glint::gpu
