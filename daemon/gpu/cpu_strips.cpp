#include "cpu_strips.hpp"

namespace glint::gpu::cpu {

namespace {

GLINT_INNER_LOOP unpack(const uint8_t* high, const uint8_t* low, uint32_t shift, std::size_t step,
                        std::size_t count, uint8_t* __restrict to) {
    if (step == 2) {
        for (std::size_t x = 0; x < count; ++x) {
            const uint32_t both = uint32_t{high[2 * x]} << 8 | low[2 * x];
            to[x] = static_cast<uint8_t>(std::min(255U, both >> shift));
        }
    } else {
        for (std::size_t x = 0; x < count; ++x) {
            const uint32_t both = uint32_t{high[step * x]} << 8 | low[step * x];
            to[x] = static_cast<uint8_t>(std::min(255U, both >> shift));
        }
    }
}

GLINT_INNER_LOOP widen16(const uint8_t* from, std::size_t count, uint16_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) to[x] = from[x];
}

GLINT_INNER_LOOP widen32(const uint8_t* from, std::size_t count, int32_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) to[x] = from[x];
}

void unpack_packed(const uint8_t* row, const Lane& lane, std::size_t first, std::size_t count,
                   uint8_t* to) {
    const uint32_t group_samples = 1U << lane.packed_log2;
    const uint32_t low_bits = 8U >> lane.packed_log2;
    for (std::size_t x = 0; x < count; ++x) {
        const std::size_t at = lane.first_sample + (first + x) * lane.step_bytes;
        const std::size_t place = at & (group_samples - 1);
        const uint8_t* group = row + (at >> lane.packed_log2) * (group_samples + 1);
        const uint32_t low = uint32_t{group[group_samples]} >> (place * low_bits) << (8 - low_bits);
        const uint32_t both = uint32_t{group[place]} << 8 | (low & 255U);
        to[x] = static_cast<uint8_t>(std::min(255U, both >> lane.shift));
    }
}

/// Columns first to first + count - 1 of a row, as bytes.
void unpack_row(const uint8_t* row, const Lane& lane, std::size_t first, std::size_t count,
                uint8_t* to) {
    if (lane.packed_log2 != 0) {
        unpack_packed(row, lane, first, count, to);
        return;
    }
    row += first * lane.step_bytes;
    if (lane.is_bytes()) {
        std::memcpy(to, row, count);
    } else {
        unpack(row, row + lane.low_bytes, lane.shift, lane.step_bytes, count, to);
    }
}

}  // namespace

void widen(const uint8_t* from, std::size_t count, uint16_t* to) {
    widen16(from, count, to);
}

void widen(const uint8_t* from, std::size_t count, int32_t* to) {
    widen32(from, count, to);
}

std::size_t mirrored_or_nearest(std::ptrdiff_t index, std::ptrdiff_t last, Border border) {
    if (border == Border::replicate || last == 0) {
        return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index, 0, last));
    }
    while (index < 0 || index > last) index = index < 0 ? -index : 2 * last - index;
    return static_cast<std::size_t>(index);
}

void fill(const uint8_t* frame, const Lane& lane, const Filter& filter, std::size_t y,
          std::size_t first, std::size_t count, uint8_t* to) {
    const std::size_t radius = filter.size / 2;
    const std::size_t missing_left = first < radius ? radius - first : 0;
    const std::size_t begin = first + missing_left - radius;
    const std::size_t end = std::min<std::size_t>(lane.width, first + count + radius);
    const std::size_t missing_right = first + count + radius - end;
    const uint8_t* row = frame + lane.offset_bytes + y * lane.stride_bytes;
    uint8_t* at = to + missing_left;
    unpack_row(row, lane, begin, end - begin, at);
    const auto outside = [&](std::ptrdiff_t column) {
        if (filter.border == Border::constant) return filter.border_value;
        const auto last = static_cast<std::ptrdiff_t>(lane.width) - 1;
        return at[mirrored_or_nearest(column, last, filter.border) - begin];
    };
    for (std::size_t k = 0; k < missing_left; ++k) {
        to[k] = outside(static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(missing_left));
    }
    for (std::size_t k = 0; k < missing_right; ++k) {
        at[end - begin + k] = outside(static_cast<std::ptrdiff_t>(end + k));
    }
}

}  // namespace glint::gpu::cpu
