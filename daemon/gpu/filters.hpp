// The filters a client can name, and the rules for its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "daemon/gpu/float_filter.hpp"
#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

class FilterError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline constexpr std::string_view filter_names =
    "binomialN (N = 3, 5, 7 or 9), boxN, gaussianN, unsharpN (N odd, 3 to 31), "
    "gaussian:SIGMA (0.1 to 100), sharpen3, laplacian3, sobel_x3, sobel_y3, sobel";

/// The filter of that name, e.g. "box7". The smoothing ones have weights that sum to exactly 1, and
/// but for box3 and box5 are outer products of a row with itself.
///
/// gaussianN has gaussian_sigma(N); gaussian:SIGMA has 2 x ceil(3 SIGMA) + 1 rows, but 31 at most.
/// unsharpN is twice the picture less gaussianN.
[[nodiscard]] std::optional<Filter> named_filter(std::string_view name);

/// What OpenCV's getGaussianKernel takes when it is given a size of more than 7 and no sigma:
/// 0.3 x ((size - 1) / 2 - 1) + 0.8.
[[nodiscard]] double gaussian_sigma(uint32_t size);

/// A client's own matrix, row by row, in OpenVX's orientation: it is rotated by 180 degrees to
/// become Filter::coefficients. Throws FilterError, with the numbers, unless
///   size is odd and 3 to 31, size x size coefficients are given, shift <= 31, and
///   sum(|c|) x 255 < 2^31, so that every sum fits 32 bits.
[[nodiscard]] Filter make_filter(uint32_t width, uint32_t height,
                                 std::span<const int16_t> coefficients, uint32_t shift);

/// The same of float coefficients, each rounded to the nearest float. Throws FilterError, with the
/// numbers, unless
///   size is odd and 3 to 31, size x size coefficients are given, each finite, and
///   sum(|c|) x 255 < 2^127: floats end at 2^128, and the factor of two is more than all roundings
///   of a sum add to it, so that no device sees an infinite one.
[[nodiscard]] FloatFilter make_float_filter(uint32_t width, uint32_t height,
                                            std::span<const double> coefficients);

}  // namespace glint::gpu
