// Convolution on one CPU thread, written so that the compiler vectorises every inner loop: bytes
// for the binomial filters, 16 bits where no sum can leave them, else 32.
#include "cpu_strips.hpp"
#include "daemon/gpu/picture_operators.hpp"

namespace glint::gpu::cpu {

namespace {

/// What a tap of an outer product takes, in taps of a whole filter: they run over memory more
/// often.
constexpr uint32_t separable_cost = 3;

/// The size from which convolve_four_rows() is faster, whatever the sums.
constexpr uint32_t four_rows_from = 15;

// The binomial filters are separable, and no sum exceeds 255 x 256: 16 bits hold everything.

GLINT_INNER_LOOP down3(const uint8_t* a, const uint8_t* b, const uint8_t* c, std::size_t count,
                       uint16_t* __restrict sums) {
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] = static_cast<uint16_t>(a[x] + c[x] + 2 * b[x]);
    }
}

GLINT_INNER_LOOP across3(const uint16_t* a, const uint16_t* b, const uint16_t* c, std::size_t count,
                         uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const auto sum = static_cast<uint16_t>(a[x] + c[x] + 2 * b[x]);
        to[x] = static_cast<uint8_t>(sum >> 4);
    }
}

GLINT_INNER_LOOP down5(const uint8_t* a, const uint8_t* b, const uint8_t* c, const uint8_t* d,
                       const uint8_t* e, std::size_t count, uint16_t* __restrict sums) {
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] = static_cast<uint16_t>(a[x] + e[x] + 4 * (b[x] + d[x]) + 6 * c[x]);
    }
}

GLINT_INNER_LOOP across5(const uint16_t* a, const uint16_t* b, const uint16_t* c, const uint16_t* d,
                         const uint16_t* e, std::size_t count, uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const auto sum = static_cast<uint16_t>(a[x] + e[x] + 4 * (b[x] + d[x]) + 6 * c[x]);
        to[x] = static_cast<uint8_t>(sum >> 8);
    }
}

// Any other filter: one row of it at a time is added to the sums. In 16 bits the additions may wrap
// on the way; the result is right because it fits.

GLINT_INNER_LOOP add3_narrow(const uint16_t* a, const uint16_t* b, const uint16_t* c,
                             const int16_t* coefficients, std::size_t count,
                             uint16_t* __restrict sums) {
    const auto c0 = static_cast<uint16_t>(coefficients[0]);
    const auto c1 = static_cast<uint16_t>(coefficients[1]);
    const auto c2 = static_cast<uint16_t>(coefficients[2]);
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] = static_cast<uint16_t>(sums[x] + uint32_t{c0} * a[x] + uint32_t{c1} * b[x] +
                                        uint32_t{c2} * c[x]);
    }
}

GLINT_INNER_LOOP add5_narrow(const uint16_t* a, const uint16_t* b, const uint16_t* c,
                             const uint16_t* d, const uint16_t* e, const int16_t* coefficients,
                             std::size_t count, uint16_t* __restrict sums) {
    const auto c0 = static_cast<uint16_t>(coefficients[0]);
    const auto c1 = static_cast<uint16_t>(coefficients[1]);
    const auto c2 = static_cast<uint16_t>(coefficients[2]);
    const auto c3 = static_cast<uint16_t>(coefficients[3]);
    const auto c4 = static_cast<uint16_t>(coefficients[4]);
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] =
            static_cast<uint16_t>(sums[x] + uint32_t{c0} * a[x] + uint32_t{c1} * b[x] +
                                  uint32_t{c2} * c[x] + uint32_t{c3} * d[x] + uint32_t{c4} * e[x]);
    }
}

GLINT_INNER_LOOP add3_wide(const int32_t* a, const int32_t* b, const int32_t* c,
                           const int16_t* coefficients, std::size_t count,
                           int32_t* __restrict sums) {
    const int32_t c0 = coefficients[0];
    const int32_t c1 = coefficients[1];
    const int32_t c2 = coefficients[2];
    for (std::size_t x = 0; x < count; ++x) sums[x] += c0 * a[x] + c1 * b[x] + c2 * c[x];
}

GLINT_INNER_LOOP add5_wide(const int32_t* a, const int32_t* b, const int32_t* c, const int32_t* d,
                           const int32_t* e, const int16_t* coefficients, std::size_t count,
                           int32_t* __restrict sums) {
    const int32_t c0 = coefficients[0];
    const int32_t c1 = coefficients[1];
    const int32_t c2 = coefficients[2];
    const int32_t c3 = coefficients[3];
    const int32_t c4 = coefficients[4];
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] += c0 * a[x] + c1 * b[x] + c2 * c[x] + c3 * d[x] + c4 * e[x];
    }
}

GLINT_INNER_LOOP add1_narrow(const uint16_t* a, const int16_t* coefficients, std::size_t count,
                             uint16_t* __restrict sums) {
    const auto c0 = static_cast<uint16_t>(coefficients[0]);
    for (std::size_t x = 0; x < count; ++x) {
        sums[x] = static_cast<uint16_t>(sums[x] + uint32_t{c0} * a[x]);
    }
}

