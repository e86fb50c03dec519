// What the cpu filters of any size have in common: pictures made from column strips.
#pragma once

#include <cstring>

#include "daemon/gpu/cpu_rows.hpp"
#include "daemon/gpu/separation.hpp"

namespace glint::gpu::cpu {

inline constexpr std::size_t max_size = max_filter_size;

/// Calls filter_row(rows, count, to) for every row of every strip, as march_rows does.
template <typename Sample, typename FilterRow>
void march(const uint8_t* frame, const Lane& lane, const Filter& filter, const Output& output,
           const FilterRow& filter_row) {
    march_rows<Sample>(frame, lane, filter,
                       [&](const auto& rows, std::size_t count, std::size_t first, std::size_t y) {
                           filter_row(rows, count, output.pixels + y * output.stride_bytes + first);
                       });
}

/// Columns that filters of several passes take at once: what is between the passes stays in the
/// first-level cache. For those of one or two, whole strips are faster.
inline constexpr std::size_t block_columns = 1024;
inline constexpr std::size_t block_room = block_columns + 64;

/// Calls filter_block(rows, count, to) for every block of every row, as march does for strips.
template <typename Sample, typename FilterBlock>
void march_blocks(const uint8_t* frame, const Lane& lane, const Filter& filter,
                  const Output& output, const FilterBlock& filter_block) {
    march<Sample>(frame, lane, filter, output, [&](auto rows, std::size_t count, uint8_t* to) {
        while (count > 0) {
            const std::size_t some = std::min(count, block_columns);
            filter_block(rows, some, to);
            for (std::size_t j = 0; j < filter.size; ++j) rows[j] += some;
            to += some;
            count -= some;
        }
    });
}

/// The filter as outer products: down the columns first, then across.
void convolve_separable(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output);

/// The same for one product that smooths_in_16_bits().
void convolve_smoothing(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output);

/// A large filter of any coefficients.
void convolve_four_rows(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Output& output);

}  // namespace glint::gpu::cpu
