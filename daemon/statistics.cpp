#include "daemon/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace glint {
namespace {

double centre(size_t bin, double bin_width) noexcept {
    return (static_cast<double>(bin) + 0.5) * bin_width - 0.5;
}

/// The first bin at which the running count reaches `fraction` of all samples.
size_t percentile_bin(std::span<const uint32_t> bins, uint64_t samples, double fraction) noexcept {
    const double wanted = fraction * static_cast<double>(samples);
    uint64_t below = 0;
    for (size_t bin = 0; bin < bins.size(); ++bin) {
        below += bins[bin];
        if (below > 0 && static_cast<double>(below) >= wanted) return bin;
    }
    return bins.size() - 1;
}

}  // namespace

const NamedStatistic* find_statistic(std::string_view name) noexcept {
    for (const NamedStatistic& one : all_statistics) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

Statistics compute_statistics(std::span<const uint32_t> bins, double bin_width) noexcept {
    // 64 bits: 255 x 16.8 million pixels does not fit 32.
    uint64_t samples = 0;
    uint64_t sum = 0;
    for (size_t bin = 0; bin < bins.size(); ++bin) {
        samples += bins[bin];
        sum += uint64_t{bin} * bins[bin];
    }
    if (samples == 0) return {};
    const auto total = static_cast<double>(samples);
    const double mean_bin = static_cast<double>(sum) / total;
    // Second pass around the mean: the difference of two large sums would lose digits.
    double squares = 0;
    double entropy = 0;
    for (size_t bin = 0; bin < bins.size(); ++bin) {
        if (bins[bin] == 0) continue;
        const double distance = static_cast<double>(bin) - mean_bin;
        squares += distance * distance * bins[bin];
        const double share = bins[bin] / total;
        entropy -= share * std::log2(share);
    }
    const auto used = [](uint32_t count) { return count != 0; };
    const auto lowest = std::ranges::find_if(bins, used) - bins.begin();
    const auto highest = std::find_if(bins.rbegin(), bins.rend(), used).base() - bins.begin() - 1;
    const auto value = [&](size_t bin) { return centre(bin, bin_width); };
    return {.samples = total,
            .mean = (mean_bin + 0.5) * bin_width - 0.5,
            .stddev = std::sqrt(squares / total) * bin_width,
            .minimum = value(static_cast<size_t>(lowest)),
            .maximum = value(static_cast<size_t>(highest)),
            .median = value(percentile_bin(bins, samples, 0.5)),
            .p01 = value(percentile_bin(bins, samples, 0.01)),
            .p99 = value(percentile_bin(bins, samples, 0.99)),
            .clipped_low = bins.front() / total,
            .clipped_high = bins.back() / total,
            .entropy = std::max(0.0, entropy)};
}

}  // namespace glint
