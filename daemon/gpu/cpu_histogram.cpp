// Histogram on one CPU thread. Counting cannot be vectorised, so this is about the two things that
// slow it down: byte loads (eight samples come in one register instead) and increments of the same
// counter that wait for one another (eight tables are used in turn, which matters where
// neighbouring samples are alike, as in most pictures).
#include <algorithm>
#include <cstring>

#include "operators.hpp"

namespace glint::gpu::cpu {

namespace {

constexpr std::size_t tables = 8;
using Tables = std::array<Bins, tables>;

void count_bytes(const uint8_t* bytes, std::size_t count, Tables& counts) {
    std::size_t x = 0;
    for (; x + 16 <= count; x += 16) {
        std::array<uint64_t, 2> word;
        std::memcpy(word.data(), bytes + x, sizeof word);
        for (const uint64_t eight : word) {
            // Which end the bytes are taken from does not matter.
            ++counts[0][eight & 255];
            ++counts[1][eight >> 8 & 255];
            ++counts[2][eight >> 16 & 255];
            ++counts[3][eight >> 24 & 255];
            ++counts[4][eight >> 32 & 255];
            ++counts[5][eight >> 40 & 255];
            ++counts[6][eight >> 48 & 255];
            ++counts[7][eight >> 56];
        }
    }
    for (; x < count; ++x) ++counts[0][bytes[x]];
}

void count_spread(const uint8_t* high, const Lane& lane, Tables& counts) {
    const uint32_t shift = std::min(lane.shift, 31U);
    const uint8_t* low = high + lane.low_bytes;
    for (std::size_t x = 0; x < lane.width; ++x) {
        const std::size_t at = x * lane.step_bytes;
        const uint32_t both = uint32_t{high[at]} << 8 | low[at];
        ++counts[x % tables][std::min(255U, both >> shift)];
    }
}

}  // namespace

Bins histogram(const uint8_t* frame, const Lane& lane) noexcept {
    Tables counts{};
    const bool bytes = lane.step_bytes == 1 && lane.low_bytes == 0 && lane.shift == 8;
    for (std::size_t y = 0; y < lane.height; ++y) {
        const uint8_t* row = frame + lane.offset_bytes + y * lane.stride_bytes;
        if (bytes) {
            count_bytes(row, lane.width, counts);
        } else {
            count_spread(row, lane, counts);
        }
    }
    Bins bins = counts[0];
    for (std::size_t table = 1; table < tables; ++table) {
        for (std::size_t b = 0; b < histogram_bins; ++b) bins[b] += counts[table][b];
    }
    return bins;
}

}  // namespace glint::gpu::cpu
