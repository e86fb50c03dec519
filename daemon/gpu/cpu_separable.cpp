// Filters that are sums of outer products: every row of pixels is summed down the columns once,
// then across. Eight taps at a time, the last of them filled up with zeros.
#include "cpu_strips.hpp"
#include "daemon/gpu/cpu_taps.hpp"

namespace glint::gpu::cpu {

namespace {

constexpr std::size_t at_a_time = 8;

GLINT_INNER_LOOP down_narrow(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict sums) {
    sum_taps<at_a_time, Start::sums>(rows, taps, count, sums);
}

GLINT_INNER_LOOP down_wide(const uint8_t* const* rows, const int32_t* taps, std::size_t count,
                           int32_t* __restrict sums) {
    sum_taps<at_a_time, Start::sums>(rows, taps, count, sums);
}

GLINT_INNER_LOOP to_floats(const uint16_t* from, float less, std::size_t count,
                           float* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) to[x] = static_cast<float>(from[x]) - less;
}

GLINT_INNER_LOOP across_float(const float* const* from, const float* taps, std::size_t count,
                              float* __restrict sums) {
    sum_taps<at_a_time, Start::sums>(from, taps, count, sums);
}

GLINT_INNER_LOOP across_wide(const int32_t* const* from, const int32_t* taps, std::size_t count,
                             int32_t* __restrict sums) {
    sum_taps<at_a_time, Start::sums>(from, taps, count, sums);
}

GLINT_INNER_LOOP finish_float(const float* sums, float scale, std::size_t count,
                              uint8_t* __restrict to) {
    // Towards zero, as the conversion does it; negative sums end at 0.
    for (std::size_t x = 0; x < count; ++x) {
        to[x] = static_cast<uint8_t>(
            static_cast<int32_t>(std::min(std::max(sums[x] * scale, 0.0F), 255.0F)));
    }
}

GLINT_INNER_LOOP finish_wide(const int32_t* sums, uint32_t shift, std::size_t count,
                             uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        to[x] = static_cast<uint8_t>(std::min(std::max(sums[x], 0) >> shift, 255));
    }
}

/// Adds taps x samples to `sums`, eight at a time; samples_of(k) is what tap k meets.
template <typename Tap, typename Sum, typename SamplesOf, typename Loop>
void add_all(const Taps& taps, std::size_t size, std::size_t count, Sum* sums,
             const SamplesOf& samples_of, const Loop& loop) {
    for (std::size_t k = 0; k < size; k += at_a_time) {
        in_group<at_a_time, Tap>(
            taps, k, size, samples_of,
            [&](const auto* samples, const Tap* some) { loop(samples, some, count, sums); });
    }
}

/// 255 x the sum of the negative taps, as a positive number.
uint16_t below_zero(const Taps& taps) {
    int32_t sum = 0;
    for (const int32_t tap : taps) sum -= 255 * std::min(tap, 0);
    return static_cast<uint16_t>(sum);
}

/// Sums down the columns span 16 bits, and start so that the least is 0; a float holds the others.
void convolve_narrow(const uint8_t* frame, const Lane& lane, const Filter& filter,
                     const Separation& separation, const Output& output) {
    alignas(64) uint16_t down[block_room];
    alignas(64) float floats[block_room];
    alignas(64) float sums[block_room];
    const std::size_t size = filter.size;
    const float scale = 1.0F / static_cast<float>(uint64_t{1} << filter.shift);
    march_blocks<uint8_t>(
        frame, lane, filter, output, [&](const auto& rows, std::size_t count, uint8_t* to) {
            const auto rows_of = [&](std::size_t k) { return rows[k]; };
            std::memset(sums, 0, count * sizeof sums[0]);
            for (uint32_t t = 0; t < separation.count; ++t) {
                const OuterProduct& term = separation.terms[t];
                const uint16_t start = below_zero(term.column);
                std::fill_n(down, count + size - 1, start);
                add_all<uint16_t>(term.column, size, count + size - 1, down, rows_of, down_narrow);
                to_floats(down, start, count + size - 1, floats);
                add_all<float>(
                    term.row, size, count, sums, [&](std::size_t k) { return floats + k; },
                    across_float);
            }
            finish_float(sums, scale, count, to);
        });
}

void convolve_wide(const uint8_t* frame, const Lane& lane, const Filter& filter,
                   const Separation& separation, const Output& output) {
    alignas(64) int32_t down[block_room];
    alignas(64) int32_t sums[block_room];
    const std::size_t size = filter.size;
    const uint32_t shift = std::min(filter.shift, 31U);
    march_blocks<uint8_t>(
        frame, lane, filter, output, [&](const auto& rows, std::size_t count, uint8_t* to) {
            const auto rows_of = [&](std::size_t k) { return rows[k]; };
            std::memset(sums, 0, count * sizeof sums[0]);
            for (uint32_t t = 0; t < separation.count; ++t) {
                const OuterProduct& term = separation.terms[t];
                std::memset(down, 0, (count + size - 1) * sizeof down[0]);
                add_all<int32_t>(term.column, size, count + size - 1, down, rows_of, down_wide);
                add_all<int32_t>(
                    term.row, size, count, sums, [&](std::size_t k) { return down + k; },
                    across_wide);
            }
            finish_wide(sums, shift, count, to);
        });
}

}  // namespace

void convolve_separable(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output) {
    const bool narrow = separation.column_magnitude * 255 <= UINT16_MAX;
    if (narrow && separation.magnitude * 255 < exact_in_float) {
        convolve_narrow(frame, lane, filter, separation, output);
    } else {
        convolve_wide(frame, lane, filter, separation, output);
    }
}

}  // namespace glint::gpu::cpu
