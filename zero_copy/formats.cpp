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
constexpr PlaneRule packed10{5, 4, 1};
constexpr PlaneRule packed12{3, 2, 1};
constexpr SampleRule byte{};
constexpr SampleRule word10{10, false};
constexpr SampleRule word12{12, false};
constexpr SampleRule word14{14, false};
constexpr SampleRule word16{16, false};  // files may declare fewer bits: the lower ones
constexpr SampleRule mipi10{10, true, 2};
constexpr SampleRule mipi12{12, true, 1};
constexpr ChannelRule luma8{"Y", 0, 1, 0};
constexpr ChannelRule little_endian{"Y", 1, 2, -1};
constexpr ChannelRule big_endian{"Y", 0, 2, 1};

constexpr FormatInfo grey_format(PixelFormat format, std::string_view fourcc, SampleRule sample,
                                 PlaneRule plane, ChannelRule channel) {
    return {format, fourcc, sample, 1, {plane}, 1, {channel}};
}

/// Colours in bytes `red`, 1 and `blue` of every `bytes`.
constexpr FormatInfo rgb_format(PixelFormat format, std::string_view fourcc, uint32_t bytes,
                                uint32_t red, uint32_t blue) {
    return {
        format,
        fourcc,
        byte,
        1,
        {PlaneRule{bytes, 1, 1}},
        3,
        {ChannelRule{"R", red, bytes}, ChannelRule{"G", 1, bytes}, ChannelRule{"B", blue, bytes}}};
}

/// A mosaic whose red site is in column `x`, row `y` of every two by two; blue lies across, and Gr
/// is the green beside red in its row.
constexpr FormatInfo bayer_format(PixelFormat format, std::string_view fourcc, SampleRule sample,
                                  uint32_t x, uint32_t y) {
    const bool word = sample.packed_log2 == 0 && sample.bits > 8;
    const uint32_t high = word ? 1 : 0;
    const uint32_t step = word ? 2 : 1;
    const int32_t low = word ? -1 : 0;
    const PlaneRule plane = word                      ? words
                            : sample.packed_log2 == 2 ? packed10
                            : sample.packed_log2 == 1 ? packed12
                                                      : full8;
    return {format,
            fourcc,
            sample,
            1,
            {plane},
            4,
            {ChannelRule{"R", high, step, low, x, y}, ChannelRule{"Gr", high, step, low, 1 - x, y},
             ChannelRule{"Gb", high, step, low, x, 1 - y},
             ChannelRule{"B", high, step, low, 1 - x, 1 - y}}};
}

using enum PixelFormat;

// Fourcc codes and layouts: Linux media documentation, "Image Formats".
constexpr std::array<FormatInfo, 50> table{{
    grey_format(PixelFormat::grey, "GREY", byte, full8, luma8),
    grey_format(y10, "Y10 ", word10, words, little_endian),
    grey_format(y12, "Y12 ", word12, words, little_endian),
    grey_format(y14, "Y14 ", word14, words, little_endian),
    grey_format(y012, "Y012", {12, true}, words, little_endian),
    grey_format(y16, "Y16 ", word16, words, little_endian),
    grey_format(y16_be, "Y16 -BE", word16, words, big_endian),
    grey_format(y10p, "Y10P", mipi10, packed10, luma8),
    grey_format(y12p, "Y12P", mipi12, packed12, luma8),
    {nv12, "NV12", byte, 2, {full8, quarter_pairs}, 1, {luma8}},
    {nv21, "NV21", byte, 2, {full8, quarter_pairs}, 1, {luma8}},
    {yuv420, "YU12", byte, 3, {full8, quarter, quarter}, 1, {luma8}},
    {yuv422, "422P", byte, 3, {full8, half_width, half_width}, 1, {luma8}},
    {yuv444, "444P", byte, 3, {full8, full8, full8}, 1, {luma8}},
    {yuyv, "YUYV", byte, 1, {macropixels}, 1, {ChannelRule{"Y", 0, 2, 0}}},
    {uyvy, "UYVY", byte, 1, {macropixels}, 1, {ChannelRule{"Y", 1, 2, 0}}},
    rgb_format(rgb24, "RGB3", 3, 0, 2),
    rgb_format(bgr24, "BGR3", 3, 2, 0),
    rgb_format(rgba32, "AB24", 4, 0, 2),
    rgb_format(rgbx32, "XB24", 4, 0, 2),
    rgb_format(bgra32, "AR24", 4, 2, 0),
    rgb_format(bgrx32, "XR24", 4, 2, 0),
    bayer_format(bggr8, "BA81", byte, 1, 1),
    bayer_format(gbrg8, "GBRG", byte, 0, 1),
    bayer_format(grbg8, "GRBG", byte, 1, 0),
    bayer_format(rggb8, "RGGB", byte, 0, 0),
    bayer_format(bggr10, "BG10", word10, 1, 1),
    bayer_format(gbrg10, "GB10", word10, 0, 1),
    bayer_format(grbg10, "BA10", word10, 1, 0),
    bayer_format(rggb10, "RG10", word10, 0, 0),
    bayer_format(bggr10p, "pBAA", mipi10, 1, 1),
    bayer_format(gbrg10p, "pGAA", mipi10, 0, 1),
    bayer_format(grbg10p, "pgAA", mipi10, 1, 0),
    bayer_format(rggb10p, "pRAA", mipi10, 0, 0),
    bayer_format(bggr12, "BG12", word12, 1, 1),
    bayer_format(gbrg12, "GB12", word12, 0, 1),
    bayer_format(grbg12, "BA12", word12, 1, 0),
    bayer_format(rggb12, "RG12", word12, 0, 0),
    bayer_format(bggr12p, "pBCC", mipi12, 1, 1),
    bayer_format(gbrg12p, "pGCC", mipi12, 0, 1),
    bayer_format(grbg12p, "pgCC", mipi12, 1, 0),
    bayer_format(rggb12p, "pRCC", mipi12, 0, 0),
    bayer_format(bggr14, "BG14", word14, 1, 1),
    bayer_format(gbrg14, "GB14", word14, 0, 1),
    bayer_format(grbg14, "GR14", word14, 1, 0),
    bayer_format(rggb14, "RG14", word14, 0, 0),
    bayer_format(bggr16, "BYR2", word16, 1, 1),
    bayer_format(gbrg16, "GB16", word16, 0, 1),
    bayer_format(grbg16, "GR16", word16, 1, 0),
    bayer_format(rggb16, "RG16", word16, 0, 0),
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
                       .bit_depth = format_info.sample.bits,
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
