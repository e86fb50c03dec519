#include "daemon/gpu/filtered_histogram_launch.hpp"

#include <algorithm>
#include <vector>

namespace glint::gpu {
namespace {

constexpr size_t tile_columns = 4;

}  // namespace

FilteredHistogramLaunch::FilteredHistogramLaunch(const Context& context,
                                                 std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)),
      context_(context.handle.get()),
      max_items_(round_up(built_->tunable("ITEMS_PER_UNIT") * context.device.traits.compute_units,
                          built_->tunable("LOCAL"))),
      count_(built_->make_first_kernel()) {
    if (variant().partials == kernels::Partials::none) return;
    reduce_ = built_->make_kernel("filtered_histogram_reduce");
    partials_ =
        make_buffer(context_, CL_MEM_READ_WRITE, max_items_ * histogram_bins * sizeof(cl_uint));
}

void FilteredHistogramLaunch::use(const Filter& filter) {
    if (coefficients_ && filter == filter_) return;
    // A new buffer, not a write into the old one: frames that are enqueued keep theirs.
    coefficients_ =
        make_constant(context_, std::vector<cl_int>(filter.coefficients.begin(),
                                                    filter.coefficients.begin() + filter.taps()));
    filter_ = filter;
}

/// No more than there are tiles to take.
size_t FilteredHistogramLaunch::items_for(const Lane& lane) const {
    const size_t tiles =
        divide_up(lane.width, tile_columns) * divide_up(lane.height, built_->tunable("ROWS"));
    return std::min(max_items_, round_up(tiles, built_->tunable("LOCAL")));
}

void FilteredHistogramLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                      const Filter& filter, cl_mem bins, Events* events) {
    use(filter);
    const cl_mem coefficients = coefficients_.get();
    const auto border = static_cast<cl_uint>(filter.border);
    const cl_uint border_value = filter.border_value;
    const cl_mem counters = reduce_ ? partials_.get() : bins;
    set_args(count_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, coefficients, filter.shift, border, border_value, counters);
    const size_t local = built_->tunable("LOCAL");
    const size_t items = items_for(lane);
    run(queue, count_.get(), 1, &items, &local, events);
    if (!reduce_) return;
    const auto count = static_cast<cl_uint>(items);
    const cl_mem partials = partials_.get();
    set_args(reduce_.get(), partials, count, bins);
    const size_t reduce_global = histogram_bins;
    const size_t reduce_local = 16;
    run(queue, reduce_.get(), 1, &reduce_global, &reduce_local, events);
}

}  // namespace glint::gpu
