#include "tools/ctl/bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glint::ctl {
namespace {

std::uint64_t values_of(std::uint32_t bit_depth) {
    return std::uint64_t{1} << std::min<std::uint32_t>(bit_depth, 32);
}

}  // namespace

std::uint64_t first_value(std::uint32_t bit_depth, std::size_t bins, std::size_t bin) {
    return (bin * values_of(bit_depth) + bins - 1) / bins;
}

std::vector<std::uint32_t> levelled(std::span<const std::uint32_t> counts,
                                    std::uint32_t bit_depth) {
    constexpr double most = std::numeric_limits<std::uint32_t>::max();
    const std::size_t bins = counts.size();
    const std::uint64_t values = values_of(bit_depth);
    std::vector<std::uint32_t> out(counts.begin(), counts.end());
    if (values < bins) return out;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const std::uint64_t width =
            first_value(bit_depth, bins, bin + 1) - first_value(bit_depth, bins, bin);
        const double factor = static_cast<double>(values) / static_cast<double>(bins * width);
        out[bin] = static_cast<std::uint32_t>(std::min(std::round(counts[bin] * factor), most));
    }
    return out;
}

}  // namespace glint::ctl
