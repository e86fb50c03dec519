#include "tools/ctl/pixels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tools/ctl/failure.hpp"

namespace glint::ctl {

// Where the samples of one component lie. Chroma may be halved in x, in y or in both.
struct Component {
    std::uint8_t plane;
    std::uint8_t first;  // byte of the first sample in its row
    std::uint8_t step;   // bytes from one sample to the next
    std::uint8_t x_shift;
    std::uint8_t y_shift;
};

struct PlaneShape {
    std::uint8_t group_pixels;  // pixels that share a group of bytes
    std::uint8_t group_bytes;
    std::uint8_t y_shift;
};

enum class Model { grey, rgb, yuv };

// Where the bits of a grey sample lie.
enum class Storage {
    bytes,
    little_endian,  // the lower bits of 16-bit words
    big_endian,
    left_aligned,  // the upper bits of little-endian words
    packed,        // MIPI CSI-2: the high bytes of a group, then one byte of their low bits
};

struct PixelFormat {
    std::string_view fourcc;
    Model model;
    std::uint8_t bits;
    Storage storage;
    std::uint8_t plane_count;
    std::array<PlaneShape, 3> planes;
    std::array<Component, 3> components;  // R, G, B or Y, U, V
};

namespace {

constexpr PlaneShape full{1, 1, 0};
constexpr PlaneShape words{1, 2, 0};
constexpr PlaneShape packed10{4, 5, 0};
constexpr PlaneShape packed12{2, 3, 0};
constexpr PlaneShape pair420{2, 2, 1};    // U and V side by side
constexpr PlaneShape chroma420{2, 1, 1};  // U or V alone
constexpr PlaneShape chroma422{2, 1, 0};
constexpr PlaneShape packed422{2, 4, 0};
constexpr PlaneShape none{1, 0, 0};
constexpr Component luma{0, 0, 1, 0, 0};

constexpr PixelFormat grey(std::string_view fourcc, std::uint8_t bits, Storage storage) {
    PlaneShape plane = words;
    if (storage == Storage::bytes) plane = full;
    if (storage == Storage::packed) plane = bits == 10 ? packed10 : packed12;
    return {fourcc, Model::grey, bits, storage, 1, {plane, none, none}, {}};
}

// Red, green and blue in bytes `red`, 1 and `blue` of every `bytes`.
constexpr PixelFormat rgb(std::string_view fourcc, std::uint8_t bytes, std::uint8_t red,
                          std::uint8_t blue) {
    return {fourcc,
            Model::rgb,
            8,
            Storage::bytes,
            1,
            {PlaneShape{1, bytes, 0}, none, none},
            {Component{0, red, bytes, 0, 0}, Component{0, 1, bytes, 0, 0},
             Component{0, blue, bytes, 0, 0}}};
}

constexpr PixelFormat yuv(std::string_view fourcc, std::uint8_t plane_count,
                          std::array<PlaneShape, 3> planes, std::array<Component, 3> components) {
    return {fourcc, Model::yuv, 8, Storage::bytes, plane_count, planes, components};
}

using enum Storage;

// The service's formats, in its order.
constexpr PixelFormat formats[] = {
    grey("GREY", 8, bytes),
    grey("Y10 ", 10, little_endian),
    grey("Y12 ", 12, little_endian),
    grey("Y14 ", 14, little_endian),
    grey("Y012", 12, left_aligned),
    grey("Y16 ", 16, little_endian),
    grey("Y16 -BE", 16, big_endian),
    grey("Y10P", 10, packed),
    grey("Y12P", 12, packed),
    yuv("NV12", 2, {full, pair420, none},
        {luma, Component{1, 0, 2, 1, 1}, Component{1, 1, 2, 1, 1}}),
    yuv("NV21", 2, {full, pair420, none},
        {luma, Component{1, 1, 2, 1, 1}, Component{1, 0, 2, 1, 1}}),
    yuv("YU12", 3, {full, chroma420, chroma420},
        {luma, Component{1, 0, 1, 1, 1}, Component{2, 0, 1, 1, 1}}),
    yuv("422P", 3, {full, chroma422, chroma422},
        {luma, Component{1, 0, 1, 1, 0}, Component{2, 0, 1, 1, 0}}),
    yuv("444P", 3, {full, full, full}, {luma, Component{1, 0, 1, 0, 0}, Component{2, 0, 1, 0, 0}}),
    yuv("YUYV", 1, {packed422, none, none},
        {Component{0, 0, 2, 0, 0}, Component{0, 1, 4, 1, 0}, Component{0, 3, 4, 1, 0}}),
    yuv("UYVY", 1, {packed422, none, none},
        {Component{0, 1, 2, 0, 0}, Component{0, 0, 4, 1, 0}, Component{0, 2, 4, 1, 0}}),
    rgb("RGB3", 3, 0, 2),
    rgb("BGR3", 3, 2, 0),
    rgb("AB24", 4, 0, 2),
    rgb("XB24", 4, 0, 2),
    rgb("AR24", 4, 2, 0),
    rgb("XR24", 4, 2, 0),
    // Mosaics: one sample for each pixel, as captured.
    grey("BA81", 8, bytes),
    grey("GBRG", 8, bytes),
    grey("GRBG", 8, bytes),
    grey("RGGB", 8, bytes),
    grey("BG10", 10, little_endian),
    grey("GB10", 10, little_endian),
    grey("BA10", 10, little_endian),
    grey("RG10", 10, little_endian),
    grey("pBAA", 10, packed),
    grey("pGAA", 10, packed),
    grey("pgAA", 10, packed),
    grey("pRAA", 10, packed),
    grey("BG12", 12, little_endian),
    grey("GB12", 12, little_endian),
    grey("BA12", 12, little_endian),
    grey("RG12", 12, little_endian),
    grey("pBCC", 12, packed),
    grey("pGCC", 12, packed),
    grey("pgCC", 12, packed),
    grey("pRCC", 12, packed),
    grey("BG14", 14, little_endian),
    grey("GB14", 14, little_endian),
    grey("GR14", 14, little_endian),
    grey("RG14", 14, little_endian),
    grey("BYR2", 16, little_endian),
    grey("GB16", 16, little_endian),
    grey("GR16", 16, little_endian),
    grey("RG16", 16, little_endian),
};

// The largest side that libpng writes; it also keeps every product below within 64 bits.
constexpr std::uint32_t largest_side = 1'000'000;

const PixelFormat* find_format(std::string_view fourcc) {
    const auto* found =
        std::ranges::find(std::begin(formats), std::end(formats), fourcc, &PixelFormat::fourcc);
    if (found != std::end(formats)) return found;
    throw Failure(
        fmt::format("pixel format '{}' is unknown to glintctl {}: install the one that came with "
                    "the running glintd",
                    fourcc, GLINT_VERSION));
}

// The sample of column x, in its lower bits.
std::uint16_t grey_sample(const PixelFormat& format, const std::uint8_t* row, std::size_t x) {
    const auto word = [&](std::size_t high, std::size_t low) {
        return static_cast<std::uint16_t>(row[2 * x + high] << 8 | row[2 * x + low]);
    };
    switch (format.storage) {
        case Storage::bytes:
            break;
        case Storage::little_endian:
            return word(1, 0);
        case Storage::big_endian:
            return word(0, 1);
        case Storage::left_aligned:
            return static_cast<std::uint16_t>(word(1, 0) >> (16 - format.bits));
        case Storage::packed: {
            const PlaneShape shape = format.planes[0];
            const std::uint8_t* group = row + x / shape.group_pixels * shape.group_bytes;
            const std::size_t place = x % shape.group_pixels;
            // The first pixel of a group has the lowest bits of its last byte.
            const unsigned low_bits = format.bits - 8U;
            const unsigned high = group[place];
            const unsigned low = group[shape.group_pixels] >> (place * low_bits);
            return static_cast<std::uint16_t>(high << low_bits | (low & ((1U << low_bits) - 1)));
        }
    }
    return row[x];
}

// Fixed point with 16 fractional bits, rounded.
std::uint8_t clamp_fixed(int value) {
    return static_cast<std::uint8_t>(std::clamp((value + (1 << 15)) >> 16, 0, 255));
}

}  // namespace

Rgb rgb_from_yuv(int y, int u, int v, bool limited) {
    u -= 128;
    v -= 128;
    if (limited) {
        const int luma = 76309 * (y - 16);
        return {clamp_fixed(luma + 104597 * v), clamp_fixed(luma - 25675 * u - 53279 * v),
                clamp_fixed(luma + 132201 * u)};
    }
    const int luma = y << 16;
    return {clamp_fixed(luma + 91881 * v), clamp_fixed(luma - 22554 * u - 46802 * v),
            clamp_fixed(luma + 116130 * u)};
}

std::uint16_t widen(std::uint16_t sample, unsigned bits) {
    if (bits >= 16) return sample;
    const unsigned value = sample & ((1U << bits) - 1);
    const unsigned shift = 16 - bits;
    // The top bits again below the lowest, so that all ones stay all ones.
    return static_cast<std::uint16_t>((value << shift) | (value >> (bits - shift)));
}

Picture::Picture(FrameHeader header, std::span<const std::uint8_t> memory)
    : header_(std::move(header)), memory_(memory), format_(find_format(header_.fourcc)) {
    if (header_.width == 0 || header_.height == 0 || header_.width > largest_side ||
        header_.height > largest_side)
        throw Failure(fmt::format("a picture of {}x{} pixels cannot be written as PNG",
                                  header_.width, header_.height));
    if (header_.planes.size() != format_->plane_count)
        throw Failure(fmt::format("glintd sent a picture of '{}' in {} planes instead of {}",
                                  header_.fourcc, header_.planes.size(), format_->plane_count));
    for (std::size_t index = 0; index < header_.planes.size(); ++index) check_plane(index);
}

void Picture::check_plane(std::size_t index) const {
    const PlaneShape shape = format_->planes[index];
    const Plane plane = header_.planes[index];
    const std::uint64_t groups =
        (std::uint64_t{header_.width} + shape.group_pixels - 1) / shape.group_pixels;
    const std::uint64_t row = groups * shape.group_bytes;
    const std::uint64_t rows =
        (std::uint64_t{header_.height} + (1U << shape.y_shift) - 1) >> shape.y_shift;
    if (plane.stride_bytes < row)
        throw Failure(fmt::format("glintd sent plane {} of '{}' with rows of {} bytes that need {}",
                                  index, header_.fourcc, plane.stride_bytes, row));
    const std::uint64_t needed = (rows - 1) * plane.stride_bytes + row;
    if (plane.offset > memory_.size() || needed > memory_.size() - plane.offset)
        throw Failure(fmt::format(
            "glintd sent plane {} of '{}' of {} bytes at {}, but only {} bytes of memory", index,
            header_.fourcc, needed, plane.offset, memory_.size()));
}

Samples Picture::samples() const {
    if (format_->model != Model::grey) return Samples::rgb8;
    return format_->bits == 8 ? Samples::grey8 : Samples::grey16;
}

std::size_t Picture::row_bytes() const {
    switch (samples()) {
        case Samples::grey8:
            return header_.width;
        case Samples::grey16:
            return std::size_t{header_.width} * 2;
        case Samples::rgb8:
            break;
    }
    return std::size_t{header_.width} * 3;
}

const std::uint8_t* Picture::line(std::size_t plane, std::uint32_t y) const {
    const Plane& where = header_.planes[plane];
    return memory_.data() + where.offset + std::uint64_t{y} * where.stride_bytes;
}

void Picture::row(std::uint32_t y, std::span<std::uint8_t> out) const {
    if (y >= header_.height || out.size() != row_bytes())
        throw Failure("a row outside the picture was asked for");
    switch (samples()) {
        case Samples::grey8:
            std::memcpy(out.data(), line(0, y), out.size());
            break;
        case Samples::grey16:
            grey16_row(y, out);
            break;
        case Samples::rgb8:
            colour_row(y, out);
            break;
    }
}

void Picture::grey16_row(std::uint32_t y, std::span<std::uint8_t> out) const {
    const std::uint8_t* in = line(0, y);
    for (std::size_t x = 0; x < header_.width; ++x) {
        const std::uint16_t wide = widen(grey_sample(*format_, in, x), format_->bits);
        out[2 * x] = static_cast<std::uint8_t>(wide >> 8);
        out[2 * x + 1] = static_cast<std::uint8_t>(wide & 0xff);
    }
}

void Picture::colour_row(std::uint32_t y, std::span<std::uint8_t> out) const {
    std::array<const std::uint8_t*, 3> lines{};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Component& where = format_->components[i];
        lines[i] = line(where.plane, y >> where.y_shift) + where.first;
    }
    const auto sample = [&](std::size_t i, std::size_t x) {
        const Component& where = format_->components[i];
        return lines[i][(x >> where.x_shift) * where.step];
    };
    const bool yuv = format_->model == Model::yuv;
    const bool limited = header_.range == "limited";
    for (std::size_t x = 0; x < header_.width; ++x) {
        Rgb pixel{sample(0, x), sample(1, x), sample(2, x)};
        if (yuv) pixel = rgb_from_yuv(pixel.red, pixel.green, pixel.blue, limited);
        out[3 * x] = pixel.red;
        out[3 * x + 1] = pixel.green;
        out[3 * x + 2] = pixel.blue;
    }
}

}  // namespace glint::ctl
