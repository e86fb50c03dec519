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
constexpr std::size_t max_size = max_filter_size;
constexpr std::size_t strip_room = strip_columns + 64;

template <typename Sample>
struct Strip {
    alignas(64) Sample rows[max_size][strip_room];
    alignas(64) Sample outside[strip_room];  ///< a row of Border::constant
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

void unpack_packed(const uint8_t* row, const Lane& lane, std::size_t first, std::size_t count,
                   uint8_t* to) {
    const uint32_t group_samples = 1U << lane.packed_log2;
    const uint32_t low_bits = 8U >> lane.packed_log2;
    for (std::size_t x = 0; x < count; ++x) {
        const std::size_t at = lane.first_sample + (first + x) * lane.step_bytes;
        const std::size_t place = at & (group_samples - 1);
        const uint8_t* group = row + (at >> lane.packed_log2) * (group_samples + 1);
        const uint32_t low = uint32_t{group[group_samples]} >> (place * low_bits) << (8 - low_bits);
        const uint32_t both = uint32_t{group[place]} << 8 | (low & 255U);
        to[x] = static_cast<uint8_t>(std::min(255U, both >> lane.shift));
    }
}

/// Columns first to first + count - 1 of a row, as bytes.
void unpack_row(const uint8_t* row, const Lane& lane, std::size_t first, std::size_t count,
                uint8_t* to) {
    if (lane.packed_log2 != 0) {
        unpack_packed(row, lane, first, count, to);
        return;
    }
    row += first * lane.step_bytes;
    if (lane.is_bytes()) {
        std::memcpy(to, row, count);
    } else {
        unpack(row, row + lane.low_bytes, lane.shift, lane.step_bytes, count, to);
    }
}

/// The index that stands for one outside 0 to last; Border::constant has none.
std::size_t mirrored_or_nearest(std::ptrdiff_t index, std::ptrdiff_t last, Border border) {
    if (border == Border::replicate || last == 0) {
        return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index, 0, last));
    }
    while (index < 0 || index > last) index = index < 0 ? -index : 2 * last - index;
    return static_cast<std::size_t>(index);
}

/// Columns first - radius to first + count + radius of row y; to[0] becomes the sample in column
/// first - radius. Those that do not exist are what the border says.
void fill(const uint8_t* frame, const Lane& lane, const Filter& filter, std::size_t y,
          std::size_t first, std::size_t count, uint8_t* to) {
    const std::size_t radius = filter.size / 2;
    const std::size_t missing_left = first < radius ? radius - first : 0;
    const std::size_t begin = first + missing_left - radius;
    const std::size_t end = std::min<std::size_t>(lane.width, first + count + radius);
    const std::size_t missing_right = first + count + radius - end;
    const uint8_t* row = frame + lane.offset_bytes + y * lane.stride_bytes;
    uint8_t* at = to + missing_left;
    unpack_row(row, lane, begin, end - begin, at);
    const auto outside = [&](std::ptrdiff_t column) {
        if (filter.border == Border::constant) return filter.border_value;
        const auto last = static_cast<std::ptrdiff_t>(lane.width) - 1;
        return at[mirrored_or_nearest(column, last, filter.border) - begin];
    };
    for (std::size_t k = 0; k < missing_left; ++k) {
        to[k] = outside(static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(missing_left));
    }
    for (std::size_t k = 0; k < missing_right; ++k) {
        at[end - begin + k] = outside(static_cast<std::ptrdiff_t>(end + k));
    }
}

/// Row `y` of the picture in the strip, as `Sample`s.
template <typename Sample>
void fill_row(Strip<Sample>& strip, const uint8_t* frame, const Lane& lane, const Filter& filter,
              std::size_t y, std::size_t first, std::size_t count) {
    Sample* row = strip.rows[y % max_size];
    const std::size_t columns = count + 2 * (filter.size / 2);
    if constexpr (sizeof(Sample) == 1) {
        fill(frame, lane, filter, y, first, count, row);
    } else {
        fill(frame, lane, filter, y, first, count, strip.bytes);
        if constexpr (sizeof(Sample) == 2) {
            widen16(strip.bytes, columns, row);
        } else {
            widen32(strip.bytes, columns, row);
        }
    }
}

/// Calls filter_row(rows, count, to) for every row of every strip: rows[j] + i is where the filter
/// row j, column i meets the strip's first column.
template <typename Sample, typename FilterRow>
void march(const uint8_t* frame, const Lane& lane, const Filter& filter, const Output& output,
           const FilterRow& filter_row) {
    Strip<Sample> strip;
    const std::size_t radius = filter.size / 2;
    const std::size_t height = lane.height;
    std::fill(strip.outside, strip.outside + strip_room, Sample{filter.border_value});
    for (std::size_t first = 0; first < lane.width; first += strip_columns) {
        const std::size_t count = std::min<std::size_t>(strip_columns, lane.width - first);
        std::size_t filled = 0;
        for (std::size_t y = 0; y < height; ++y) {
            for (; filled < std::min(height, y + radius + 1); ++filled) {
                fill_row(strip, frame, lane, filter, filled, first, count);
            }
            std::array<const Sample*, max_size> rows{};
            for (std::size_t j = 0; j < filter.size; ++j) {
                const auto row =
                    static_cast<std::ptrdiff_t>(y + j) - static_cast<std::ptrdiff_t>(radius);
                const auto last = static_cast<std::ptrdiff_t>(height) - 1;
                const bool exists = row >= 0 && row <= last;
                rows[j] = exists || filter.border != Border::constant
                              ? strip.rows[mirrored_or_nearest(row, last, filter.border) % max_size]
                              : strip.outside;
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
    if (filter.is_binomial()) {
        convolve_binomial(frame, lane, filter, output);
    } else if (filter.magnitude() * 255 <= INT16_MAX) {
        convolve_narrow(frame, lane, filter, output);
    } else {
        convolve_wide(frame, lane, filter, output);
    }
}

}  // namespace glint::gpu::cpu
