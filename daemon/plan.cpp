#include "daemon/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "daemon/config.hpp"
#include "daemon/names.hpp"

namespace glint {
namespace {

using zero_copy::ChannelRule;
using zero_copy::FormatInfo;
using zero_copy::FrameLayout;

void check_region(const Region& region, const FrameLayout& layout) {
    const bool inside = region.width >= 1 && region.height >= 1 && region.x < layout.width &&
                        region.y < layout.height && region.width <= layout.width - region.x &&
                        region.height <= layout.height - region.y;
    if (!inside) {
        throw RegionError(
            fmt::format("region {} is {}x{} at ({}, {}); it must hold at least one pixel "
                        "and lie inside the frame of {}x{}",
                        region.name, region.width, region.height, region.x, region.y, layout.width,
                        layout.height));
    }
    if (zero_copy::info(layout.format).is_bayer() && (region.width < 2 || region.height < 2)) {
        throw RegionError(
            fmt::format("region {} is {}x{}; in a Bayer mosaic it takes 2x2 pixels to have every "
                        "channel",
                        region.name, region.width, region.height));
    }
}

/// A channel's lane in a rectangle, with its place in a mask of the frame's size.
class LaneMaker {
  public:
    LaneMaker(const FrameLayout& layout, uint32_t bits)
        : layout_(layout), format_(zero_copy::info(layout.format)), bits_(bits) {}

    [[nodiscard]] gpu::CountedLane make(const ChannelRule& channel, const Region& region) const {
        const uint32_t period = format_.is_bayer() ? 2 : 1;
        const uint32_t x = first_site(region.x, channel.site_x, period);
        const uint32_t y = first_site(region.y, channel.site_y, period);
        gpu::CountedLane counted;
        gpu::Lane& lane = counted.lane;
        const zero_copy::PlaneLayout& plane = layout_.planes[0];
        const uint32_t packed = format_.sample.packed_log2;
        lane.offset_bytes = plane.offset_bytes + y * plane.stride_bytes + channel.offset_bytes;
        if (packed == 0) {
            lane.offset_bytes += x * channel.step_bytes;
        } else {
            lane.offset_bytes += (x >> packed) * ((1U << packed) + 1);
            lane.first_sample = x & ((1U << packed) - 1);
        }
        lane.stride_bytes = plane.stride_bytes * period;
        lane.step_bytes = channel.step_bytes * period;
        lane.low_bytes = channel.low_bytes;
        lane.shift = shift();
        lane.width = sites(region.x + region.width, x, period);
        lane.height = sites(region.y + region.height, y, period);
        lane.packed_log2 = packed;
        counted.mask_first_bit = y * layout_.width + x;
        counted.mask_step_bits = period;
        return counted;
    }
    [[nodiscard]] uint32_t mask_row_bits() const {
        return layout_.width * (format_.is_bayer() ? 2 : 1);
    }

  private:
    static uint32_t first_site(uint32_t from, uint32_t site, uint32_t period) {
        return from + (period == 2 ? (from ^ site) & 1 : 0);
    }
    static uint32_t sites(uint32_t end, uint32_t first, uint32_t period) {
        return (end - first + period - 1) / period;
    }
    /// From the 16 bits of a sample to its highest `bits_`.
    [[nodiscard]] uint32_t shift() const {
        const uint32_t bits = layout_.bit_depth;
        return (format_.sample.left_aligned ? 16 - bits : 0) + (bits - bits_);
    }

