// Filters of float coefficients on one CPU thread: rows are widened to floats with their border
// once, and one row of the filter at a time is added to the sums.
#include <algorithm>
#include <bit>
#include <vector>

#include "daemon/gpu/cpu_rows.hpp"
#include "daemon/gpu/float_filter.hpp"

namespace glint::gpu::cpu {

namespace {

GLINT_INNER_LOOP add5(const float* a, const float* b, const float* c, const float* d,
                      const float* e, const float* coefficients, std::size_t count,
                      float* __restrict sums) {
    const float c0 = coefficients[0];
    const float c1 = coefficients[1];
    const float c2 = coefficients[2];
    const float c3 = coefficients[3];
    const float c4 = coefficients[4];
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += c0 * a[x] + c1 * b[x] + c2 * c[x] + c3 * d[x] + c4 * e[x];
    }
}

GLINT_INNER_LOOP add3(const float* a, const float* b, const float* c, const float* coefficients,
                      std::size_t count, float* __restrict sums) {
    const float c0 = coefficients[0];
    const float c1 = coefficients[1];
    const float c2 = coefficients[2];
    for (std::size_t x = 0; x < count; ++x) sums[x] += c0 * a[x] + c1 * b[x] + c2 * c[x];
}

GLINT_INNER_LOOP add1(const float* a, const float* coefficients, std::size_t count,
                      float* __restrict sums) {
    const float c0 = coefficients[0];
    for (std::size_t x = 0; x < count; ++x) sums[x] += c0 * a[x];
}

/// One row of a filter of `size` taps, which is odd: five at a time, then three, then one.
void add_row(const float* p, const float* c, std::size_t size, std::size_t count, float* sums) {
    for (; size >= 5; size -= 5, p += 5, c += 5) {
        add5(p, p + 1, p + 2, p + 3, p + 4, c, count, sums);
    }
    for (; size >= 3; size -= 3, p += 3, c += 3) add3(p, p + 1, p + 2, c, count, sums);
    for (; size >= 1; --size, ++p, ++c) add1(p, c, count, sums);
}

GLINT_INNER_LOOP widen(const uint8_t* from, std::size_t count, float* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) to[x] = from[x];
}

GLINT_INNER_LOOP to_bytes(const float* sums, std::size_t count, uint8_t* __restrict to) {
    // Beside this number a float has no room for a fraction, which is rounded to the nearest even.
    constexpr float whole = 1.5F * (1 << 23);
    constexpr auto most = std::bit_cast<int32_t>(255.0F);
    for (std::size_t x = 0; x < count; ++x) {
        // As integers floats from 0 on have the same order, negative ones are below 0, and what is
        // no number is at one end or the other. Comparisons of floats gcc does not vectorise.
        const auto bits = std::bit_cast<int32_t>(sums[x]);
        const auto clamped = std::bit_cast<float>(std::min(std::max(bits, 0), most));
        to[x] = static_cast<uint8_t>(static_cast<int32_t>((clamped + whole) - whole));
    }
}

/// What the border says to the left and right of the `width` samples from row[radius] on.
void add_border(float* row, std::size_t width, const FloatFilter& filter) {
    const std::size_t radius = filter.size / 2;
    const auto last = static_cast<std::ptrdiff_t>(width) - 1;
    const auto outside = [&](std::ptrdiff_t column) {
        if (filter.border == Border::constant) return filter.border_value;
        return row[radius + mirrored_or_nearest(column, last, filter.border)];
    };
    for (std::size_t k = 1; k <= radius; ++k) {
        row[radius - k] = outside(-static_cast<std::ptrdiff_t>(k));
        row[radius + width - 1 + k] = outside(last + static_cast<std::ptrdiff_t>(k));
    }
}

/// read_row(y, to) puts the samples of row y side by side, use_row(y, sums) gets what the filter
/// makes of them.
template <typename ReadRow, typename UseRow>
void march(std::size_t width, std::size_t height, const FloatFilter& filter,
           const ReadRow& read_row, const UseRow& use_row) {
    const std::size_t size = filter.size;
    const std::size_t radius = size / 2;
    const std::size_t pitch = width + size - 1;
    std::vector<float> ring(size * pitch);  // row y at y % size
    const std::vector<float> outside(pitch, filter.border_value);
    std::vector<float> sums(width);
    std::size_t filled = 0;
    for (std::size_t y = 0; y < height; ++y) {
        for (; filled < std::min(height, y + radius + 1); ++filled) {
            float* row = ring.data() + filled % size * pitch;
            read_row(filled, row + radius);
            add_border(row, width, filter);
        }
        std::ranges::fill(sums, 0.0F);
        for (std::size_t j = 0; j < size; ++j) {
            const auto at =
                static_cast<std::ptrdiff_t>(y + j) - static_cast<std::ptrdiff_t>(radius);
            const auto last = static_cast<std::ptrdiff_t>(height) - 1;
            const bool exists = at >= 0 && at <= last;
            const std::size_t stand_in = mirrored_or_nearest(at, last, filter.border);
            const float* row = exists || filter.border != Border::constant
                                   ? ring.data() + stand_in % size * pitch
                                   : outside.data();
            add_row(row, filter.coefficients.data() + j * size, size, width, sums.data());
        }
        use_row(y, sums.data());
    }
}

}  // namespace

void convolve(const uint8_t* frame, const Lane& lane, const FloatFilter& filter,
              const Output& output) noexcept {
    std::vector<uint8_t> bytes(lane.width);
    march(
        lane.width, lane.height, filter,
        [&](std::size_t y, float* to) {
            const uint8_t* row = frame + lane.offset_bytes + y * lane.stride_bytes;
            unpack_row(row, lane, 0, lane.width, bytes.data());
            widen(bytes.data(), lane.width, to);
        },
        [&](std::size_t y, const float* sums) {
            to_bytes(sums, lane.width, output.pixels + y * output.stride_bytes);
        });
}

void convolve(const float* samples, const FloatPicture& picture, const FloatFilter& filter,
              float* output, uint32_t output_stride) noexcept {
    march(
        picture.width, picture.height, filter,
        [&](std::size_t y, float* to) {
            std::copy_n(samples + picture.offset + y * picture.stride, picture.width, to);
        },
        [&](std::size_t y, const float* sums) {
            std::copy_n(sums, picture.width, output + y * output_stride);
        });
}

}  // namespace glint::gpu::cpu
