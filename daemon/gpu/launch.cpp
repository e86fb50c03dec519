#include "daemon/gpu/launch.hpp"

#include <algorithm>

namespace glint::gpu {
namespace {

constexpr size_t partial_bytes = histogram_bins * sizeof(cl_uint);

constexpr size_t round_up(size_t value, size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

constexpr size_t divide_up(size_t value, size_t divisor) {
    return (value + divisor - 1) / divisor;
}

MemHandle make_buffer(cl_context context, cl_mem_flags flags, size_t size, void* contents) {
    cl_int code = CL_SUCCESS;
    MemHandle mem(clCreateBuffer(context, flags, size, contents, &code));
    check(code, "clCreateBuffer");
    return mem;
}

void run(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* global,
         const size_t* local, Events* events) {
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr, global, local, 0, nullptr,
                                 events == nullptr ? nullptr : &event),
          "clEnqueueNDRangeKernel");
    if (events != nullptr) events->emplace_back(event);
}

}  // namespace

HistogramLaunch::HistogramLaunch(const Context& context, std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)), count_(built_->make_kernel("histogram")) {
    // Small GPUs take no more than 65536 work-items in one dimension; with 8 compute units at most
    // they stay far below it.
    items_ = round_up(built_->tunable("ITEMS_PER_UNIT") * context.device.traits.compute_units,
                      built_->tunable("LOCAL"));
    if (!built_->two_passes()) return;
    reduce_ = built_->make_kernel("histogram_reduce");
    partials_ =
        make_buffer(context.handle.get(), CL_MEM_READ_WRITE, items_ * partial_bytes, nullptr);
}

void HistogramLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane, cl_mem bins,
                              uint32_t first, Events* events) {
    const bool two_passes = built_->two_passes();
    const cl_mem counters = two_passes ? partials_.get() : bins;
    const uint32_t base = two_passes ? 0 : first;
    set_args(count_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, counters, base);
    const size_t local = built_->tunable("LOCAL");
    run(queue, count_.get(), 1, &items_, &local, events);
    if (!two_passes) return;
    const auto partial_count = static_cast<uint32_t>(items_);
    set_args(reduce_.get(), counters, partial_count, bins, first);
    const size_t reduce_global = built_->tunable("REDUCE_GLOBAL");
    const size_t reduce_local = built_->tunable("REDUCE_LOCAL");
    run(queue, reduce_.get(), 1, &reduce_global, &reduce_local, events);
}

bool accepts(const BuiltVariant& built, const Filter& filter) {
    const kernels::Needs& needs = built.variant->needs;
    if (built.filter_size != filter.size) return false;
    if (needs.binomial_only && !filter.is_binomial()) return false;
    return !needs.sums_exact_in_float || uint64_t{filter.magnitude()} * 255 < exact_in_float;
}

ConvolutionLaunch::ConvolutionLaunch(const Context& context,
                                     std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)),
      context_(context.handle.get()),
      kernel_(built_->make_kernel("convolve")) {}

bool ConvolutionLaunch::accepts(const Filter& filter) const {
    return gpu::accepts(*built_, filter);
}

void ConvolutionLaunch::use(const Filter& filter) {
    if (coefficients_ && filter == filter_) return;
    std::array<cl_int, max_filter_taps> coefficients{};
    std::ranges::copy(filter.coefficients, coefficients.begin());
    // A new buffer, not a write into the old one: frames that are enqueued keep theirs.
    coefficients_ = make_buffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                sizeof coefficients, coefficients.data());
    filter_ = filter;
}

void ConvolutionLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                const Filter& filter, cl_mem output, uint32_t output_stride_bytes,
                                Events* events) {
    use(filter);
    const cl_mem coefficients = coefficients_.get();
    set_args(kernel_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, output, output_stride_bytes,
             coefficients, filter.shift);
    const size_t local[] = {built_->tunable("LOCAL_X"), built_->tunable("LOCAL_Y")};
    const size_t global[] = {round_up(divide_up(lane.width, built_->tunable("COLUMNS")), local[0]),
                             round_up(divide_up(lane.height, built_->tunable("ROWS")), local[1])};
    run(queue, kernel_.get(), 2, global, local, events);
}

}  // namespace glint::gpu
