// Filters that smooth, all of it in 16 bits: summed down the columns once, then across, the upper
// and the lower bytes of those sums apart (see smooths_in_16_bits).
#include "cpu_strips.hpp"
#include "daemon/gpu/cpu_taps.hpp"

namespace glint::gpu::cpu {

namespace {

GLINT_INNER_LOOP set3_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<3, Start::zero>(rows, taps, count, sums);
}

GLINT_INNER_LOOP set3_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict sums) {
    sum_taps<3, Start::zero>(from, taps, count, sums);
}

GLINT_INNER_LOOP add3_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<3, Start::sums>(rows, taps, count, sums);
}

GLINT_INNER_LOOP add3_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict sums) {
    sum_taps<3, Start::sums>(from, taps, count, sums);
}

GLINT_INNER_LOOP set8_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<8, Start::zero>(rows, taps, count, sums);
}

GLINT_INNER_LOOP set8_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict sums) {
    sum_taps<8, Start::zero>(from, taps, count, sums);
}

GLINT_INNER_LOOP add8_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<8, Start::sums>(rows, taps, count, sums);
}

GLINT_INNER_LOOP add8_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict sums) {
    sum_taps<8, Start::sums>(from, taps, count, sums);
}

/// The loops for one kind of samples.
template <typename Sample>
struct Loops {
    using Loop = void (*)(const Sample* const*, const uint16_t*, std::size_t, uint16_t*);
    Loop set3;
    Loop add3;
    Loop set8;
    Loop add8;
};
constexpr Loops<uint8_t> down_loops{set3_down, add3_down, set8_down, add8_down};
constexpr Loops<uint16_t> across_loops{set3_across, add3_across, set8_across, add8_across};

GLINT_INNER_LOOP cut(const uint16_t* sums, std::size_t count, uint16_t* __restrict high,
                     uint16_t* __restrict low) {
    for (std::size_t x = 0; x < count; ++x) {
        high[x] = static_cast<uint16_t>(sums[x] >> 8);
        low[x] = static_cast<uint16_t>(sums[x] & 255);
    }
}

/// The product with `scale`, 2^(24 - shift), over 2^16 divides by 2^(shift - 8): processors
/// multiply in 16 bits, but shift by a variable in 32.
GLINT_INNER_LOOP finish(const uint16_t* high, const uint16_t* low, uint16_t scale,
                        std::size_t count, uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const auto sum = static_cast<uint16_t>(high[x] + (low[x] >> 8));
        to[x] = static_cast<uint8_t>((uint32_t{sum} * scale) >> 16);
    }
}

/// The sums of taps x what samples_of() says they meet: eight taps at a time, and the last six or
/// fewer by threes, since filters of 3 and 5 are the common ones.
template <typename Sample, typename SamplesOf>
void sum_all(const Taps& taps, std::size_t size, std::size_t count, uint16_t* sums,
             const SamplesOf& samples_of, const Loops<Sample>& loops) {
    std::size_t k = 0;
    for (; k + 6 < size; k += 8) {
        const auto loop = k == 0 ? loops.set8 : loops.add8;
        in_group<8, uint16_t>(
            taps, k, size, samples_of,
            [&](const auto* samples, const auto* some) { loop(samples, some, count, sums); });
    }
    for (; k < size; k += 3) {
        const auto loop = k == 0 ? loops.set3 : loops.add3;
        in_group<3, uint16_t>(
            taps, k, size, samples_of,
            [&](const auto* samples, const auto* some) { loop(samples, some, count, sums); });
    }
}

}  // namespace

void convolve_smoothing(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output) {
    alignas(64) uint16_t down[block_room];
    alignas(64) uint16_t high[block_room];
    alignas(64) uint16_t low[block_room];
    alignas(64) uint16_t high_sums[block_room];
    alignas(64) uint16_t low_sums[block_room];
    const Taps& column = separation.terms[0].column;
    const Taps& row = separation.terms[0].row;
    const std::size_t size = filter.size;
    const auto scale = static_cast<uint16_t>(1U << (24 - filter.shift));
    march_blocks<uint8_t>(
        frame, lane, filter, output, [&](const auto& rows, std::size_t count, uint8_t* to) {
            const std::size_t wide = count + size - 1;
            sum_all(
                column, size, wide, down, [&](std::size_t k) { return rows[k]; }, down_loops);
            cut(down, wide, high, low);
            const auto high_from = [&](std::size_t k) -> const uint16_t* { return high + k; };
            const auto low_from = [&](std::size_t k) -> const uint16_t* { return low + k; };
            sum_all(row, size, count, high_sums, high_from, across_loops);
            sum_all(row, size, count, low_sums, low_from, across_loops);
            finish(high_sums, low_sums, scale, count, to);
        });
}

}  // namespace glint::gpu::cpu
