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
    uint32_t packed_log2 = 0;
};
/// 8 bits with steps of 1 to 4 bytes; 10 bits little endian; 16 bits big endian; 12 bits
/// left-aligned and 14 bits, little endian; 10 and 12 bits packed as MIPI CSI-2 does it.
inline constexpr std::array<SampleLayout, 10> sample_layouts{{{1, 0, 8},
                                                              {2, 0, 8},
                                                              {3, 0, 8},
                                                              {4, 0, 8},
                                                              {2, -1, 2},
                                                              {2, 1, 8},
                                                              {2, -1, 4},
                                                              {2, -1, 6},
                                                              {1, 0, 6, 2},
                                                              {1, 0, 4, 1}}};

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

/// Of that every seventh frame, in which every layout still meets every height, padding and offset:
/// for kernels that share their way to the samples with those that see all of it.
std::vector<std::pair<Picture, Placement>> thinned_cover();

/// Every picture at every padding, at the offsets in `exhaustive_offsets`.
std::vector<PlacedPicture> full_product();

/// Around the boundaries of 4-, 8- and 16-byte loads. Rows after the first meet every alignment
/// anyway, by their stride.
inline constexpr std::array<uint32_t, 9> exhaustive_offsets{0, 1, 2, 3, 4, 7, 8, 15, 16};

/// Packed rows begin with any sample of a group; which one follows from the placement.
gpu::Lane lane_of(const Picture& picture, const Placement& placement);

/// Bytes that a frame of this lane needs.
size_t frame_bytes(const gpu::Lane& lane);
size_t largest_frame_bytes();

/// Writes the picture's samples where `lane` looks for them and random bytes everywhere else:
/// poison for whoever reads beside the lane. The samples depend on the picture alone, the poison on
/// `number` too.
void place(const Picture& picture, const gpu::Lane& lane, uint32_t number,
           std::span<uint8_t> frame);

/// A picture's values as numbers of 16 bits, side by side.
struct PlainPicture {
    gpu::Lane lane;
    std::vector<uint8_t> frame;
};

/// What the references are given, so that what is expected depends on no code that unpacks samples
/// but that of place(). One value in eight of the deeper layouts is beyond a byte.
PlainPicture plain(const Picture& picture);

std::string describe(const gpu::Lane& lane);

}  // namespace glint::test
