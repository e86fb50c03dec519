// Filters whose matrix is a sum of one or two outer products: filtering along rows and then along
// columns takes 2 x size multiplications for each instead of size x size.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

/// The matrix whose element (row j, column i) is column[j] * row[i]; the first Filter::size of each
/// count, the others are 0.
struct OuterProduct {
    std::array<int32_t, max_filter_size> column{};
    std::array<int32_t, max_filter_size> row{};
};

/// Outer products that add up to a filter's coefficients exactly.
struct Separation {
    std::array<OuterProduct, 2> terms{};
    uint32_t count = 1;  ///< of the terms that are not zero, but at least 1
    /// sum over the terms of sum(|column|) x sum(|row|): times 255 it bounds every sum on the way,
    /// in any order of the additions.
    uint32_t magnitude = 0;
    uint32_t row_magnitude = 0;     ///< the largest sum(|row|): times 255 it bounds a row's sums
    uint32_t column_magnitude = 0;  ///< the largest sum(|column|)
};

/// Nothing if the matrix has a rank above two, or if a sum on the way could leave 31 bits.
///
/// The rows of the terms are a basis, reduced as by Lagrange, of all whole-numbered vectors that
/// are combinations of the matrix's rows; so each row is a whole-numbered combination of them, and
/// no fraction appears.
[[nodiscard]] std::optional<Separation> separate(const Filter& filter) noexcept;

/// Whether this is one product of taps that are not negative and sum to 1 at most, as of a Gaussian
/// or a box, whose sums along one axis, cut into 256 x high + low, can be summed along the other in
/// 16 bits: high and low apart give a and b, and the pixel is (a + b / 256) / 2^(shift - 8), each
/// division rounded down, which is what one division by 2^shift gives. It needs no saturation. Only
/// shifts of 9 to 23: less leaves nothing to cut off, more is no shift in 16 bits.
[[nodiscard]] bool smooths_in_16_bits(const Separation& separation, uint32_t shift) noexcept;

}  // namespace glint::gpu
