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
