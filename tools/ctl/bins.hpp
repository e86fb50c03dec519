// What the bins of a histogram stand for: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glint::ctl {

// The smallest sample value in a bin, which counts the samples v of `bit_depth` bits with
// floor(v x bins / 2^bit_depth) = bin.
std::uint64_t first_value(std::uint32_t bit_depth, std::size_t bins, std::size_t bin);

// Counts as if every bin held as many sample values as the mean one: without this a flat histogram
// of uneven bins looks like a comb. A count that is not 0 stays so.
std::vector<std::uint32_t> levelled(std::span<const std::uint32_t> counts, std::uint32_t bit_depth);

}  // namespace glint::ctl
