// Filters that are sums of outer products: every row of pixels is summed down the columns once,
// then across. Eight taps at a time, the last of them filled up with zeros.
#include "cpu_strips.hpp"

namespace glint::gpu::cpu {

namespace {

using Taps = std::array<int32_t, max_filter_size>;

constexpr std::size_t at_a_time = 8;

GLINT_INNER_LOOP down_narrow(const uint8_t* const* rows, const uint16_t* taps, std::size_t count,
                             uint16_t* __restrict sums) {
    const uint8_t* p0 = rows[0];
    const uint8_t* p1 = rows[1];
    const uint8_t* p2 = rows[2];
    const uint8_t* p3 = rows[3];
    const uint8_t* p4 = rows[4];
    const uint8_t* p5 = rows[5];
    const uint8_t* p6 = rows[6];
    const uint8_t* p7 = rows[7];
    const uint32_t c0 = taps[0];
    const uint32_t c1 = taps[1];
    const uint32_t c2 = taps[2];
    const uint32_t c3 = taps[3];
    const uint32_t c4 = taps[4];
    const uint32_t c5 = taps[5];
    const uint32_t c6 = taps[6];
    const uint32_t c7 = taps[7];
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] =
            static_cast<uint16_t>(sums[x] + c0 * p0[x] + c1 * p1[x] + c2 * p2[x] + c3 * p3[x] +
                                  c4 * p4[x] + c5 * p5[x] + c6 * p6[x] + c7 * p7[x]);
    }
}

GLINT_INNER_LOOP down_wide(const uint8_t* const* rows, const int32_t* taps, std::size_t count,
                           int32_t* __restrict sums) {
    const uint8_t* p0 = rows[0];
    const uint8_t* p1 = rows[1];
    const uint8_t* p2 = rows[2];
    const uint8_t* p3 = rows[3];
    const uint8_t* p4 = rows[4];
    const uint8_t* p5 = rows[5];
    const uint8_t* p6 = rows[6];
    const uint8_t* p7 = rows[7];
    const int32_t c0 = taps[0];
    const int32_t c1 = taps[1];
    const int32_t c2 = taps[2];
    const int32_t c3 = taps[3];
    const int32_t c4 = taps[4];
    const int32_t c5 = taps[5];
    const int32_t c6 = taps[6];
    const int32_t c7 = taps[7];
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += c0 * p0[x] + c1 * p1[x] + c2 * p2[x] + c3 * p3[x] + c4 * p4[x] + c5 * p5[x] +
                   c6 * p6[x] + c7 * p7[x];
    }
}

GLINT_INNER_LOOP to_floats(const uint16_t* from, float less, std::size_t count,
                           float* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) to[x] = static_cast<float>(from[x]) - less;
}

GLINT_INNER_LOOP across_float(const float* const* from, const int32_t* taps, std::size_t count,
                              float* __restrict sums) {
    const float* p0 = from[0];
    const float* p1 = from[1];
    const float* p2 = from[2];
    const float* p3 = from[3];
    const float* p4 = from[4];
    const float* p5 = from[5];
    const float* p6 = from[6];
    const float* p7 = from[7];
    const auto c0 = static_cast<float>(taps[0]);
    const auto c1 = static_cast<float>(taps[1]);
    const auto c2 = static_cast<float>(taps[2]);
    const auto c3 = static_cast<float>(taps[3]);
    const auto c4 = static_cast<float>(taps[4]);
    const auto c5 = static_cast<float>(taps[5]);
    const auto c6 = static_cast<float>(taps[6]);
    const auto c7 = static_cast<float>(taps[7]);
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += c0 * p0[x] + c1 * p1[x] + c2 * p2[x] + c3 * p3[x] + c4 * p4[x] + c5 * p5[x] +
                   c6 * p6[x] + c7 * p7[x];
    }
}

GLINT_INNER_LOOP across_wide(const int32_t* const* from, const int32_t* taps, std::size_t count,
                             int32_t* __restrict sums) {
    const int32_t* p0 = from[0];
    const int32_t* p1 = from[1];
    const int32_t* p2 = from[2];
    const int32_t* p3 = from[3];
    const int32_t* p4 = from[4];
    const int32_t* p5 = from[5];
    const int32_t* p6 = from[6];
    const int32_t* p7 = from[7];
    const auto c0 = static_cast<int32_t>(taps[0]);
    const auto c1 = static_cast<int32_t>(taps[1]);
    const auto c2 = static_cast<int32_t>(taps[2]);
    const auto c3 = static_cast<int32_t>(taps[3]);
    const auto c4 = static_cast<int32_t>(taps[4]);
    const auto c5 = static_cast<int32_t>(taps[5]);
    const auto c6 = static_cast<int32_t>(taps[6]);
    const auto c7 = static_cast<int32_t>(taps[7]);
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += c0 * p0[x] + c1 * p1[x] + c2 * p2[x] + c3 * p3[x] + c4 * p4[x] + c5 * p5[x] +
                   c6 * p6[x] + c7 * p7[x];
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

/// Calls add(first tap, eight taps) for every eight of `size`.
template <typename Tap, typename Add>
void by_eights(const Taps& taps, std::size_t size, const Add& add) {
    for (std::size_t k = 0; k < size; k += at_a_time) {
        std::array<Tap, at_a_time> some{};
        for (std::size_t n = 0; n < std::min(at_a_time, size - k); ++n) {
            some[n] = static_cast<Tap>(taps[k + n]);
        }
        add(k, some.data());
    }
}

/// Adds `taps` x the rows to `sums`. A tap beyond the last is zero, whatever it meets.
template <typename Tap, typename Rows, typename Sum, typename Down>
void add_down(const Rows& rows, const Taps& taps, std::size_t size, std::size_t count, Sum* sums,
              const Down& down) {
    by_eights<Tap>(taps, size, [&](std::size_t k, const Tap* some) {
        std::array<const uint8_t*, at_a_time> met{};
        for (std::size_t n = 0; n < at_a_time; ++n) met[n] = rows[std::min(k + n, size - 1)];
        down(met.data(), some, count, sums);
    });
}

template <typename Sum, typename Across>
void add_across(const Sum* from, const Taps& taps, std::size_t size, std::size_t count, Sum* sums,
                const Across& across) {
    by_eights<int32_t>(taps, size, [&](std::size_t k, const int32_t* some) {
        std::array<const Sum*, at_a_time> met{};
        for (std::size_t n = 0; n < at_a_time; ++n) met[n] = from + std::min(k + n, size - 1);
        across(met.data(), some, count, sums);
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
