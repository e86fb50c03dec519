// Every operator as plain as it gets: what the other variants are compared with.
#include <algorithm>

#include "daemon/gpu/picture_operators.hpp"
#include "daemon/gpu/samples.hpp"

namespace glint::gpu::reference {

namespace {

uint32_t bin_of(const HistogramTask& task, uint32_t value) {
    if (!task.table.empty()) value = task.table[std::min<size_t>(value, task.table.size() - 1)];
    return std::min(value, task.bins - 1);
}

bool masked_out(const HistogramTask& task, const CountedLane& counted, uint32_t x, uint32_t y) {
    if (counted.mask_row_bits == 0) return false;
    const uint32_t bit =
        counted.mask_first_bit + y * counted.mask_row_bits + x * counted.mask_step_bits;
    return (task.mask[bit / 8] >> (bit % 8) & 1) == 0;
}

}  // namespace

void histogram(const uint8_t* frame, const HistogramTask& task, std::span<uint32_t> bins) noexcept {
    std::ranges::fill(bins, 0);
    for (const CountedLane& counted : task.lanes) {
        for (uint32_t y = 0; y < counted.lane.height; ++y) {
            for (uint32_t x = 0; x < counted.lane.width; ++x) {
                if (masked_out(task, counted, x, y)) continue;
                const uint32_t bin = bin_of(task, sample(frame, counted.lane, x, y));
                bins[size_t{counted.result} * task.bins + bin] += counted.weight;
            }
        }
    }
}

void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept {
    if (filter.gradient) {
        return make_picture(frame, lane,
                            Sobel{.border = filter.border, .border_value = filter.border_value},
                            output);
    }
    const int64_t radius = filter.size / 2;
    for (uint32_t y = 0; y < lane.height; ++y) {
        for (uint32_t x = 0; x < lane.width; ++x) {
            int64_t sum = 0;
            for (uint32_t j = 0; j < filter.size; ++j) {
                for (uint32_t i = 0; i < filter.size; ++i) {
                    const auto at_x = inside(int64_t{x} + i - radius, lane.width, filter.border);
                    const auto at_y = inside(int64_t{y} + j - radius, lane.height, filter.border);
                    const int64_t value =
                        at_x && at_y ? sample_byte(frame, lane, *at_x, *at_y) : filter.border_value;
                    sum += int64_t{filter.coefficients[j * filter.size + i]} * value;
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
