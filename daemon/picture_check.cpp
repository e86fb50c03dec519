#include "daemon/picture_check.hpp"

#include <algorithm>
#include <array>

namespace glint {
namespace {

constexpr uint32_t tile_columns = 64;
constexpr uint32_t tile_rows = 16;
constexpr uint32_t max_margin = gpu::max_filter_size / 2;

/// A stretch of one axis: what is computed, and the part of it that is right whatever lies outside.
struct Stretch {
    uint32_t begin;
    uint32_t length;
    uint32_t skip;     ///< from `begin` to the first pixel that is compared
    uint32_t compare;  ///< pixels
};

/// The operators make up what lies beyond the edge of what they are given, so a tile needs a margin
/// everywhere but at the picture's own edge.
Stretch choose(uint64_t seed, uint32_t size, uint32_t tile, uint32_t margin) noexcept {
    const uint32_t compare = std::min(size, tile);
    const auto first = static_cast<uint32_t>(seed % (size - compare + 1));
    const uint32_t begin = first - std::min(first, margin);
    const uint32_t end = std::min(size, first + compare + margin);
    return {begin, end - begin, first - begin, compare};
}

}  // namespace

bool tile_matches(const uint8_t* frame, const gpu::Lane& lane, const gpu::AnyFilter& filter,
                  const gpu::Output& picture, uint64_t seed, bool rounds_to_zero) noexcept {
    // Two independent places from one number: Knuth's multiplicative hash (TAOCP 6.4).
    const uint64_t hash = (seed + 1) * 2654435761U;
    const uint32_t margin = std::visit([](const auto& one) { return one.size / 2; }, filter);
    const Stretch x = choose(hash >> 4, lane.width, tile_columns, margin);
    const Stretch y = choose(hash >> 20, lane.height, tile_rows, margin);
    const gpu::Lane tile = lane.part(x.begin, y.begin, x.length, y.length);
    constexpr uint32_t stride = tile_columns + 2 * max_margin;
    std::array<uint8_t, size_t{stride} * (tile_rows + 2 * max_margin)> expected;
    const gpu::Output output{expected.data(), stride};
    std::visit([&](const auto& one) { gpu::cpu::convolve(frame, tile, one, output); }, filter);
    for (uint32_t row = 0; row < y.compare; ++row) {
        const uint32_t at_x = x.begin + x.skip;
        const uint32_t at_y = y.begin + y.skip + row;
        const uint8_t* wanted = expected.data() + size_t{y.skip + row} * stride + x.skip;
        const uint8_t* got = picture.pixels + size_t{at_y} * picture.stride_bytes + at_x;
        for (uint32_t i = 0; i < x.compare; ++i) {
            if (wanted[i] == got[i]) continue;
            const auto* of_floats = std::get_if<gpu::FloatFilter>(&filter);
            if (of_floats == nullptr) return false;
            // The cpu variant is within the bound, so only what differs takes the exact value.
            const auto exact = gpu::reference::convolve(frame, lane, *of_floats, at_x + i, at_y);
            if (!exact.allows(got[i], *of_floats, rounds_to_zero)) return false;
        }
    }
    return true;
}

}  // namespace glint
