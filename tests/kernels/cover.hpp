// Which frames the covers walk through, and how far they are.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/kernels/layouts.hpp"

namespace glint::test {

/// The pairwise cover or, with GLINT_TEST_EXHAUSTIVE="PART/PARTS", every combination of the widths
/// that leave PART when divided by PARTS; under the sanitizers a sample.
const std::vector<PlacedPicture>& pictures();

/// Whether it is the whole cover, in which every value meets every other.
bool whole_cover();

/// Whether it is a part of the full product. Then variants take turns, since all of them on every
/// frame would take days: one that may serve is run on every seventh frame, others on every 23rd.
/// Both numbers are prime to how many strides, offsets, layouts and heights there are, so that each
/// meets each.
bool full_product_wanted();
constexpr uint32_t full_product_pause = 7;
constexpr uint32_t full_product_long_pause = 23;

/// Counts frames, and says how far the long run is.
class Progress {
  public:
    void frame_done(const Picture& picture);
    [[nodiscard]] uint32_t frames() const { return frames_; }

  private:
    uint32_t frames_ = 0;
    uint32_t width_ = 0;
};

}  // namespace glint::test
