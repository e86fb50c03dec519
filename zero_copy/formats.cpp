#include "zero_copy/formats.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace glint::zero_copy {
namespace {

constexpr PlaneRule full8{1, 1, 1};
constexpr PlaneRule words{2, 1, 1};
constexpr PlaneRule half_width{1, 2, 1};
constexpr PlaneRule quarter{1, 2, 2};
constexpr PlaneRule quarter_pairs{2, 2, 2};
constexpr PlaneRule macropixels{4, 2, 1};
constexpr PlaneRule triples{3, 1, 1};
constexpr ChannelRule luma8{"Y", 0, 1, 0};
constexpr ChannelRule little_endian{"Y", 1, 2, -1};
constexpr ChannelRule big_endian{"Y", 0, 2, 1};

// Fourcc codes and layouts: Linux media documentation, "Image Formats".
constexpr std::array<FormatInfo, 14> table{{
    {PixelFormat::grey, "GREY", 8, 1, {full8}, 1, {luma8}},
    {PixelFormat::y10, "Y10 ", 10, 1, {words}, 1, {little_endian}},
    {PixelFormat::y12, "Y12 ", 12, 1, {words}, 1, {little_endian}},
    {PixelFormat::y16, "Y16 ", 16, 1, {words}, 1, {little_endian}},
    {PixelFormat::y16_be, "Y16 -BE", 16, 1, {words}, 1, {big_endian}},
    {PixelFormat::nv12, "NV12", 8, 2, {full8, quarter_pairs}, 1, {luma8}},
    {PixelFormat::nv21, "NV21", 8, 2, {full8, quarter_pairs}, 1, {luma8}},
    {PixelFormat::yuv420, "YU12", 8, 3, {full8, quarter, quarter}, 1, {luma8}},
    {PixelFormat::yuv422, "422P", 8, 3, {full8, half_width, half_width}, 1, {luma8}},
    {PixelFormat::yuv444, "444P", 8, 3, {full8, full8, full8}, 1, {luma8}},
    {PixelFormat::yuyv, "YUYV", 8, 1, {macropixels}, 1, {ChannelRule{"Y", 0, 2, 0}}},
    {PixelFormat::uyvy, "UYVY", 8, 1, {macropixels}, 1, {ChannelRule{"Y", 1, 2, 0}}},
    {PixelFormat::rgb24,
     "RGB3",
     8,
     1,
     {triples},
     3,
     {ChannelRule{"R", 0, 3, 0}, ChannelRule{"G", 1, 3, 0}, ChannelRule{"B", 2, 3, 0}}},
    {PixelFormat::bgr24,
     "BGR3",
     8,
     1,
     {triples},
     3,
     {ChannelRule{"R", 2, 3, 0}, ChannelRule{"G", 1, 3, 0}, ChannelRule{"B", 0, 3, 0}}},
}};

constexpr uint64_t row_bytes(const PlaneRule& rule, uint64_t width) {
    return (width + rule.columns - 1) / rule.columns * rule.bytes;
}

/// The stride of a plane when plane 0 has `luma_stride`: the same number of pixels per row.
uint64_t plane_stride(const PlaneRule& rule, const PlaneRule& luma, uint64_t luma_stride) {
    const uint64_t pixels = luma_stride * luma.columns / luma.bytes;
    return row_bytes(rule, pixels);
}

}  // namespace

std::span<const FormatInfo> all_formats() {
    return table;
}

const FormatInfo& info(PixelFormat format) {
    return *std::ranges::find(table, format, &FormatInfo::format);
}

std::optional<PixelFormat> format_from_fourcc(std::string_view fourcc) {
    const auto* found = std::ranges::find(table, fourcc, &FormatInfo::fourcc);
    // "Y16" stands for "Y16 ": nobody types the blank.
    if (found == table.end() && fourcc.size() == 3) {
        found = std::ranges::find(table, std::string(fourcc) + ' ', &FormatInfo::fourcc);
    }
    if (found == table.end()) return std::nullopt;
    return found->format;
}

std::string_view name_of(Range range) {
    return range == Range::full ? "full" : "limited";
}

uint32_t preferred_stride(PixelFormat format, uint32_t width) {
    return static_cast<uint32_t>(
        align_up(row_bytes(info(format).planes[0], width), stride_alignment));
}

FrameLayout make_layout(PixelFormat format, uint32_t width, uint32_t height,
                        uint32_t stride_bytes) {
    if (width < 1 || width > max_dimension || height < 1 || height > max_dimension) {
        throw LayoutError(fmt::format("frame size {}x{} is outside 1x1 to {}x{}", width, height,
                                      max_dimension, max_dimension));
    }
    const FormatInfo& format_info = info(format);
    const PlaneRule& luma = format_info.planes[0];
    const uint64_t tight = row_bytes(luma, width);
    const uint64_t luma_stride = stride_bytes == 0 ? tight : stride_bytes;
    if (luma_stride < tight) {
        throw LayoutError(
            fmt::format("stride {} is less than the {} bytes of a row of {} {} pixels", luma_stride,
                        tight, width, format_info.fourcc));
    }
    FrameLayout layout{.format = format,
                       .width = width,
                       .height = height,
                       .bit_depth = format_info.bit_depth,
                       .plane_count = format_info.plane_count};
    uint64_t offset = 0;
    for (uint32_t i = 0; i < format_info.plane_count; ++i) {
        const PlaneRule& rule = format_info.planes[i];
        const uint64_t stride = i == 0 ? luma_stride : plane_stride(rule, luma, luma_stride);
        const uint64_t rows = (height + rule.rows - 1) / rule.rows;
        if (offset + stride * rows >= max_frame_bytes) {
            throw LayoutError(
                fmt::format("a {} frame of {}x{} with stride {} has {} bytes or more; "
                            "the limit is {}",
                            format_info.fourcc, width, height, luma_stride, offset + stride * rows,
                            max_frame_bytes));
        }
        layout.planes[i] = {.offset_bytes = static_cast<uint32_t>(offset),
                            .stride_bytes = static_cast<uint32_t>(stride),
                            .row_bytes = static_cast<uint32_t>(row_bytes(rule, width)),
                            .rows = static_cast<uint32_t>(rows)};
        offset += stride * rows;
    }
    layout.size_bytes = static_cast<uint32_t>(offset);
    return layout;
}

}  // namespace glint::zero_copy
