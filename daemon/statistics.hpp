// Figures from a histogram: pure functions, in units of the samples.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace glint {

/// A bin stands for its centre, (index + 1/2) * bin_width - 1/2, which is its only value when
/// bin_width is 1.
struct Statistics {
    double samples = 0;
    double mean = 0;
    double stddev = 0;  ///< of the population
    double minimum = 0;
    double maximum = 0;
    double median = 0;
    double p01 = 0;  ///< smallest value with at least 1 % of the samples at or below it
    double p99 = 0;
    double clipped_low = 0;   ///< fraction of the samples in the lowest bin, 0 to 1
    double clipped_high = 0;  ///< in the highest bin
    double entropy = 0;       ///< bits per sample: -sum(p log2 p)
};

/// All zero for an empty histogram.
[[nodiscard]] Statistics compute_statistics(std::span<const uint32_t> bins,
                                            double bin_width) noexcept;

/// A statistic and the name it has on the bus and in the configuration.
struct NamedStatistic {
    const char* name;
    double Statistics::*member;
};
inline constexpr std::array<NamedStatistic, 11> all_statistics{
    {{"samples", &Statistics::samples},
     {"mean", &Statistics::mean},
     {"stddev", &Statistics::stddev},
     {"minimum", &Statistics::minimum},
     {"maximum", &Statistics::maximum},
     {"median", &Statistics::median},
     {"p01", &Statistics::p01},
     {"p99", &Statistics::p99},
     {"clipped_low", &Statistics::clipped_low},
     {"clipped_high", &Statistics::clipped_high},
     {"entropy", &Statistics::entropy}}};
/// Null for another text.
[[nodiscard]] const NamedStatistic* find_statistic(std::string_view name) noexcept;
/// A statistic of alarms alone, of two histograms: light_step().
inline constexpr std::string_view light_statistic = "light";

}  // namespace glint
