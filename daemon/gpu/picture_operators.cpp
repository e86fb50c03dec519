#include "daemon/gpu/picture_operators.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glint::gpu {

PictureSize output_size(const PictureTask& task, const Lane& lane) {
    if (std::holds_alternative<Downscale>(task)) {
        return {lane.width / 2 + lane.width % 2, lane.height / 2 + lane.height % 2};
    }
    const auto* planar = std::get_if<Planar>(&task);
    return {lane.width, lane.height * (planar == nullptr ? 1 : planar->planes)};
}

bool takes(const PictureTask& task, const Lane& lane) {
    if (!std::holds_alternative<Planar>(task)) return true;
    return lane.packed_log2 == 0 && lane.low_bytes == 0 && lane.shift == 8 &&
           lane.step_bytes >= 2 && lane.step_bytes <= 4;
}

LookupTable equalise_table(std::span<const uint32_t> bins) {
    LookupTable table;
    const uint64_t samples = std::accumulate(bins.begin(), bins.end(), uint64_t{0});
    uint64_t at_most = 0;
    for (size_t value = 0; value < table.size(); ++value) {
        at_most += bins[value];
        const uint64_t level = samples == 0 ? value : (2 * 255 * at_most + samples) / (2 * samples);
        table[value] = static_cast<uint8_t>(level);
    }
    return table;
}

Normalise make_normalise(std::span<const uint32_t> bins, uint32_t bin_width, uint32_t threshold) {
    constexpr uint32_t level_of_mean = 128;
    constexpr double level_of_three_deviations = 127;
    const size_t first = (size_t{threshold} + bin_width - 1) / bin_width;
    const auto centre = [&](size_t bin) {
        return (static_cast<double>(bin) + 0.5) * bin_width - 0.5;
    };
    uint64_t samples = 0;
    double sum = 0;
    for (size_t bin = first; bin < bins.size(); ++bin) {
        samples += bins[bin];
        sum += centre(bin) * bins[bin];
    }
    Normalise result{.threshold = threshold, .gain = 0, .offset = level_of_mean};
    if (samples == 0) return result;
    const double mean = sum / static_cast<double>(samples);
    double squares = 0;  // around the mean: the difference of two large sums would lose digits
    for (size_t bin = first; bin < bins.size(); ++bin) {
        squares += (centre(bin) - mean) * (centre(bin) - mean) * bins[bin];
    }
    result.mean = static_cast<uint32_t>(mean + 0.5);
    const double deviation = std::sqrt(squares / static_cast<double>(samples));
    if (deviation == 0) return result;
    // As many bits of the gain as fit.
    double gain = level_of_three_deviations / (3 * deviation);
    while (gain < 16384 && result.shift < 30) {
        gain *= 2;
        ++result.shift;
    }
    result.gain = static_cast<uint32_t>(std::min(32767.0, gain + 0.5));
    return result;
}

}  // namespace glint::gpu
