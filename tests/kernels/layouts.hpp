// The space of frame layouts that every kernel is tried on, and how it is walked.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daemon/gpu/operators.hpp"

namespace glint::test {

inline constexpr uint32_t widths = 300;  ///< 1 to 300 samples
inline constexpr std::array<uint32_t, 6> heights{1, 2, 3, 17, 64, 481};
inline constexpr uint32_t paddings = 18;  ///< 0 to 17 bytes between rows
inline constexpr uint32_t offsets = 17;   ///< 0 to 16 bytes before the first row

/// Where the bytes of a sample are; see gpu::Lane.
struct SampleLayout {
    uint32_t step_bytes;
    int32_t low_bytes;
    uint32_t shift;
};
inline constexpr std::array<SampleLayout, 6> sample_layouts{
    {{1, 0, 8}, {2, 0, 8}, {3, 0, 8}, {4, 0, 8}, {2, -1, 2}, {2, 1, 8}}};

/// What the samples are, wherever they lie: frames that share it share the reference's answer.
struct Picture {
    uint32_t width;   ///< samples
    uint32_t height;  ///< rows
    uint32_t layout;  ///< index into sample_layouts

    auto operator<=>(const Picture&) const = default;
};

struct Placement {
    uint32_t padding_bytes;
    uint32_t offset_bytes;
};

struct PlacedPicture {
    Picture picture;
    std::vector<Placement> placements;
};

/// A cover of the space in which every pair of two values meets, by picture.
std::vector<PlacedPicture> pairwise_cover();

/// Every picture at every padding, at the offsets in `exhaustive_offsets`.
std::vector<PlacedPicture> full_product();

/// Around the boundaries of 4-, 8- and 16-byte loads. Rows after the first meet every alignment
/// anyway, by their stride.
inline constexpr std::array<uint32_t, 9> exhaustive_offsets{0, 1, 2, 3, 4, 7, 8, 15, 16};

gpu::Lane lane_of(const Picture& picture, const Placement& placement);

/// Bytes that a frame of this lane needs.
size_t frame_bytes(const gpu::Lane& lane);
size_t largest_frame_bytes();

/// Writes the picture's samples where `lane` looks for them and random bytes everywhere else:
/// poison for whoever reads beside the lane. The samples depend on the picture alone, the poison on
/// `number` too.
void place(const Picture& picture, const gpu::Lane& lane, uint32_t number,
           std::span<uint8_t> frame);

std::string describe(const gpu::Lane& lane);

}  // namespace glint::test
