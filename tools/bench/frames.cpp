#include "tools/bench/frames.hpp"

#include <fmt/format.h>

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

const std::array<NamedFilter, 4>& filters() {
    static const std::array<NamedFilter, 4> all = [] {
        gpu::Filter binomial3{.size = 3, .shift = 4, .coefficients = {1, 2, 1, 2, 4, 2, 1, 2, 1}};
        gpu::Filter binomial5{.size = 5, .shift = 8};
        constexpr int16_t line[] = {1, 4, 6, 4, 1};
        gpu::Filter uneven3{.size = 3, .shift = 5};
        gpu::Filter uneven5{.size = 5, .shift = 7};
        for (size_t i = 0; i < 25; ++i) {
            binomial5.coefficients[i] = static_cast<int16_t>(line[i / 5] * line[i % 5]);
            uneven5.coefficients[i] = static_cast<int16_t>(static_cast<int>(i * 37 % 41) - 12);
            if (i < 9)
                uneven3.coefficients[i] = static_cast<int16_t>(static_cast<int>(i * 37 % 23) - 7);
        }
        return std::array<NamedFilter, 4>{{{"binomial3", binomial3},
                                           {"binomial5", binomial5},
                                           {"general3", uneven3},
                                           {"general5", uneven5}}};
    }();
    return all;
}

double operations_of_histogram(Size size) {
    return static_cast<double>(bytes_of(size));
}

double operations_of_filter(Size size, const gpu::Filter& filter) {
    const uint32_t per_pixel = filter.is_binomial() ? 2 * filter.size : filter.taps();
    return static_cast<double>(bytes_of(size)) * per_pixel;
}

}  // namespace glint::bench
