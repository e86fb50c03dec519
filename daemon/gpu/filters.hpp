// The filters a client can name, and the rules for its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

class FilterError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline constexpr std::string_view filter_names =
    "binomial3, binomial5, box3, box5, sharpen3, laplacian3, sobel_x3, sobel_y3, sobel";

[[nodiscard]] std::optional<Filter> named_filter(std::string_view name);

/// A client's own matrix, row by row, in OpenVX's orientation: it is rotated by 180 degrees to
/// become Filter::coefficients. Throws FilterError, with the numbers, unless
///   size is 3 or 5, size x size coefficients are given, shift <= 31, and
///   sum(|c|) x 255 < 2^31, so that every sum fits 32 bits.
[[nodiscard]] Filter make_filter(uint32_t width, uint32_t height,
                                 std::span<const int16_t> coefficients, uint32_t shift);

}  // namespace glint::gpu
