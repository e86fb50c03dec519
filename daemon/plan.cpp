#include "daemon/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/config.hpp"
#include "daemon/names.hpp"

namespace glint {
namespace {

void check_region(const Region& region, const zero_copy::FrameLayout& layout) {
    const bool inside = region.width >= 1 && region.height >= 1 && region.x < layout.width &&
                        region.y < layout.height && region.width <= layout.width - region.x &&
                        region.height <= layout.height - region.y;
    if (inside) return;
    throw RegionError(fmt::format(
        "region {} is {}x{} at ({}, {}); it must hold at least one pixel "
        "and lie inside the frame of {}x{}",
        region.name, region.width, region.height, region.x, region.y, layout.width, layout.height));
}

/// Every lane into a result of its own.
std::shared_ptr<const gpu::HistogramTask> count_all(const std::vector<gpu::Lane>& lanes) {
    auto task = std::make_shared<gpu::HistogramTask>();
    task->results = static_cast<uint32_t>(lanes.size());
    for (uint32_t i = 0; i < task->results; ++i) {
        task->lanes.push_back({.lane = lanes[i], .result = i});
    }
    return task;
}

gpu::Lane make_lane(const zero_copy::FrameLayout& layout, const zero_copy::ChannelRule& channel,
                    const Region& region) {
    const zero_copy::PlaneLayout& plane = layout.planes[0];
    return {.offset_bytes = plane.offset_bytes + region.y * plane.stride_bytes +
                            region.x * channel.step_bytes + channel.offset_bytes,
            .stride_bytes = plane.stride_bytes,
            .step_bytes = channel.step_bytes,
            .low_bytes = channel.low_bytes,
            // 8-bit samples read the same byte as high and low (Lane); wider ones keep their top 8
            // bits.
            .shift = channel.low_bytes == 0 ? 8 : layout.bit_depth - 8,
            .width = region.width,
            .height = region.height};
}

}  // namespace

void check_region_names(const std::vector<Region>& regions) {
    for (auto region = regions.begin(); region != regions.end(); ++region) {
        if (!valid_name(region->name) || region->name == names::whole_frame_region) {
            throw RegionError(fmt::format(
                "region name \"{}\"; allowed is [a-z][a-z0-9_]{{0,31}} and not \"frame\"",
                region->name));
        }
        if (std::find_if(regions.begin(), region, [&](const Region& earlier) {
                return earlier.name == region->name;
            }) != region) {
            throw RegionError(fmt::format("two regions are called \"{}\"", region->name));
        }
    }
}

std::optional<size_t> Plan::find_region(std::string_view name) const {
    const auto found = std::ranges::find(regions, name, &Region::name);
    if (found == regions.end()) return std::nullopt;
    return static_cast<size_t>(found - regions.begin());
}

std::shared_ptr<const Plan> make_plan(const zero_copy::FrameLayout& layout,
                                      const std::vector<Region>& regions,
                                      const std::optional<gpu::Filter>& filter,
                                      uint32_t generation) {
    auto plan = std::make_shared<Plan>();
    plan->generation = generation;
    plan->bit_depth = layout.bit_depth;
    plan->bin_width = 1U << (layout.bit_depth - 8);
    plan->filter = filter;
    plan->regions.push_back({names::whole_frame_region, 0, 0, layout.width, layout.height});
    check_region_names(regions);
    for (const Region& region : regions) {
        check_region(region, layout);
        plan->regions.push_back(region);
    }
    const zero_copy::FormatInfo& format = zero_copy::info(layout.format);
    const auto channels = std::span(format.channels).first(format.channel_count);
    for (const auto& channel : channels) plan->channels.emplace_back(channel.name);
    for (const Region& region : plan->regions) {
        for (const auto& channel : channels)
            plan->lanes.push_back(make_lane(layout, channel, region));
    }
    plan->counting = count_all(plan->lanes);
    // Of R, G and B the green channel carries most of the luma.
    plan->filter_lane = plan->lanes[channels.size() == 3 ? 1 : 0];
    return plan;
}

}  // namespace glint