    const FrameLayout& layout_;
    const FormatInfo& format_;
    uint32_t bits_;
};

/// floor(value * bins / values), for bins that are no power of two.
std::vector<uint16_t> even_table(uint32_t bins, uint32_t bits) {
    std::vector<uint16_t> table(size_t{1} << bits);
    for (size_t value = 0; value < table.size(); ++value) {
        table[value] = static_cast<uint16_t>(value * bins >> bits);
    }
    return table;
}

/// The cells of one row of the grid as rectangles; neighbours of the same weight are one.
void append_cells(const MeteringGrid& grid, uint32_t row, const FrameLayout& layout,
                  std::vector<std::pair<Region, uint32_t>>& cells) {
    const auto edge = [](uint32_t index, uint32_t count, uint32_t size) {
        return static_cast<uint32_t>(uint64_t{index} * size / count);
    };
    const uint32_t y = edge(row, grid.rows, layout.height);
    const uint32_t height = edge(row + 1, grid.rows, layout.height) - y;
    for (uint32_t column = 0; column < grid.columns;) {
        const uint8_t* const weights = grid.weights.data() + size_t{row} * grid.columns;
        uint32_t end = column + 1;
        while (end < grid.columns && weights[end] == weights[column]) ++end;
        const uint32_t x = edge(column, grid.columns, layout.width);
        const uint32_t width = edge(end, grid.columns, layout.width) - x;
        if (weights[column] != 0) {
            cells.push_back({{names::metering_region, x, y, width, height}, weights[column]});
        }
        column = end;
    }
}

void check_grid(const MeteringGrid& grid, const FrameLayout& layout) {
    const uint32_t least = zero_copy::info(layout.format).is_bayer() ? 2 : 1;
    if (layout.width / grid.columns < least || layout.height / grid.rows < least) {
        throw PlanError(
            fmt::format("a metering grid of {}x{} cells is too fine for a frame of {}x{}",
                        grid.columns, grid.rows, layout.width, layout.height));
    }
}

/// Bits that are 1 among `count`, `step` (1 or 2) apart, from bit `first` on; 64 bits at a time
/// where they fill whole bytes.
uint64_t count_ones(const std::vector<uint8_t>& bits, uint64_t first, uint64_t count,
                    uint32_t step) {
    const uint64_t lead = step == 2 ? first & 1 : 0;
    const uint64_t pattern = (step == 2 ? 0x5555555555555555U : ~uint64_t{0}) << lead;
    const uint64_t end = first + count * step;
    const auto is_set = [&](uint64_t bit) {
        return uint64_t{bits[static_cast<size_t>(bit / 8)]} >> (bit % 8) & 1;
    };
    uint64_t ones = 0;
    uint64_t at = first;
    for (; at < end && (at - lead) % 8 != 0; at += step) ones += is_set(at);
    for (; at + 64 <= end; at += 64) {
        uint64_t word = 0;
        std::memcpy(&word, bits.data() + at / 8, sizeof word);
        ones += static_cast<uint64_t>(std::popcount(word & pattern));
    }
    for (; at < end; at += step) ones += is_set(at);
    return ones;
}

uint64_t samples_of(const gpu::CountedLane& counted, const gpu::HistogramTask& task) {
    const gpu::Lane& lane = counted.lane;
    if (counted.mask_row_bits == 0) return uint64_t{lane.width} * lane.height;
    uint64_t ones = 0;
    for (uint64_t row = 0; row < lane.height; ++row) {
        ones += count_ones(task.mask, counted.mask_first_bit + row * counted.mask_row_bits,
                           lane.width, counted.mask_step_bits);
    }
    return ones;
}

/// Builds a plan part by part.
class Planner {
  public:
    Planner(const FrameLayout& layout, const Wishes& wishes, uint32_t generation)
        : layout_(layout),
          wishes_(wishes),
          format_(zero_copy::info(layout.format)),
          maker_(layout, bits_for(wishes.bins, layout.bit_depth)),
          byte_maker_(layout, bits_for(gpu::histogram_bins, layout.bit_depth)) {
        plan_->generation = generation;
        plan_->bit_depth = layout.bit_depth;
        plan_->bins = wishes.bins;
        plan_->filter = wishes.filter;
        task_->bins = wishes.bins;
        task_->results = 0;
        for (const ChannelRule& channel : channels()) plan_->channels.emplace_back(channel.name);
        // Of R, G and B a green channel carries most of the luma.
        const ChannelRule& luma = channels()[channels().size() == 1 ? 0 : 1];
        plan_->filter_lane = byte_maker_.make(luma, whole_frame()).lane;
    }

    [[nodiscard]] std::shared_ptr<const Plan> make() {
        use_bins();
        use_mask();
        check_region_names(wishes_.regions);
        add_region(whole_frame());
        for (const Region& region : wishes_.regions) {
            check_region(region, layout_);
            add_region(region);
        }
        if (wishes_.metering) add_metering(*wishes_.metering);
        count();
        plan_->counting = std::move(task_);
        return plan_;
    }

  private:
    /// As many bits as say the bin, or all of them where a table does.
    static uint32_t bits_for(uint32_t bins, uint32_t depth) {
        return std::has_single_bit(bins) ? static_cast<uint32_t>(std::countr_zero(bins)) : depth;
    }
    [[nodiscard]] std::span<const ChannelRule> channels() const {
        return std::span(format_.channels).first(format_.channel_count);
    }
    [[nodiscard]] Region whole_frame() const {
        return {names::whole_frame_region, 0, 0, layout_.width, layout_.height};
    }

    void use_bins() {
        if (wishes_.bins > uint32_t{1} << layout_.bit_depth) {
            throw PlanError(fmt::format("{} bins; samples of {} bits have {} values", wishes_.bins,
                                        layout_.bit_depth, uint32_t{1} << layout_.bit_depth));
        }
        if (!std::has_single_bit(wishes_.bins)) {
            task_->table = even_table(wishes_.bins, layout_.bit_depth);
        }
    }

    void use_mask() {
        if (wishes_.mask == nullptr) return;
        const Mask& mask = *wishes_.mask;
        if (mask.width != layout_.width || mask.height != layout_.height) {
            throw PlanError(fmt::format("the mask is {}x{}, the frame {}x{}", mask.width,
                                        mask.height, layout_.width, layout_.height));
        }
        task_->mask = mask.bits;
    }

    void add(const ChannelRule& channel, const Region& region, uint32_t weight) {
        gpu::CountedLane counted = maker_.make(channel, region);
        counted.result = task_->results - 1;
        counted.weight = weight;
        if (!task_->mask.empty()) counted.mask_row_bits = maker_.mask_row_bits();
        task_->lanes.push_back(counted);
    }

