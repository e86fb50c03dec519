// Filters that are sums of outer products: every row of pixels is summed down the columns once,
// then across. Four taps at a time, the last of them filled up with zeros.
#include "cpu_strips.hpp"

namespace glint::gpu::cpu {

namespace {

using Taps = std::array<int32_t, max_filter_size>;

constexpr std::size_t at_a_time = 4;

GLINT_INNER_LOOP down_narrow(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict sums) {
    const uint8_t* a = rows[0];
    const uint8_t* b = rows[1];
    const uint8_t* c = rows[2];
    const uint8_t* d = rows[3];
    const uint32_t tap0 = taps[0];
    const uint32_t tap1 = taps[1];
    const uint32_t tap2 = taps[2];
    const uint32_t tap3 = taps[3];
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] =
            static_cast<uint16_t>(sums[x] + tap0 * a[x] + tap1 * b[x] + tap2 * c[x] + tap3 * d[x]);
    }
}

GLINT_INNER_LOOP down_wide(const uint8_t* const* rows, const int32_t* taps, std::size_t count,
                           int32_t* __restrict sums) {
    const uint8_t* a = rows[0];
    const uint8_t* b = rows[1];
    const uint8_t* c = rows[2];
    const uint8_t* d = rows[3];
    const int32_t tap0 = taps[0];
    const int32_t tap1 = taps[1];
    const int32_t tap2 = taps[2];
    const int32_t tap3 = taps[3];
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += tap0 * a[x] + tap1 * b[x] + tap2 * c[x] + tap3 * d[x];
    }
}

GLINT_INNER_LOOP to_floats(const uint16_t* from, float less, std::size_t count,
                           float* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) to[x] = static_cast<float>(from[x]) - less;
}

GLINT_INNER_LOOP across_float(const float* a, const float* b, const float* c, const float* d,
                              const int32_t* taps, std::size_t count, float* __restrict sums) {
    const auto tap0 = static_cast<float>(taps[0]);
    const auto tap1 = static_cast<float>(taps[1]);
    const auto tap2 = static_cast<float>(taps[2]);
    const auto tap3 = static_cast<float>(taps[3]);
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += tap0 * a[x] + tap1 * b[x] + tap2 * c[x] + tap3 * d[x];
    }
}

GLINT_INNER_LOOP across_wide(const int32_t* a, const int32_t* b, const int32_t* c, const int32_t* d,
                             const int32_t* taps, std::size_t count, int32_t* __restrict sums) {
    const int32_t tap0 = taps[0];
    const int32_t tap1 = taps[1];
    const int32_t tap2 = taps[2];
    const int32_t tap3 = taps[3];
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += tap0 * a[x] + tap1 * b[x] + tap2 * c[x] + tap3 * d[x];
    }
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

/// Calls add(first tap, four taps) for every four of `size`.
template <typename Tap, typename Add>
void by_fours(const Taps& taps, std::size_t size, const Add& add) {
    for (std::size_t k = 0; k < size; k += at_a_time) {
        std::array<Tap, at_a_time> four{};
        for (std::size_t n = 0; n < std::min(at_a_time, size - k); ++n) {
            four[n] = static_cast<Tap>(taps[k + n]);
        }
        add(k, four.data());
    }
}

/// Adds `taps` x the rows to `sums`. A tap beyond the last is zero, whatever it meets.
template <typename Tap, typename Rows, typename Sum, typename Down>
void add_down(const Rows& rows, const Taps& taps, std::size_t size, std::size_t count, Sum* sums,
              const Down& down) {
    by_fours<Tap>(taps, size, [&](std::size_t k, const Tap* four) {
        const auto row = [&](std::size_t j) { return rows[std::min(j, size - 1)]; };
        const std::array<const uint8_t*, at_a_time> met{row(k), row(k + 1), row(k + 2), row(k + 3)};
        down(met.data(), four, count, sums);
    });
}

template <typename Sum, typename Across>
void add_across(const Sum* from, const Taps& taps, std::size_t size, std::size_t count, Sum* sums,
                const Across& across) {
    by_fours<int32_t>(taps, size, [&](std::size_t k, const int32_t* four) {
        const auto at = [&](std::size_t i) { return from + std::min(i, size - 1); };
        across(at(k), at(k + 1), at(k + 2), at(k + 3), four, count, sums);
    });
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
    alignas(64) uint16_t down[strip_room];
    alignas(64) float floats[strip_room];
    alignas(64) float sums[strip_room];
    const std::size_t size = filter.size;
    const float scale = 1.0F / static_cast<float>(uint64_t{1} << filter.shift);
    march<uint8_t>(
        frame, lane, filter, output, [&](const auto& rows, std::size_t count, uint8_t* to) {
            std::memset(sums, 0, count * sizeof sums[0]);
            for (uint32_t t = 0; t < separation.count; ++t) {
                const OuterProduct& term = separation.terms[t];
                const uint16_t start = below_zero(term.column);
                std::fill_n(down, count + size - 1, start);
                add_down<uint16_t>(rows, term.column, size, count + size - 1, down, down_narrow);
                to_floats(down, start, count + size - 1, floats);
                add_across(floats, term.row, size, count, sums, across_float);
            }
            finish_float(sums, scale, count, to);
        });
}

void convolve_wide(const uint8_t* frame, const Lane& lane, const Filter& filter,
                   const Separation& separation, const Output& output) {
    alignas(64) int32_t down[strip_room];
    alignas(64) int32_t sums[strip_room];
    const std::size_t size = filter.size;
    const uint32_t shift = std::min(filter.shift, 31U);
    march<uint8_t>(
        frame, lane, filter, output, [&](const auto& rows, std::size_t count, uint8_t* to) {
            std::memset(sums, 0, count * sizeof sums[0]);
            for (uint32_t t = 0; t < separation.count; ++t) {
                const OuterProduct& term = separation.terms[t];
                std::memset(down, 0, (count + size - 1) * sizeof down[0]);
                add_down<int32_t>(rows, term.column, size, count + size - 1, down, down_wide);
                add_across(down, term.row, size, count, sums, across_wide);
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
