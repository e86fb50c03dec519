// Every operator as plain as it gets: what the other variants are compared with.
#include <algorithm>

#include "operators.hpp"

namespace glint::gpu::reference {

namespace {

uint32_t sample(const uint8_t* frame, const Lane& lane, uint32_t x, uint32_t y) {
    const std::size_t high_at = std::size_t{lane.offset_bytes} +
                                std::size_t{y} * lane.stride_bytes +
                                std::size_t{x} * lane.step_bytes;
    const uint32_t high = frame[high_at];
    const uint32_t low = lane.low_bytes < 0   ? frame[high_at - 1]
                         : lane.low_bytes > 0 ? frame[high_at + 1]
                                              : high;
    if (lane.shift >= 16) return 0;
    return std::min(255U, (high << 8 | low) >> lane.shift);
}

/// Coordinate `index + step`, moved to the nearest one that exists.
uint32_t replicated(uint32_t index, int64_t step, uint32_t count) {
    return static_cast<uint32_t>(std::clamp<int64_t>(int64_t{index} + step, 0, int64_t{count} - 1));
}

}  // namespace

Bins histogram(const uint8_t* frame, const Lane& lane) noexcept {
    Bins bins{};
    for (uint32_t y = 0; y < lane.height; ++y) {
        for (uint32_t x = 0; x < lane.width; ++x) ++bins[sample(frame, lane, x, y)];
    }
    return bins;
}

void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept {
    const int64_t radius = filter.size / 2;
    for (uint32_t y = 0; y < lane.height; ++y) {
        for (uint32_t x = 0; x < lane.width; ++x) {
            int64_t sum = 0;
            for (uint32_t j = 0; j < filter.size; ++j) {
                for (uint32_t i = 0; i < filter.size; ++i) {
                    const uint32_t sample_x = replicated(x, i - radius, lane.width);
                    const uint32_t sample_y = replicated(y, j - radius, lane.height);
                    sum += int64_t{filter.coefficients[j * filter.size + i]} *
                           sample(frame, lane, sample_x, sample_y);
                }
            }
            // Integer division in C++ is towards zero, as vxConvolve wants it (OpenVX 1.0).
            const int64_t scaled = filter.shift < 32 ? sum / (int64_t{1} << filter.shift) : 0;
            output.pixels[std::size_t{y} * output.stride_bytes + x] =
                static_cast<uint8_t>(std::clamp<int64_t>(scaled, 0, 255));
        }
    }
}

}  // namespace glint::gpu::reference
