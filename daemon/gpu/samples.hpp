// How the references reach the samples of a lane, as plain as it gets.
#pragma once

#include <algorithm>
#include <optional>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu::reference {

/// The two bytes of a sample of a packed row: its own, and its low bits at the top of the other.
inline uint32_t packed_sample(const uint8_t* row, const Lane& lane, uint32_t x) {
    const uint32_t group_samples = 1U << lane.packed_log2;
    const uint32_t index = lane.first_sample + x * lane.step_bytes;
    const uint32_t place = index % group_samples;
    const uint8_t* group = row + std::size_t{index / group_samples} * (group_samples + 1);
    const uint32_t low_bits = 8 / group_samples;
    const uint32_t low = group[group_samples] >> (place * low_bits) & ((1U << low_bits) - 1);
    return uint32_t{group[place]} << 8 | low << (8 - low_bits);
}

/// The value of a sample, of as many bits as it has.
inline uint32_t sample(const uint8_t* frame, const Lane& lane, uint32_t x, uint32_t y) {
    const uint8_t* row = frame + lane.offset_bytes + std::size_t{y} * lane.stride_bytes;
    if (lane.packed_log2 != 0) return packed_sample(row, lane, x) >> lane.shift;
    const uint8_t* high = row + std::size_t{x} * lane.step_bytes;
    return (uint32_t{*high} << 8 | high[lane.low_bytes]) >> lane.shift;
}

/// As filters see it.
inline uint32_t sample_byte(const uint8_t* frame, const Lane& lane, uint32_t x, uint32_t y) {
    return std::min(255U, sample(frame, lane, x, y));
}

/// The coordinate that stands for `index`, which may lie outside 0 to count - 1; none if the border
/// is constant there.
inline std::optional<uint32_t> inside(int64_t index, uint32_t count, Border border) {
    const int64_t last = int64_t{count} - 1;
    if (index >= 0 && index <= last) return static_cast<uint32_t>(index);
    if (border == Border::constant) return std::nullopt;
    if (border == Border::replicate)
        return static_cast<uint32_t>(std::clamp<int64_t>(index, 0, last));
    while (last > 0 && (index < 0 || index > last)) index = index < 0 ? -index : 2 * last - index;
    return last > 0 ? static_cast<uint32_t>(index) : 0;
}

}  // namespace glint::gpu::reference
