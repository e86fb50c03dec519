// Pixel formats as plain data: where the samples of a frame lie in its memory. No V4L2, no OpenCL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace glint::zero_copy {

enum class PixelFormat {
    grey,    ///< 8-bit grey
    y10,     ///< 10-bit grey in 16-bit little-endian words, right-aligned
    y12,     ///< 12-bit, as y10
    y14,     ///< 14-bit, as y10
    y012,    ///< 12-bit in 16-bit little-endian words, left-aligned
    y16,     ///< 16-bit little endian
    y16_be,  ///< 16-bit big endian
    y10p,    ///< 10-bit packed as in MIPI CSI-2: four high bytes and one of low bits
    y12p,    ///< 12-bit packed: two high bytes and one of low bits
    nv12,    ///< 4:2:0, luma plane and interleaved Cb Cr plane
    nv21,    ///< as nv12 with Cr Cb
    yuv420,  ///< 4:2:0 in three planes
    yuv422,  ///< 4:2:2 in three planes
    yuv444,  ///< 4:4:4 in three planes (V4L2 has no code for it in one buffer)
    yuyv,    ///< 4:2:2 packed, Y Cb Y Cr
    uyvy,    ///< 4:2:2 packed, Cb Y Cr Y
    rgb24,   ///< R G B bytes
    bgr24,   ///< B G R bytes
    rgba32,  ///< R G B A bytes
    rgbx32,  ///< R G B and a byte that means nothing
    bgra32,  ///< B G R A bytes
    bgrx32,  ///< B G R and a byte that means nothing
    // Bayer mosaics, named after the first two sites of the first two rows, as y16, y10 or y10p.
    bggr8,
    gbrg8,
    grbg8,
    rggb8,
    bggr10,
    gbrg10,
    grbg10,
    rggb10,
    bggr10p,
    gbrg10p,
    grbg10p,
    rggb10p,
    bggr12,
    gbrg12,
    grbg12,
    rggb12,
    bggr12p,
    gbrg12p,
    grbg12p,
    rggb12p,
    bggr14,
    gbrg14,
    grbg14,
    rggb14,
    bggr16,
    gbrg16,
    grbg16,
    rggb16,
};

enum class Range { full, limited };

/// One plane holds `bytes` for every `columns` pixels of a row and one row for every `rows` rows.
struct PlaneRule {
    uint32_t bytes = 0;
    uint32_t columns = 1;
    uint32_t rows = 1;
};

/// Where one channel's samples lie in plane 0: the byte of the first sample that holds its most
/// significant bits, the distance to the next pixel's, and where a wider sample's other byte is. A
/// channel of a Bayer mosaic has samples only at its own site of every two by two pixels.
struct ChannelRule {
    std::string_view name;
    uint32_t offset_bytes = 0;
    uint32_t step_bytes = 1;
    int32_t low_bytes = 0;
    uint32_t site_x = 0;
    uint32_t site_y = 0;
};

inline constexpr uint32_t max_channels = 4;

/// What the samples of a format look like.
struct SampleRule {
    uint32_t bits = 8;
    bool left_aligned = true;  ///< in its 16 bits; a single byte is taken twice and so is, too
    uint32_t packed_log2 = 0;  ///< 2 or 1: four or two samples are followed by a byte of low bits
};

/// A row of the format table. `fourcc` is V4L2's code as text, except "444P".
struct FormatInfo {
    PixelFormat format;
    std::string_view fourcc;
    SampleRule sample;
    uint32_t plane_count;
    std::array<PlaneRule, 3> planes;
    uint32_t channel_count;
    std::array<ChannelRule, max_channels> channels;

    [[nodiscard]] constexpr bool is_bayer() const { return channel_count == 4; }
};

[[nodiscard]] std::span<const FormatInfo> all_formats();
[[nodiscard]] const FormatInfo& info(PixelFormat format);
[[nodiscard]] std::optional<PixelFormat> format_from_fourcc(std::string_view fourcc);
[[nodiscard]] std::string_view name_of(Range range);

struct PlaneLayout {
    uint32_t offset_bytes = 0;
    uint32_t stride_bytes = 0;
    uint32_t row_bytes = 0;  ///< bytes of a row that mean something, <= stride_bytes
    uint32_t rows = 0;
};

/// A frame in memory.
struct FrameLayout {
    PixelFormat format = PixelFormat::grey;
    uint32_t width = 0;   ///< pixels
    uint32_t height = 0;  ///< rows
    uint32_t bit_depth = 8;
    Range range = Range::full;
    uint32_t plane_count = 0;
    std::array<PlaneLayout, 3> planes{};
    uint32_t size_bytes = 0;
};

inline constexpr uint32_t max_dimension = 65535;
/// Offsets into a frame are 32-bit in the kernels; half of that leaves room for sums.
inline constexpr uint64_t max_frame_bytes = 1ULL << 31;

class LayoutError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Lays a frame out with planes one after the other. `stride_bytes` is that of plane 0; the other
/// planes scale with it; 0 means no padding. Throws LayoutError for a width or height outside
/// 1..65535, a stride below a row, and a frame of 2 GiB or more, with the numbers in the text.
[[nodiscard]] FrameLayout make_layout(PixelFormat format, uint32_t width, uint32_t height,
                                      uint32_t stride_bytes = 0);

/// Smallest multiple of `alignment` (a power of two) that is >= value.
[[nodiscard]] constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

/// The stride asked of a source that can choose: 64 is the cache line and the largest alignment
/// that any of the capture drivers wants.
inline constexpr uint32_t stride_alignment = 64;
[[nodiscard]] uint32_t preferred_stride(PixelFormat format, uint32_t width);

}  // namespace glint::zero_copy
