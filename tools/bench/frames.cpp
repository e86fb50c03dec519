#include "tools/bench/frames.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace glint::bench {
namespace {

uint32_t stride_bytes(Stride stride, uint32_t row_bytes) {
    switch (stride) {
        case Stride::tight:
            return row_bytes;
        case Stride::plus1:
            return row_bytes + 1;
        case Stride::plus16:
            return row_bytes + 16;
        case Stride::padded64:
            break;
    }
    return static_cast<uint32_t>(
        zero_copy::align_up(row_bytes + uint64_t{1}, zero_copy::stride_alignment));
}

gpu::Lane lane_of(const zero_copy::FrameLayout& layout) {
    const zero_copy::FormatInfo& format = zero_copy::info(layout.format);
    const zero_copy::ChannelRule& channel = format.channels[format.channel_count == 3 ? 1 : 0];
    return {.offset_bytes = layout.planes[0].offset_bytes + channel.offset_bytes,
            .stride_bytes = layout.planes[0].stride_bytes,
            .step_bytes = channel.step_bytes,
            .low_bytes = channel.low_bytes,
            .shift = channel.low_bytes == 0 ? 8 : layout.bit_depth - 8,
            .width = layout.width,
            .height = layout.height};
}

/// Noise from a linear congruential generator (Numerical Recipes, 2nd edition, 7.1): the same on
/// every machine.
void fill(Picture picture, std::span<uint8_t> bytes, const gpu::Lane& lane) {
    uint32_t state = 1;
    for (size_t i = 0; i < bytes.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        const size_t column = i % lane.stride_bytes / lane.step_bytes;
        bytes[i] = static_cast<uint8_t>(picture == Picture::noise ? state >> 24
                                                                  : column * 256 / lane.width);
    }
}

}  // namespace

std::string text_of(Size size) {
    return fmt::format("{}x{}", size.width, size.height);
}

const char* name_of(Picture picture) {
    return picture == Picture::noise ? "noise" : "smooth";
}

const char* name_of(Stride stride) {
    switch (stride) {
        case Stride::tight:
            return "tight";
        case Stride::plus1:
            return "plus1";
        case Stride::plus16:
            return "plus16";
        case Stride::padded64:
            break;
    }
    return "padded64";
}

Frame make_frame(zero_copy::PixelFormat format, Size size, Stride stride, Picture picture) {
    const uint32_t row_bytes =
        zero_copy::make_layout(format, size.width, size.height).planes[0].row_bytes;
    const auto layout =
        zero_copy::make_layout(format, size.width, size.height, stride_bytes(stride, row_bytes));
    Frame frame{size, lane_of(layout), zero_copy::FrameMemory(layout.size_bytes)};
    fill(picture, frame.memory.bytes(), frame.lane);
    return frame;
}

std::vector<FrameKind> frame_kinds() {
    std::vector<FrameKind> result;
    for (const Size size : sizes) {
        for (const NamedFormat& format : formats) {
            for (const Stride stride : strides) result.push_back({format, size, stride});
        }
    }
    return result;
}

bool is_measured_on(const tools::Task& task, const FrameKind& kind, bool all) {
    using zero_copy::PixelFormat;
    constexpr uint32_t largest_quick_filter = 5;
    const bool takes_colours = task.pixel_bytes > 1;
    const bool grey = kind.format.format == PixelFormat::grey;
    const bool own = takes_colours ? kind.format.format == PixelFormat::rgb24 : grey;
    const bool tight = kind.stride == Stride::tight;
    const bool middle = kind.size.width == middle_size.width;
    if (own && tight) return all || middle || task.filter_size <= largest_quick_filter;
    return all && !takes_colours && !has_float_samples(task) && (grey || tight);
}

std::string text_of(const tools::Task& task, const FrameKind& kind) {
    std::string result = fmt::format("{}/{}", has_float_samples(task) ? "float" : kind.format.name,
                                     text_of(kind.size));
    if (kind.stride != Stride::tight) result += fmt::format("/{}", name_of(kind.stride));
    return result;
}

std::vector<Picture> pictures_of(const tools::Task& task) {
    if (std::holds_alternative<tools::Counting>(task.operation)) {
        return {Picture::noise, Picture::smooth};
    }
    return {Picture::noise};
}

std::string picture_text(const tools::Task& task, Picture picture) {
    return pictures_of(task).size() > 1 ? fmt::format("{}/", name_of(picture)) : "";
}

Frame make_frame(const tools::Task& task, const FrameKind& kind, Picture picture) {
    Frame frame = make_frame(kind.format.format, kind.size, kind.stride, picture);
    // Pixels are taken apart from their first byte on.
    if (task.pixel_bytes > 1) frame.lane.offset_bytes = 0;
    if (!has_float_samples(task)) return frame;
    const std::span bytes = frame.memory.bytes().first(bytes_of(kind.size));
    zero_copy::FrameMemory floats(bytes.size() * sizeof(float));
    std::ranges::copy(bytes, reinterpret_cast<float*>(floats.data()));
    return {frame.size, frame.lane, std::move(floats)};
}

}  // namespace glint::bench
