// Filters as the kernels are given them. No OpenCL in here.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/gpu/operators.hpp"
#include "daemon/gpu/separation.hpp"

namespace glint::gpu {

/// Row sums that span no more than this can be stored in 16 bits.
inline constexpr uint32_t max_narrow_row_magnitude = UINT16_MAX / 255;

/// Row by row: every row of the filter filled up with zeros to whole fours, and three rows of zeros
/// before the first and after the last, for kernels that make four rows of pixels at a time.
[[nodiscard]] std::vector<int32_t> padded_coefficients(const Filter& filter);

/// The table of kernels/terms.h. `narrow`: the sums of each row start with what makes the least
/// possible one 0.
[[nodiscard]] std::vector<int32_t> term_table(const Separation& separation, const Filter& filter,
                                              bool narrow);

}  // namespace glint::gpu
