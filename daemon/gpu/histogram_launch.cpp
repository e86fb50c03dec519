#include "daemon/gpu/histogram_launch.hpp"

#include <algorithm>

#include "daemon/gpu/group_shares.hpp"
#include "daemon/gpu/launch.hpp"

namespace glint::gpu {

HistogramLaunch::HistogramLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)),
      context_(context.handle.get()),
      max_image_width_(context.device.traits.max_image_width),
      max_image_height_(context.device.traits.max_image_height),
      // Small GPUs take no more than 65536 work-items in one dimension; with 8 compute units at
      // most they stay far below it.
      wanted_groups_(
          divide_up(built_->tunable("ITEMS_PER_UNIT") * context.device.traits.compute_units,
                    built_->tunable("LOCAL"))),
      count_(built_->make_kernel("histogram")) {
    if (variant().partials != kernels::Partials::none)
        reduce_ = built_->make_kernel("histogram_reduce");
}

bool HistogramLaunch::accepts(const HistogramTask& task) const {
    if (!variant().needs.image) return true;
    const size_t stride = task.lanes.front().lane.stride_bytes;
    return stride <= max_image_width_ &&
           divide_up(bytes_reached(task), stride) <= max_image_height_;
}

void HistogramLaunch::prepare(std::shared_ptr<const HistogramTask> task) {
    const size_t local = built_->tunable("LOCAL");
    const GroupShares shares = share_groups(*task, wanted_groups_, local);
    lanes_ = make_constant(context_, lane_records(*task, shares));
    parts_ = make_constant(context_, shares.parts);
    results_ = make_constant(context_, shares.results);
    // A kernel must be given some buffer, even if it will not look at it.
    table_ = task->table.empty() ? MemHandle() : make_constant(context_, task->table);
    mask_ = task->mask.empty() ? MemHandle() : make_constant(context_, task->mask);
    groups_ = shares.parts.size() / 2;
    first_lane_groups_ = shares.lane_groups.front();
    if (reduce_) {
        const size_t each = variant().partials == kernels::Partials::per_item ? local : 1;
        partials_ = make_buffer(context_, CL_MEM_READ_WRITE,
                                groups_ * each * bins() * sizeof(cl_uint), nullptr);
    }
    if (variant().needs.image) {
        const Lane& lane = task->lanes.front().lane;
        image_ = std::make_unique<FrameImage>(context_, lane.stride_bytes, bytes_reached(*task));
    }
    task_ = std::move(task);
}

void HistogramLaunch::enqueue(cl_command_queue queue, cl_mem frame,
                              const std::shared_ptr<const HistogramTask>& task, cl_mem bins,
                              Events* events) {
    if (task != task_) prepare(task);
    if (image_) {
        image_->enqueue_copy(queue, frame, events);
        frame = image_->get();
    }
    const CountedLane& first = task->lanes.front();
    const Lane& lane = first.lane;
    const auto own_groups = static_cast<cl_uint>(first_lane_groups_);
    const auto levels = static_cast<cl_uint>(task->table.size());
    const cl_mem lanes = lanes_.get();
    const cl_mem parts = parts_.get();
    const cl_mem table = table_ ? table_.get() : lanes;
    const cl_mem mask = mask_ ? mask_.get() : lanes;
    const cl_mem counters = reduce_ ? partials_.get() : bins;
    const cl_uint base = first.result * task->bins;
    set_args(count_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, first.mask_first_bit, first.mask_row_bits, first.mask_step_bits,
             base, first.weight, own_groups, lanes, parts, table, levels, mask, counters);
    const size_t local = built_->tunable("LOCAL");
    const size_t global = groups_ * local;
    run(queue, count_.get(), 1, &global, &local, events);
    if (reduce_) reduce(queue, bins, events);
}

void HistogramLaunch::reduce(cl_command_queue queue, cl_mem bins, Events* events) {
    const bool per_item = variant().partials == kernels::Partials::per_item;
    const auto each = static_cast<cl_uint>(per_item ? built_->tunable("LOCAL") : 1);
    const cl_mem partials = partials_.get();
    const cl_mem results = results_.get();
    const cl_mem lanes = lanes_.get();
    const cl_mem parts = parts_.get();
    set_args(reduce_.get(), partials, each, results, lanes, parts, bins);
    const size_t local[] = {built_->tunable("REDUCE_LOCAL"), 1};
    const size_t global[] = {built_->tunable("REDUCE_GLOBAL"), task_->results};
    run(queue, reduce_.get(), 2, global, local, events);
}

}  // namespace glint::gpu
