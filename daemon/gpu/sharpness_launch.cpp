#include "daemon/gpu/sharpness_launch.hpp"

#include <algorithm>
#include <numeric>

namespace glint::gpu {

SharpnessLaunch::SharpnessLaunch(std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)), kernel_(built_->make_first_kernel()) {}

SharpnessLaunch::Shape SharpnessLaunch::shape_for(const Lane& lane) const {
    const size_t x = built_->tunable("LOCAL_X");
    const size_t y = built_->tunable("LOCAL_Y");
    return {{x, y},
            {round_up(divide_up(lane.width, built_->tunable("COLUMNS")), x),
             round_up(divide_up(lane.height, built_->tunable("ROWS")), y)}};
}

size_t SharpnessLaunch::partials(const Lane& lane) const {
    const Shape shape = shape_for(lane);
    const size_t items = shape.global[0] * shape.global[1];
    if (variant().partials == kernels::Partials::per_item) return items;
    return items / (shape.local[0] * shape.local[1]);
}

void SharpnessLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane,
                              cl_mem partials, uint32_t begin, Events* events) {
    set_args(kernel_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, partials, begin);
    const Shape shape = shape_for(lane);
    run(queue, kernel_.get(), 2, shape.global, shape.local, events);
}

std::pair<uint32_t, uint32_t> SharpnessLaunch::tile() const {
    const bool per_group = variant().partials == kernels::Partials::per_group;
    const size_t x = built_->tunable("COLUMNS") * (per_group ? built_->tunable("LOCAL_X") : 1);
    const size_t y = built_->tunable("ROWS") * (per_group ? built_->tunable("LOCAL_Y") : 1);
    return {static_cast<uint32_t>(x), static_cast<uint32_t>(y)};
}

bool SharpnessLaunch::one_matches(const uint8_t* frame, const Lane& lane,
                                  std::span<const uint32_t> partials, uint64_t seed) const {
    const auto [columns, rows] = tile();
    const size_t across = divide_up(lane.width, columns);
    const size_t down = divide_up(lane.height, rows);
    // The work-items beyond the lane leave zeros at the end of each row of partial sums.
    const size_t row_partials = shape_for(lane).global[0] * built_->tunable("COLUMNS") / columns;
    // Knuth's multiplicative hash (TAOCP 6.4) makes places that wander over the lane.
    const auto place = static_cast<size_t>(((seed + 1) * 2654435761U >> 4) % (across * down));
    const size_t tile_x = place % across;
    const size_t tile_y = place / across;
    const auto x = static_cast<uint32_t>(tile_x) * columns;
    const auto y = static_cast<uint32_t>(tile_y) * rows;
    const Rectangle part{x, y, std::min(columns, lane.width - x), std::min(rows, lane.height - y)};
    return partials[tile_y * row_partials + tile_x] == cpu::sharpness(frame, lane, part);
}

uint64_t added_up(std::span<const uint32_t> partials) noexcept {
    return std::accumulate(partials.begin(), partials.end(), uint64_t{0});
}

}  // namespace glint::gpu
