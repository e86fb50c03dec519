// What to measure in each frame of a stream: plain data, made anew by every change and never
// changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/gpu/operators.hpp"
#include "zero_copy/formats.hpp"

namespace glint {

/// A named rectangle of the frame, in pixels.
struct Region {
    std::string name;
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t width = 0;
    uint32_t height = 0;

    bool operator==(const Region&) const = default;
};

class RegionError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Plan {
    uint32_t generation = 0;
    uint32_t bit_depth = 8;
    uint32_t bin_width = 1;             ///< sample values per bin: 2^(bit_depth - 8)
    std::vector<Region> regions;        ///< the first is the whole frame
    std::vector<std::string> channels;  ///< of the pixel format
    std::vector<gpu::Lane> lanes;       ///< regions x channels, all channels of a region together
    std::shared_ptr<const gpu::HistogramTask> counting;  ///< the lanes, as a launch takes them
    std::optional<gpu::Filter> filter;
    gpu::Lane filter_lane;  ///< what the filter sees: the luma, or the green channel, of the frame

    [[nodiscard]] const gpu::Lane& lane(size_t region, size_t channel) const {
        return lanes[region * channels.size() + channel];
    }
    /// The lanes of all channels of a region.
    [[nodiscard]] std::span<const gpu::Lane> lanes_of(size_t region) const {
        return std::span(lanes).subspan(region * channels.size(), channels.size());
    }
    /// Index of a region, or nothing.
    [[nodiscard]] std::optional<size_t> find_region(std::string_view name) const;
};

/// The operator that makes the filtered picture, as the bus names it.
[[nodiscard]] inline const char* filter_operator(const std::optional<gpu::Filter>& filter) {
    return filter && filter->gradient ? "sobel" : "convolution";
}

/// Throws RegionError for a bad or repeated name; all that can be said before the frame is known.
void check_region_names(const std::vector<Region>& regions);

/// Throws RegionError, with the numbers, for a bad or repeated name and a rectangle that is empty
/// or not inside the frame.
[[nodiscard]] std::shared_ptr<const Plan> make_plan(const zero_copy::FrameLayout& layout,
                                                    const std::vector<Region>& regions,
                                                    const std::optional<gpu::Filter>& filter,
                                                    uint32_t generation);

}  // namespace glint
