// Letters for plots: the usual 5x7 dot matrix of ASCII.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace glint::tune {

inline constexpr uint32_t glyph_columns = 5;
inline constexpr uint32_t glyph_rows = 7;

/// Columns from the left; bit 0 is the top row. A question mark for anything but ASCII.
[[nodiscard]] const std::array<uint8_t, glyph_columns>& glyph(char c);

}  // namespace glint::tune
