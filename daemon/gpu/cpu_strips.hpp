// What the cpu filters have in common: column strips of a picture with its border made up.
//
// The last rows of a strip are held with their border already replicated, whatever the lane looked
// like in the frame, in the type in which they are summed. So the inner loops know one layout only.
// Everything lives on the stack.
#pragma once

#include <algorithm>
#include <cstring>

#include "operators.hpp"
#include "separation.hpp"

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

inline constexpr std::size_t strip_columns = 4096;
inline constexpr std::size_t max_size = max_filter_size;
inline constexpr std::size_t strip_room = strip_columns + 64;

template <typename Sample>
struct Strip {
    alignas(64) Sample rows[max_size][strip_room];
    alignas(64) Sample outside[strip_room];  ///< a row of Border::constant
    alignas(64) uint8_t bytes[strip_room];
};

void widen(const uint8_t* from, std::size_t count, uint16_t* to);
void widen(const uint8_t* from, std::size_t count, int32_t* to);

/// The index that stands for one outside 0 to last; Border::constant has none.
[[nodiscard]] std::size_t mirrored_or_nearest(std::ptrdiff_t index, std::ptrdiff_t last,
                                              Border border);

/// Columns first - radius to first + count + radius of row y; to[0] becomes the sample in column
/// first - radius. Those that do not exist are what the border says.
void fill(const uint8_t* frame, const Lane& lane, const Filter& filter, std::size_t y,
          std::size_t first, std::size_t count, uint8_t* to);

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
        widen(strip.bytes, columns, row);
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

/// The filter as outer products: down the columns first, then across.
void convolve_separable(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output);

}  // namespace glint::gpu::cpu
