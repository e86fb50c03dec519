// "test:PATTERN": pictures that are known exactly, for tests, demonstrations and a first start.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "zero_copy/paced_source.hpp"

namespace glint::zero_copy {

/// What "test:" can show. Every sample is a function of its place and of the frame's number alone:
///   gradient    x * 256 / width, the same in every frame
///   ramp        (x + y + number) mod 256
///   checker     squares of 8x8 pixels, 32 and 224, the first one dark
///   flat:VALUE  VALUE everywhere, 0 to 255
///   noise       a bell of width 64 around a mean that wanders between 64 and 192, fixed seed
struct TestPattern {
    enum class Kind { gradient, ramp, checker, flat, noise };
    Kind kind = Kind::gradient;
    uint8_t value = 0;  ///< of flat
};

[[nodiscard]] std::optional<TestPattern> parse_pattern(std::string_view text);
/// For messages: the patterns that parse_pattern understands.
inline constexpr std::string_view pattern_names =
    "gradient, ramp, checker, noise, flat:VALUE (0 to 255)";

/// One luma row, `samples` bytes.
void fill_pattern_row(const TestPattern& pattern, uint64_t number, uint32_t y,
                      std::span<uint8_t> samples) noexcept;

class TestSource final : public PacedSource {
  public:
    TestSource(const TestPattern& pattern, const FrameLayout& layout, double rate);
    [[nodiscard]] bool read(const Captured& frame) noexcept override;

  private:
    TestPattern pattern_;
    std::vector<uint8_t> row_;  ///< for formats whose luma samples are not neighbours
};

}  // namespace glint::zero_copy
