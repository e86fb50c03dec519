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

struct PixelFormat {
    std::string_view fourcc;
    Model model;
    std::uint8_t bits;
    bool big_endian;
    std::uint8_t plane_count;
    std::array<PlaneShape, 3> planes;
    std::array<Component, 3> components;  // R, G, B or Y, U, V
};

namespace {

constexpr PlaneShape full{1, 1, 0};
constexpr PlaneShape packed2{1, 2, 0};
constexpr PlaneShape packed3{1, 3, 0};
constexpr PlaneShape pair420{2, 2, 1};    // U and V side by side
constexpr PlaneShape chroma420{2, 1, 1};  // U or V alone
constexpr PlaneShape chroma422{2, 1, 0};
constexpr PlaneShape packed422{2, 4, 0};
constexpr PlaneShape none{1, 0, 0};
constexpr Component luma{0, 0, 1, 0, 0};

constexpr PixelFormat formats[] = {
    {"GREY", Model::grey, 8, false, 1, {full}, {luma}},
    {"Y10 ", Model::grey, 10, false, 1, {packed2}, {}},
    {"Y12 ", Model::grey, 12, false, 1, {packed2}, {}},
    {"Y16 ", Model::grey, 16, false, 1, {packed2}, {}},
    {"Y16 -BE", Model::grey, 16, true, 1, {packed2}, {}},
    {"NV12",
     Model::yuv,
     8,
     false,
     2,
     {full, pair420, none},
     {luma, Component{1, 0, 2, 1, 1}, Component{1, 1, 2, 1, 1}}},
    {"NV21",
     Model::yuv,
     8,
     false,
     2,
     {full, pair420, none},
     {luma, Component{1, 1, 2, 1, 1}, Component{1, 0, 2, 1, 1}}},
    {"YU12",
     Model::yuv,
     8,
     false,
     3,
     {full, chroma420, chroma420},
     {luma, Component{1, 0, 1, 1, 1}, Component{2, 0, 1, 1, 1}}},
    {"422P",
     Model::yuv,
     8,
     false,
     3,
     {full, chroma422, chroma422},
     {luma, Component{1, 0, 1, 1, 0}, Component{2, 0, 1, 1, 0}}},
    {"444P",
     Model::yuv,
     8,
     false,
     3,
     {full, full, full},
     {luma, Component{1, 0, 1, 0, 0}, Component{2, 0, 1, 0, 0}}},
    {"YUYV",
     Model::yuv,
     8,
     false,
     1,
     {packed422, none, none},
     {Component{0, 0, 2, 0, 0}, Component{0, 1, 4, 1, 0}, Component{0, 3, 4, 1, 0}}},
    {"UYVY",
     Model::yuv,
     8,
     false,
     1,
     {packed422, none, none},
     {Component{0, 1, 2, 0, 0}, Component{0, 0, 4, 1, 0}, Component{0, 2, 4, 1, 0}}},
    {"RGB3",
     Model::rgb,
     8,
     false,
     1,
     {packed3, none, none},
     {Component{0, 0, 3, 0, 0}, Component{0, 1, 3, 0, 0}, Component{0, 2, 3, 0, 0}}},
    {"BGR3",
     Model::rgb,
     8,
     false,
     1,
     {packed3, none, none},
     {Component{0, 2, 3, 0, 0}, Component{0, 1, 3, 0, 0}, Component{0, 0, 3, 0, 0}}},
};

// The largest side that libpng writes; it also keeps every product below within 64 bits.
constexpr std::uint32_t largest_side = 1'000'000;

const PixelFormat* find_format(std::string_view fourcc) {
    const auto* found =
        std::ranges::find(std::begin(formats), std::end(formats), fourcc, &PixelFormat::fourcc);
    if (found != std::end(formats)) return found;
    std::string known;
    for (const PixelFormat& format : formats)
        known += fmt::format("{}'{}'", known.empty() ? "" : " ", format.fourcc);
    throw Failure(
        fmt::format("pixel format '{}' cannot be written as PNG; these can: {}", fourcc, known));
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
    const std::size_t high = format_->big_endian ? 0 : 1;
    for (std::size_t at = 0; at < out.size(); at += 2) {
        const auto sample = static_cast<std::uint16_t>(in[at + high] << 8 | in[at + 1 - high]);
        const std::uint16_t wide = widen(sample, format_->bits);
        out[at] = static_cast<std::uint8_t>(wide >> 8);
        out[at + 1] = static_cast<std::uint8_t>(wide & 0xff);
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
