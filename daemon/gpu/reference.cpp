// Every operator as plain as it gets: what the other variants are compared with.
#include <algorithm>
#include <cmath>
#include <vector>

#include "daemon/gpu/float_filter.hpp"
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

/// The picture with what the filter sees around it: size / 2 samples on every side.
std::vector<int64_t> with_border(const uint8_t* frame, const Lane& lane, const Filter& filter) {
    const int64_t radius = filter.size / 2;
    std::vector<int64_t> samples;
    for (int64_t y = -radius; y < lane.height + radius; ++y) {
        for (int64_t x = -radius; x < lane.width + radius; ++x) {
            const auto at_x = inside(x, lane.width, filter.border);
            const auto at_y = inside(y, lane.height, filter.border);
            samples.push_back(at_x && at_y ? sample_byte(frame, lane, *at_x, *at_y)
                                           : filter.border_value);
        }
    }
    return samples;
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
    const std::vector<int64_t> samples = with_border(frame, lane, filter);
    const std::size_t pitch = std::size_t{lane.width} + filter.size - 1;
    for (std::size_t y = 0; y < lane.height; ++y) {
        for (std::size_t x = 0; x < lane.width; ++x) {
            int64_t sum = 0;
            for (std::size_t j = 0; j < filter.size; ++j) {
                for (std::size_t i = 0; i < filter.size; ++i) {
                    sum +=
                        filter.coefficients[j * filter.size + i] * samples[(y + j) * pitch + x + i];
                }
            }
            // Integer division in C++ is towards zero, as vxConvolve wants it (OpenVX 1.0).
            const int64_t scaled = filter.shift < 32 ? sum / (int64_t{1} << filter.shift) : 0;
            output.pixels[y * output.stride_bytes + x] =
                static_cast<uint8_t>(std::clamp<int64_t>(scaled, 0, 255));
        }
    }
}

namespace {

/// `sample(x, y)` inside the picture, the border's value where there is none.
template <typename Sample>
ExactPixel exact(const FloatFilter& filter, uint32_t width, uint32_t height, uint32_t x, uint32_t y,
                 const Sample& sample) {
    ExactPixel pixel;
    const int64_t radius = filter.size / 2;
    for (uint32_t j = 0; j < filter.size; ++j) {
        for (uint32_t i = 0; i < filter.size; ++i) {
            const auto at_x = inside(int64_t{x} + i - radius, width, filter.border);
            const auto at_y = inside(int64_t{y} + j - radius, height, filter.border);
            const double value =
                at_x && at_y ? double{sample(*at_x, *at_y)} : double{filter.border_value};
            const double product = filter.coefficients[j * filter.size + i] * value;
            pixel.value += product;
            pixel.magnitude += std::abs(product);
        }
    }
    return pixel;
}

}  // namespace

ExactPixel convolve(const uint8_t* frame, const Lane& lane, const FloatFilter& filter, uint32_t x,
                    uint32_t y) noexcept {
    return exact(filter, lane.width, lane.height, x, y, [&](uint32_t at_x, uint32_t at_y) {
        return double{1} * sample_byte(frame, lane, at_x, at_y);
    });
}

ExactPixel convolve(const float* samples, const FloatPicture& picture, const FloatFilter& filter,
                    uint32_t x, uint32_t y) noexcept {
    return exact(filter, picture.width, picture.height, x, y, [&](uint32_t at_x, uint32_t at_y) {
        return samples[picture.offset + std::size_t{at_y} * picture.stride + at_x];
    });
}

}  // namespace glint::gpu::reference
