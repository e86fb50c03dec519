// Convolution on one CPU thread, written so that the compiler vectorises every inner loop.
//
// The picture is worked on in column strips. The last rows of a strip are held with their border
// already replicated, whatever the lane looked like in the frame, in the type in which they are
// summed: bytes for the binomial filters, 16 bits where no sum can leave them, else 32. So the
// inner loops know one layout only. Everything lives on the stack.
#include <algorithm>
#include <cstring>

#include "operators.hpp"

// The inner loops take one pointer for each tap and are never inlined: a compiler that sees that
// the pointers are neighbours carries samples from one column to the next, and then cannot
// vectorise. On x86 there is a copy for AVX2 too, chosen when the program is loaded (which rules
// inlining out by itself). The sanitizers' run-time libraries are not ready yet when that choice is
// made.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define GLINT_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GLINT_SANITIZED 1
#endif
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(GLINT_SANITIZED)
#define GLINT_INNER_LOOP __attribute__((target_clones("avx2", "default"))) void
#else
#define GLINT_INNER_LOOP __attribute__((noinline)) void
#endif

namespace glint::gpu::cpu {

namespace {

constexpr std::size_t strip_columns = 4096;
constexpr std::size_t max_radius = 2;
constexpr std::size_t max_size = 2 * max_radius + 1;
constexpr std::size_t strip_room = strip_columns + 64;

template <typename Sample>
struct Strip {
    alignas(64) Sample rows[max_size][strip_room];
    alignas(64) uint8_t bytes[strip_room];
};

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

/// Columns first - radius to first + count + radius of row y, where those exist; to[0] becomes the
/// sample in column first - radius.
void fill(const uint8_t* frame, const Lane& lane, std::size_t y, std::size_t first,
          std::size_t count, std::size_t radius, uint8_t* to) {
    const std::size_t missing_left = first < radius ? radius - first : 0;
    const std::size_t begin = first + missing_left - radius;
    const std::size_t end = std::min<std::size_t>(lane.width, first + count + radius);
    const std::size_t missing_right = first + count + radius - end;
    const uint8_t* row =
        frame + lane.offset_bytes + y * lane.stride_bytes + begin * lane.step_bytes;
    uint8_t* at = to + missing_left;
    if (lane.step_bytes == 1 && lane.low_bytes == 0 && lane.shift == 8) {
        std::memcpy(at, row, end - begin);
    } else {
        unpack(row, row + lane.low_bytes, std::min(lane.shift, 31U), lane.step_bytes, end - begin,
               at);
    }
    std::memset(to, *at, missing_left);
    std::memset(at + (end - begin), at[end - begin - 1], missing_right);
}

/// Calls filter_row(rows, count, to) for every row of every strip: rows[j] + i is where the filter
/// row j, column i meets the strip's first column.
template <typename Sample, typename FilterRow>
void march(const uint8_t* frame, const Lane& lane, std::size_t radius, const Output& output,
           const FilterRow& filter_row) {
    Strip<Sample> strip;
    const std::size_t height = lane.height;
    for (std::size_t first = 0; first < lane.width; first += strip_columns) {
        const std::size_t count = std::min<std::size_t>(strip_columns, lane.width - first);
        std::size_t filled = 0;
        for (std::size_t y = 0; y < height; ++y) {
            for (; filled < std::min(height, y + radius + 1); ++filled) {
                Sample* row = strip.rows[filled % max_size];
                if constexpr (sizeof(Sample) == 1) {
                    fill(frame, lane, filled, first, count, radius, row);
                } else {
                    fill(frame, lane, filled, first, count, radius, strip.bytes);
                    if constexpr (sizeof(Sample) == 2) {
                        widen16(strip.bytes, count + 2 * radius, row);
                    } else {
                        widen32(strip.bytes, count + 2 * radius, row);
                    }
                }
            }
            std::array<const Sample*, max_size> rows{};
            for (std::size_t j = 0; j < 2 * radius + 1; ++j) {
                const std::size_t above = y + j < radius ? 0 : y + j - radius;
                rows[j] = strip.rows[std::min(above, height - 1) % max_size];
            }
            filter_row(rows, count, output.pixels + y * output.stride_bytes + first);
        }
    }
}

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

void convolve_binomial(const uint8_t* frame, const Lane& lane, std::size_t radius,
                       const Output& output) {
    alignas(64) uint16_t sums[strip_room];
    march<uint8_t>(frame, lane, radius, output,
                   [&](const auto& rows, std::size_t count, uint8_t* to) {
                       if (radius == 1) {
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
    march<uint16_t>(frame, lane, filter.size / 2, output,
                    [&](const auto& rows, std::size_t count, uint8_t* to) {
                        std::memset(sums, 0, count * sizeof sums[0]);
                        for (std::size_t j = 0; j < filter.size; ++j) {
                            const uint16_t* p = rows[j];
                            const int16_t* c = filter.coefficients.data() + j * filter.size;
                            if (filter.size == 3) {
                                add3_narrow(p, p + 1, p + 2, c, count, sums);
                            } else {
                                add5_narrow(p, p + 1, p + 2, p + 3, p + 4, c, count, sums);
                            }
                        }
                        finish_narrow(sums, shift, count, to);
                    });
}

void convolve_wide(const uint8_t* frame, const Lane& lane, const Filter& filter,
                   const Output& output) {
    alignas(64) int32_t sums[strip_room];
    const uint32_t shift = std::min(filter.shift, 31U);
    march<int32_t>(frame, lane, filter.size / 2, output,
                   [&](const auto& rows, std::size_t count, uint8_t* to) {
                       std::memset(sums, 0, count * sizeof sums[0]);
                       for (std::size_t j = 0; j < filter.size; ++j) {
                           const int32_t* p = rows[j];
                           const int16_t* c = filter.coefficients.data() + j * filter.size;
                           if (filter.size == 3) {
                               add3_wide(p, p + 1, p + 2, c, count, sums);
                           } else {
                               add5_wide(p, p + 1, p + 2, p + 3, p + 4, c, count, sums);
                           }
                       }
                       finish_wide(sums, shift, count, to);
                   });
}

}  // namespace

void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept {
    if (filter.is_binomial()) {
        convolve_binomial(frame, lane, filter.size / 2, output);
    } else if (filter.magnitude() * 255 <= INT16_MAX) {
        convolve_narrow(frame, lane, filter, output);
    } else {
        convolve_wide(frame, lane, filter, output);
    }
}

}  // namespace glint::gpu::cpu
