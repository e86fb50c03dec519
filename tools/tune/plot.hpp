// Rankings as bars. Pure: pixels in memory; write_png() puts them into a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tune/ranking.hpp"

namespace glint::tune {

struct Colour {
    uint8_t red = 0, green = 0, blue = 0;

    bool operator==(const Colour&) const = default;
};

/// White at first. What lies outside is not drawn.
class Image {
  public:
    Image(uint32_t width, uint32_t height);

    [[nodiscard]] uint32_t width() const { return width_; }
    [[nodiscard]] uint32_t height() const { return height_; }
    [[nodiscard]] Colour at(uint32_t x, uint32_t y) const { return pixels_[index(x, y)]; }
    /// A row's bytes: red, green, blue.
    [[nodiscard]] const uint8_t* row(uint32_t y) const { return &pixels_[index(0, y)].red; }

    void rectangle(uint32_t x, uint32_t y, uint32_t width, uint32_t height, Colour colour);
    /// Each character is a cell of cell_width x cell_height pixels.
    void text(uint32_t x, uint32_t y, std::string_view text, Colour colour);

  private:
    [[nodiscard]] size_t index(uint32_t x, uint32_t y) const { return size_t{y} * width_ + x; }

    uint32_t width_;
    uint32_t height_;
    std::vector<Colour> pixels_;
};

inline constexpr uint32_t cell_width = 12;
inline constexpr uint32_t cell_height = 20;

/// Round values from 0 up to at least `largest`, about five: steps of 1, 2 or 5 times a power of
/// ten. `largest` is above 0.
[[nodiscard]] std::vector<double> axis_ticks(double largest);

/// A panel for each ranking, one below the other: a bar of milliseconds for each row, the default's
/// and the chosen one's in colours of their own, on an axis with ticks. Long rankings are cut after
/// 16 rows, but those two are always shown. Rows that are out have no bar.
[[nodiscard]] Image draw(const std::vector<Ranking>& rankings);

/// Throws std::runtime_error.
void write_png(const Image& image, const std::string& file);

}  // namespace glint::tune
