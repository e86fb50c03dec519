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

#include "daemon/gpu/any_filter.hpp"
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

/// What was asked for cannot be measured in these frames.
class PlanError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class RegionError : public PlanError {
  public:
    using PlanError::PlanError;
};

/// Weights of a grid of cells over the whole frame, row by row, for exposure control: in the region
/// "metering" every sample counts as often as its cell weighs.
struct MeteringGrid {
    uint32_t columns = 0;  ///< 1 to max_metering_cells
    uint32_t rows = 0;     ///< 1 to max_metering_cells
    std::vector<uint8_t> weights;

    bool operator==(const MeteringGrid&) const = default;
};
inline constexpr uint32_t max_metering_cells = 32;

/// Pixels that count, in every region: one byte for each pixel of the frame, 0 for those that do
/// not.
struct Mask {
    uint32_t width = 0;
    uint32_t height = 0;
    std::vector<uint8_t> bits;  ///< one per pixel, the lowest of a byte first
    bool operator==(const Mask&) const = default;
    /// From one byte per pixel.
    [[nodiscard]] static Mask of_bytes(uint32_t width, uint32_t height,
                                       std::span<const uint8_t> bytes);
};

/// What somebody wants to know of every frame.
struct Wishes {
    std::vector<Region> regions;  ///< besides the whole frame
    uint32_t bins = gpu::histogram_bins;
    std::optional<MeteringGrid> metering;
    std::shared_ptr<const Mask> mask;
    std::optional<gpu::AnyFilter> filter;
};

struct Plan {
    uint32_t generation = 0;
    uint32_t bit_depth = 8;
    uint32_t bins = gpu::histogram_bins;
    std::vector<Region> regions;  ///< the whole frame first; "metering", if there is one, last
    std::vector<std::string> channels;  ///< of the pixel format
    /// Of every region of its own kind: all channels of a region together. "metering" has none.
    std::vector<gpu::Lane> lanes;
    std::shared_ptr<const gpu::HistogramTask> counting;  ///< regions x channels results
    std::vector<uint64_t> counts;  ///< what the bins of each result must sum to
    std::optional<gpu::AnyFilter> filter;
    gpu::Lane filter_lane;  ///< what the filter sees: the luma, or the green channel, of the frame

    [[nodiscard]] const gpu::Lane& lane(size_t region, size_t channel) const {
        return lanes[region * channels.size() + channel];
    }
    /// Sample values per bin: not a whole number unless bins is a power of two.
    [[nodiscard]] double bin_width() const {
        return static_cast<double>(uint32_t{1} << bit_depth) / bins;
    }
    /// The same as a whole number; 0 if bins are not all equally wide.
    [[nodiscard]] uint32_t even_bin_width() const {
        const uint32_t values = uint32_t{1} << bit_depth;
        return values % bins == 0 ? values / bins : 0;
    }
    /// The lanes of a region as filters see them, in 8 bits, one for each channel; none of
    /// "metering".
    [[nodiscard]] std::vector<gpu::Lane> byte_lanes(size_t region) const;
    /// Index of a region, or nothing.
    [[nodiscard]] std::optional<size_t> find_region(std::string_view name) const;
};

/// The operator that makes the filtered picture, as the bus names it.
[[nodiscard]] const char* filter_operator(const std::optional<gpu::AnyFilter>& filter);

/// Throws RegionError for a bad or repeated name; all that can be said before the frame is known.
void check_region_names(const std::vector<Region>& regions);

/// Throws PlanError for a grid that is empty, too large or without weights, or whose weights do not
/// fit it.
void check_grid_shape(const MeteringGrid& grid);

/// Throws PlanError for a number of bins that is no multiple of 4 from 256 to 4096; all that can be
/// said before the frame is known.
void check_bins(uint32_t bins);

/// Throws RegionError, with the numbers, for a bad or repeated name and a rectangle that is empty,
/// not inside the frame or, in a Bayer mosaic, smaller than two by two; PlanError for more bins
/// than samples have values, a mask of another size, and weights whose sum could pass 2^32.
[[nodiscard]] std::shared_ptr<const Plan> make_plan(const zero_copy::FrameLayout& layout,
                                                    const Wishes& wishes, uint32_t generation);

}  // namespace glint