GLINT_INNER_LOOP add1_wide(const int32_t* a, const int16_t* coefficients, std::size_t count,
                           int32_t* __restrict sums) {
    const int32_t c0 = coefficients[0];
    for (std::size_t x = 0; x < count; ++x) sums[x] += c0 * a[x];
}

/// One row of a filter of `size` taps, which is odd: five at a time, then three, then one.
void add_row_narrow(const uint16_t* p, const int16_t* c, std::size_t size, std::size_t count,
                    uint16_t* sums) {
    for (; size >= 5; size -= 5, p += 5, c += 5) {
        add5_narrow(p, p + 1, p + 2, p + 3, p + 4, c, count, sums);
    }
    for (; size >= 3; size -= 3, p += 3, c += 3) add3_narrow(p, p + 1, p + 2, c, count, sums);
    for (; size >= 1; --size, ++p, ++c) add1_narrow(p, c, count, sums);
}

/// One row of a filter of `size` taps, which is odd: five at a time, then three, then one.
void add_row_wide(const int32_t* p, const int16_t* c, std::size_t size, std::size_t count,
                  int32_t* sums) {
    for (; size >= 5; size -= 5, p += 5, c += 5) {
        add5_wide(p, p + 1, p + 2, p + 3, p + 4, c, count, sums);
    }
    for (; size >= 3; size -= 3, p += 3, c += 3) add3_wide(p, p + 1, p + 2, c, count, sums);
    for (; size >= 1; --size, ++p, ++c) add1_wide(p, c, count, sums);
}

// Negative sums end at 0 whichever way they are rounded.

GLINT_INNER_LOOP finish_narrow(const uint16_t* sums, uint32_t shift, std::size_t count,
                               uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const int16_t sum = std::max<int16_t>(static_cast<int16_t>(sums[x]), 0);
        to[x] = static_cast<uint8_t>(std::min(sum >> shift, 255));
    }
}

GLINT_INNER_LOOP finish_wide(const int32_t* sums, uint32_t shift, std::size_t count,
                             uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        to[x] = static_cast<uint8_t>(std::min(std::max(sums[x], 0) >> shift, 255));
    }
}

void convolve_binomial(const uint8_t* frame, const Lane& lane, const Filter& filter,
                       const Output& output) {
    alignas(64) uint16_t sums[strip_room];
    march<uint8_t>(frame, lane, filter, output,
                   [&](const auto& rows, std::size_t count, uint8_t* to) {
                       if (filter.size == 3) {
                           down3(rows[0], rows[1], rows[2], count + 2, sums);
                           across3(sums, sums + 1, sums + 2, count, to);
                       } else {
                           down5(rows[0], rows[1], rows[2], rows[3], rows[4], count + 4, sums);
                           across5(sums, sums + 1, sums + 2, sums + 3, sums + 4, count, to);
                       }
                   });
}

void convolve_narrow(const uint8_t* frame, const Lane& lane, const Filter& filter,
                     const Output& output) {
    alignas(64) uint16_t sums[strip_room];
    const uint32_t shift = std::min(filter.shift, 15U);
    march<uint16_t>(frame, lane, filter, output,
                    [&](const auto& rows, std::size_t count, uint8_t* to) {
                        std::memset(sums, 0, count * sizeof sums[0]);
                        for (std::size_t j = 0; j < filter.size; ++j) {
                            const int16_t* c = filter.coefficients.data() + j * filter.size;
                            add_row_narrow(rows[j], c, filter.size, count, sums);
                        }
                        finish_narrow(sums, shift, count, to);
                    });
}

void convolve_wide(const uint8_t* frame, const Lane& lane, const Filter& filter,
                   const Output& output) {
    alignas(64) int32_t sums[strip_room];
    const uint32_t shift = std::min(filter.shift, 31U);
    march<int32_t>(frame, lane, filter, output,
                   [&](const auto& rows, std::size_t count, uint8_t* to) {
                       std::memset(sums, 0, count * sizeof sums[0]);
                       for (std::size_t j = 0; j < filter.size; ++j) {
                           const int16_t* c = filter.coefficients.data() + j * filter.size;
                           add_row_wide(rows[j], c, filter.size, count, sums);
                       }
                       finish_wide(sums, shift, count, to);
                   });
}

}  // namespace

void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept {
    if (filter.gradient) {
        return make_picture(frame, lane,
                            Sobel{.border = filter.border, .border_value = filter.border_value},
                            output);
    }
    if (filter.is_binomial()) {
        convolve_binomial(frame, lane, filter, output);
        return;
    }
    const auto separation = separate(filter);
    if (separation && smooths_in_16_bits(*separation, filter.shift)) {
        convolve_smoothing(frame, lane, filter, *separation, output);
    } else if (separation && separation->count * separable_cost * filter.size < filter.taps()) {
        convolve_separable(frame, lane, filter, *separation, output);
    } else if (filter.size >= four_rows_from) {
        convolve_four_rows(frame, lane, filter, output);
    } else if (filter.magnitude() * 255 <= INT16_MAX) {
        convolve_narrow(frame, lane, filter, output);
    } else {
        convolve_wide(frame, lane, filter, output);
    }
}

}  // namespace glint::gpu::cpu
