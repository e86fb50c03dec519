// What the cpu filters of any size have in common: pictures made from column strips.
#pragma once

#include <cstring>

#include "daemon/gpu/cpu_rows.hpp"
#include "daemon/gpu/separation.hpp"

namespace glint::gpu::cpu {

inline constexpr std::size_t max_size = max_filter_size;

/// Columns that are filtered at once: what is between the passes stays in the first-level cache.
inline constexpr std::size_t block_columns = 1024;
inline constexpr std::size_t block_room = block_columns + 64;

/// Calls filter_block(rows, count, to) for every block of every row, as march_rows does for strips.
template <typename Sample, typename FilterBlock>
void march(const uint8_t* frame, const Lane& lane, const Filter& filter, const Output& output,
           const FilterBlock& filter_block) {
    march_rows<Sample>(frame, lane, filter,
                       [&](const auto& rows, std::size_t count, std::size_t first, std::size_t y) {
                           uint8_t* to = output.pixels + y * output.stride_bytes + first;
                           for (std::size_t begin = 0; begin < count; begin += block_columns) {
                               std::array<const Sample*, max_filter_size> block_rows{};
                               for (std::size_t j = 0; j < filter.size; ++j)
                                   block_rows[j] = rows[j] + begin;
                               filter_block(block_rows, std::min(block_columns, count - begin),
                                            to + begin);
                           }
                       });
}

/// The filter as outer products: down the columns first, then across.
void convolve_separable(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output);

/// The same for one product that smooths_in_16_bits().
void convolve_smoothing(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output);

}  // namespace glint::gpu::cpu
