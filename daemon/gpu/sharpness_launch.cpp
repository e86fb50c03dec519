#include "daemon/gpu/sharpness_launch.hpp"

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
                              cl_mem partials, Events* events) {
    set_args(kernel_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, partials);
    const Shape shape = shape_for(lane);
    run(queue, kernel_.get(), 2, shape.global, shape.local, events);
}

uint64_t added_up(std::span<const uint32_t> partials) noexcept {
    return std::accumulate(partials.begin(), partials.end(), uint64_t{0});
}

}  // namespace glint::gpu
