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

/// The filter as outer products: down the columns first, then across.
void convolve_separable(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Separation& separation, const Output& output);

}  // namespace glint::gpu::cpu
