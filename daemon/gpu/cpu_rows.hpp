// Rows of a lane as the cpu variants of filters want them: side by side, with what the border says
// beyond their ends, whatever the lane looks like in the frame. No OpenCL in here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "daemon/gpu/operators.hpp"

// Loops that the compiler is to vectorise. Those of filters take one pointer for each tap and are
// never inlined: a compiler that sees that the pointers are neighbours carries samples from one
// column to the next, and then cannot vectorise. On x86 there is a copy for AVX2 too, chosen when
// the program is loaded (which rules inlining out by itself). The sanitizers' run-time libraries
// are not ready yet when that choice is made.
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
inline constexpr std::size_t strip_room = strip_columns + 64;

/// The last rows of a column strip, each with its border, in the type in which they are summed.
template <typename Sample>
struct Strip {
    alignas(64) Sample rows[max_filter_size][strip_room];
    alignas(64) Sample outside[strip_room];  ///< a row of Border::constant
    alignas(64) uint8_t bytes[strip_room];
};

/// Columns first to first + count - 1 of the row that starts at `row`, as bytes: at most 255 of
/// each sample.
void unpack_row(const uint8_t* row, const Lane& lane, std::size_t first, std::size_t count,
                uint8_t* to);

/// The same in full: up to 16 bits of each sample.
void unpack_values(const uint8_t* row, const Lane& lane, std::size_t first, std::size_t count,
                   uint16_t* to);

/// The index that stands for one outside 0 to last; Border::constant has none.
[[nodiscard]] std::size_t mirrored_or_nearest(std::ptrdiff_t index, std::ptrdiff_t last,
                                              Border border);

/// Columns first - radius to first + count + radius of row y; to[0] becomes the sample in column
/// first - radius. Those that do not exist are what the border says.
void fill(const uint8_t* frame, const Lane& lane, const Filter& filter, std::size_t y,
          std::size_t first, std::size_t count, uint8_t* to);

/// The bytes as numbers of that many bits.
void widen16(const uint8_t* from, std::size_t count, uint16_t* __restrict to);
void widen32(const uint8_t* from, std::size_t count, int32_t* __restrict to);

/// Row `y` of the picture in the strip, as `Sample`s.
template <typename Sample>
void fill_row(Strip<Sample>& strip, const uint8_t* frame, const Lane& lane, const Filter& filter,
              std::size_t y, std::size_t first, std::size_t count) {
    Sample* row = strip.rows[y % max_filter_size];
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

/// Calls use_row(rows, count, first, y) for every row y of every strip of `count` columns from
/// `first` on: rows[j] + i is where row j, column i of a filter of that size meets column `first`.
/// Of the filter only the size and the border count.
template <typename Sample, typename UseRow>
void march_rows(const uint8_t* frame, const Lane& lane, const Filter& filter,
                const UseRow& use_row) {
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
            std::array<const Sample*, max_filter_size> rows{};
            for (std::size_t j = 0; j < filter.size; ++j) {
                const auto row =
                    static_cast<std::ptrdiff_t>(y + j) - static_cast<std::ptrdiff_t>(radius);
                const auto last = static_cast<std::ptrdiff_t>(height) - 1;
                const bool exists = row >= 0 && row <= last;
                const std::size_t stand_in = mirrored_or_nearest(row, last, filter.border);
                rows[j] = exists || filter.border != Border::constant
                              ? strip.rows[stand_in % max_filter_size]
                              : strip.outside;
            }
            use_row(rows, count, first, y);
        }
    }
}

}  // namespace glint::gpu::cpu