    void add_region(const Region& region) {
        plan_->regions.push_back(region);
        for (const ChannelRule& channel : channels()) {
            ++task_->results;
            add(channel, region, 1);
            plan_->lanes.push_back(task_->lanes.back().lane);
        }
    }

    void add_metering(const MeteringGrid& grid) {
        check_grid(grid, layout_);
        std::vector<std::pair<Region, uint32_t>> cells;
        for (uint32_t row = 0; row < grid.rows; ++row) append_cells(grid, row, layout_, cells);
        Region whole = whole_frame();
        whole.name = names::metering_region;
        plan_->regions.push_back(whole);
        for (const ChannelRule& channel : channels()) {
            ++task_->results;
            for (const auto& [cell, weight] : cells) add(channel, cell, weight);
        }
    }

    void count() {
        plan_->counts.assign(task_->results, 0);
        for (const gpu::CountedLane& counted : task_->lanes) {
            plan_->counts[counted.result] += counted.weight * samples_of(counted, *task_);
        }
        const uint64_t most = *std::ranges::max_element(plan_->counts);
        if (most > std::numeric_limits<uint32_t>::max()) {
            throw PlanError(
                fmt::format("the metering weights add up to {} counts; a counter holds {}", most,
                            std::numeric_limits<uint32_t>::max()));
        }
    }

    const FrameLayout& layout_;
    const Wishes& wishes_;
    const FormatInfo& format_;
    LaneMaker maker_;
    LaneMaker byte_maker_;
    std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
    std::shared_ptr<gpu::HistogramTask> task_ = std::make_shared<gpu::HistogramTask>();
};

}  // namespace

Mask Mask::of_bytes(uint32_t width, uint32_t height, std::span<const uint8_t> bytes) {
    Mask mask{.width = width, .height = height, .bits = {}};
    mask.bits.assign((bytes.size() + 7) / 8, 0);
    for (size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != 0) mask.bits[i / 8] |= static_cast<uint8_t>(1U << (i % 8));
    }
    return mask;
}

const char* filter_operator(const std::optional<gpu::AnyFilter>& filter) {
    if (!filter) return "convolution";
    const auto* whole = std::get_if<gpu::Filter>(&*filter);
    if (whole == nullptr) return "convolution_float";
    return whole->gradient ? "sobel" : "convolution";
}

void check_bins(uint32_t bins) {
    if (bins >= gpu::histogram_bins && bins <= gpu::max_histogram_bins && bins % 4 == 0) return;
    throw PlanError(fmt::format("{} bins; allowed are multiples of 4 from {} to {}", bins,
                                gpu::histogram_bins, gpu::max_histogram_bins));
}

void check_grid_shape(const MeteringGrid& grid) {
    if (grid.columns < 1 || grid.columns > max_metering_cells || grid.rows < 1 ||
        grid.rows > max_metering_cells) {
        throw PlanError(fmt::format("a metering grid of {}x{} cells; allowed are 1x1 to {}x{}",
                                    grid.columns, grid.rows, max_metering_cells,
                                    max_metering_cells));
    }
    if (grid.weights.size() != size_t{grid.columns} * grid.rows) {
        throw PlanError(fmt::format("{} weights for a metering grid of {}x{}, which takes {}",
                                    grid.weights.size(), grid.columns, grid.rows,
                                    grid.columns * grid.rows));
    }
    if (std::ranges::all_of(grid.weights, [](uint8_t weight) { return weight == 0; })) {
        throw PlanError("every weight of the metering grid is 0; give at least one cell a weight");
    }
}

void check_region_names(const std::vector<Region>& regions) {
    for (auto region = regions.begin(); region != regions.end(); ++region) {
        if (!valid_name(region->name) || region->name == names::whole_frame_region ||
            region->name == names::metering_region) {
            throw RegionError(
                fmt::format("region name \"{}\"; allowed is [a-z][a-z0-9_]{{0,31}} and neither "
                            "\"frame\" nor \"metering\"",
                            region->name));
        }
        if (std::find_if(regions.begin(), region, [&](const Region& earlier) {
                return earlier.name == region->name;
            }) != region) {
            throw RegionError(fmt::format("two regions are called \"{}\"", region->name));
        }
    }
}

std::vector<gpu::Lane> Plan::byte_lanes(size_t region) const {
    const size_t first = region * channels.size();
    if (first >= lanes.size()) return {};
    const auto own = std::span(lanes).subspan(first, channels.size());
    std::vector<gpu::Lane> result(own.begin(), own.end());
    for (gpu::Lane& lane : result) lane.shift = filter_lane.shift;
    return result;
}

std::optional<size_t> Plan::find_region(std::string_view name) const {
    const auto found = std::ranges::find(regions, name, &Region::name);
    if (found == regions.end()) return std::nullopt;
    return static_cast<size_t>(found - regions.begin());
}

std::shared_ptr<const Plan> make_plan(const FrameLayout& layout, const Wishes& wishes,
                                      uint32_t generation) {
    check_bins(wishes.bins);
    if (wishes.metering) check_grid_shape(*wishes.metering);
    return Planner(layout, wishes, generation).make();
}

}  // namespace glint
