// Filters that smooth, all of it in 16 bits: summed down the columns once, then across. A sum down
// is 256 high + low; across, the high parts are summed, and, where a carry may get lost, all of it:
// what the high parts do not account for in that are the low ones (see smooths_in_16_bits).
#include "cpu_strips.hpp"
#include "daemon/gpu/cpu_taps.hpp"

namespace glint::gpu::cpu {

namespace {

/// all[x] = start + taps[0] * from[0][x] + taps[1] * from[1][x] ..., modulo 2^16, and high[x] the
/// same of the samples' high bytes. The body of a GLINT_INNER_LOOP, as sum_each() is.
template <Start start, std::size_t... k>
[[gnu::always_inline]] inline void sum_both(std::index_sequence<k...> /*taps*/,
                                            const uint16_t* const* from, const uint16_t* taps,
                                            std::size_t count, uint16_t* __restrict all,
                                            uint16_t* __restrict high) {
    const std::array<const uint16_t*, sizeof...(k)> p{from[k]...};
    const std::array<uint32_t, sizeof...(k)> c{taps[k]...};
    for (std::size_t x = 0; x < count; ++x) {
        const uint32_t all_before = start == Start::zero ? 0U : all[x];
        const uint32_t high_before = start == Start::zero ? 0U : high[x];
        all[x] = static_cast<uint16_t>((all_before + ... + (c[k] * p[k][x])));
        high[x] = static_cast<uint16_t>(
            (high_before + ... + (c[k] * static_cast<uint16_t>(p[k][x] >> 8))));
    }
}

GLINT_INNER_LOOP set3_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<3, Start::zero>(rows, taps, count, sums);
}

GLINT_INNER_LOOP set3_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict all, uint16_t* __restrict high) {
    sum_both<Start::zero>(std::make_index_sequence<3>{}, from, taps, count, all, high);
}

GLINT_INNER_LOOP set5_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<5, Start::zero>(rows, taps, count, sums);
}

GLINT_INNER_LOOP set5_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict all, uint16_t* __restrict high) {
    sum_both<Start::zero>(std::make_index_sequence<5>{}, from, taps, count, all, high);
}

GLINT_INNER_LOOP set8_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<8, Start::zero>(rows, taps, count, sums);
}

GLINT_INNER_LOOP set8_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict all, uint16_t* __restrict high) {
    sum_both<Start::zero>(std::make_index_sequence<8>{}, from, taps, count, all, high);
}

GLINT_INNER_LOOP add3_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<3, Start::sums>(rows, taps, count, sums);
}

GLINT_INNER_LOOP add3_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict all, uint16_t* __restrict high) {
    sum_both<Start::sums>(std::make_index_sequence<3>{}, from, taps, count, all, high);
}

GLINT_INNER_LOOP add8_down(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                           uint16_t* __restrict sums) {
    sum_taps<8, Start::sums>(rows, taps, count, sums);
}

GLINT_INNER_LOOP add8_across(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict all, uint16_t* __restrict high) {
    sum_both<Start::sums>(std::make_index_sequence<8>{}, from, taps, count, all, high);
}

/// The product with `scale`, 2^(24 - shift), over 2^16 divides by 2^(shift - 8): processors
/// multiply in 16 bits, but shift by a variable in 32.
GLINT_INNER_LOOP finish(const uint16_t* all, const uint16_t* high, uint16_t scale,
                        std::size_t count, uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const auto low = static_cast<uint16_t>(all[x] - (high[x] << 8));
        const auto sum = static_cast<uint16_t>(high[x] + (low >> 8));
        to[x] = static_cast<uint8_t>((uint32_t{sum} * scale) >> 16);
    }
}

/// The loops for one kind of samples: they set the sums to, or add to them, so many products.
template <typename Sample, typename... Sums>
struct Loops {
    using Loop = void (*)(const Sample* const*, const uint16_t*, std::size_t, Sums...);
    Loop set3;
    Loop set5;
    Loop set8;
    Loop add3;
    Loop add8;
};
constexpr Loops<uint8_t, uint16_t*> down_loops{set3_down, set5_down, set8_down, add3_down,
                                               add8_down};
constexpr Loops<uint16_t, uint16_t*, uint16_t*> across_loops{set3_across, set5_across, set8_across,
                                                             add3_across, add8_across};

/// The sums of taps x what samples_of() says they meet, eight taps at a time; filters of 3 and 5
/// are the common ones.
template <typename Sample, typename... Sums, typename SamplesOf>
void sum_all(const Loops<Sample, Sums...>& loops, const Taps& taps, std::size_t size,
             const SamplesOf& samples_of, std::size_t count, Sums... sums) {
    const auto use = [&](auto loop) {
        return [=](const auto* samples, const auto* some) { loop(samples, some, count, sums...); };
    };
    if (size <= 3) return in_group<3, uint16_t>(taps, 0, size, samples_of, use(loops.set3));
    if (size <= 5) return in_group<5, uint16_t>(taps, 0, size, samples_of, use(loops.set5));
    in_group<8, uint16_t>(taps, 0, size, samples_of, use(loops.set8));
    std::size_t k = 8;
    for (; k + 3 < size; k += 8) in_group<8, uint16_t>(taps, k, size, samples_of, use(loops.add8));
    if (k < size) in_group<3, uint16_t>(taps, k, size, samples_of, use(loops.add3));
}

}  // namespace

void convolve_smoothing(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output) {
    alignas(64) uint16_t down[block_room];
    alignas(64) uint16_t all[block_room];
    alignas(64) uint16_t high[block_room];
    const Taps& column = separation.terms[0].column;
    const Taps& row = separation.terms[0].row;
    const std::size_t size = filter.size;
    const auto scale = static_cast<uint16_t>(1U << (24 - filter.shift));
    march_blocks<uint8_t>(
        frame, lane, filter, output, [&](const auto& rows, std::size_t count, uint8_t* to) {
            const auto row_of = [&](std::size_t k) { return rows[k]; };
            const auto column_of = [&](std::size_t k) -> const uint16_t* { return down + k; };
            sum_all(down_loops, column, size, row_of, count + size - 1, +down);
            sum_all(across_loops, row, size, column_of, count, +all, +high);
            finish(all, high, scale, count, to);
        });
}

}  // namespace glint::gpu::cpu
