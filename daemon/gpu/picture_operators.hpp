// Operators that make a picture of bytes from a lane: plain data shared by the reference, the cpu
// variants and the OpenCL variants. No OpenCL in here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

using LookupTable = std::array<uint8_t, 256>;

/// out = table[sample]
struct Lookup {
    LookupTable table{};
};

/// out = saturate(|gx| + |gy|), where gx and gy are what the 3x3 kernels sobel_x3 and sobel_y3
/// (filters.hpp) make of the samples. The sum of magnitudes, not the root of the sum of squares:
/// it is exact in integers, so every device gives the same picture, and it is at most sqrt(2) times
/// as large.
struct Sobel {
    Border border = Border::replicate;
    uint8_t border_value = 0;  ///< of Border::constant
};

/// Half of the columns and rows: out is the mean of a square of four samples, half rounded up,
/// (a + b + c + d + 2) / 4. Of an odd number of columns or rows the last one makes pixels of its
/// own, from the two samples or the one that are there.
struct Downscale {};

/// out = saturate(offset + trunc((sample < threshold ? 0 : sample - mean) * gain / 2^shift)), with
/// the division towards zero as Filter's. Samples count in full: up to 65535 if they have 16 bits.
/// What is below the threshold counts as the mean, so that a dark background becomes `offset`.
struct Normalise {
    uint32_t threshold = 0;  ///< 0 to 65535
    uint32_t mean = 0;       ///< 0 to 65535
    uint32_t gain = 1;       ///< 0 to 32767: times 65535 it stays below 2^31
    uint32_t shift = 0;      ///< 0 to 30
    uint32_t offset = 0;     ///< 0 to 255
};

/// Bytes that lie interleaved, each into a plane of its own: of the `lane.step_bytes` (2 to 4)
/// bytes of a pixel the one at bytes[k] goes to plane k. The planes lie one below the other in the
/// output, each of lane.height rows. The lane begins with the first pixel, whatever its channels.
struct Planar {
    uint32_t planes = 3;  ///< 2 or 3
    std::array<uint32_t, 3> bytes{0, 1, 2};
};

using PictureTask = std::variant<Lookup, Sobel, Downscale, Normalise, Planar>;

struct PictureSize {
    uint32_t width = 0;
    uint32_t height = 0;
};

/// Of the picture that the task makes of the lane, all planes together.
[[nodiscard]] PictureSize output_size(const PictureTask& task, const Lane& lane);

/// Whether the task is defined for the lane's layout: Planar takes bytes 2 to 4 to a pixel.
[[nodiscard]] bool takes(const PictureTask& task, const Lane& lane);

/// The table that equalises a histogram of bytes (Gonzalez and Woods, Digital Image Processing,
/// 3.3.1): table[v] = round(255 * share of the samples that are at most v), rounded half up. `bins`
/// has 256 of them. Without any sample the table leaves every byte as it is.
[[nodiscard]] LookupTable equalise_table(std::span<const uint32_t> bins);

/// Spreads the samples at or above `threshold` so that their mean becomes 128 and three standard
/// deviations fill the byte to either side. Bin b counts the samples from b * bin_width on, as many
/// values as bin_width says. Samples that are all alike all become 128.
[[nodiscard]] Normalise make_normalise(std::span<const uint32_t> bins, uint32_t bin_width,
                                       uint32_t threshold);

namespace reference {
/// `output` takes output_size(task, lane).
void make_picture(const uint8_t* frame, const Lane& lane, const PictureTask& task,
                  const Output& output) noexcept;
}  // namespace reference

namespace cpu {
void make_picture(const uint8_t* frame, const Lane& lane, const PictureTask& task,
                  const Output& output) noexcept;
}  // namespace cpu

}  // namespace glint::gpu
