#include "daemon/gpu/convolution_launch.hpp"

#include <algorithm>
#include <stdexcept>

#include "daemon/gpu/filter_tables.hpp"
#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/launch.hpp"

namespace glint::gpu {
namespace {

MemHandle make_coefficients(cl_context context, const BuiltVariant& built, const Filter& filter) {
    if (built.variant->needs.any_size) return make_constant(context, padded_coefficients(filter));
    const auto used = filter.coefficients.begin();
    std::vector<cl_int> coefficients(used, used + filter.taps());
    cl_int negative = 0;
    for (const cl_int tap : coefficients) negative += std::min(tap, 0);
    coefficients.push_back(-255 * negative);
    return make_constant(context, coefficients);
}

}  // namespace

bool accepts(const BuiltVariant& built, const Filter& filter) {
    const kernels::Needs& needs = built.variant->needs;
    if (filter.gradient) return false;
    if (!needs.any_size && built.filter_size != filter.size) return false;
    if (needs.binomial_only && !filter.is_binomial()) return false;
    if (needs.sums_in_16_bits && uint64_t{filter.magnitude()} * 255 >= 1U << 16) return false;
    uint32_t magnitude = filter.magnitude();
    if (needs.separable_only) {
        const auto separation = separate(filter);
        if (!separation) return false;
        if (needs.smoothing_only && !smooths_in_16_bits(*separation, filter.shift)) return false;
        if (needs.narrow_row_sums && separation->row_magnitude > max_narrow_row_magnitude) {
            return false;
        }
        magnitude = separation->magnitude;
    }
    return !needs.sums_exact_in_float || uint64_t{magnitude} * 255 < exact_in_float;
}

Filter smoothing_filter(const ConvolutionLaunch& launch) {
    for (const char* name : {"binomial3", "binomial5", "gaussian3", "gaussian5"}) {
        const Filter filter = *named_filter(name);
        if (launch.accepts(filter)) return filter;
    }
    throw std::logic_error(std::string(launch.variant().name) + " takes no filter that smooths");
}

ConvolutionLaunch::ConvolutionLaunch(const Context& context,
                                     std::shared_ptr<const BuiltVariant> built)
    : built_(std::move(built)),
      context_(context.handle.get()),
      kernel_(built_->make_first_kernel()) {
    if (variant().two_passes) columns_ = built_->make_kernel("filter_columns");
}

bool ConvolutionLaunch::accepts(const Filter& filter) const {
    return gpu::accepts(*built_, filter);
}

void ConvolutionLaunch::use(const Filter& filter) {
    if (coefficients_ && filter == filter_) return;
    // A new buffer, not a write into the old one: frames that are enqueued keep theirs.
    if (variant().needs.separable_only) {
        const Separation separation = separate(filter).value();
        terms_ = separation.count;
        coefficients_ = make_constant(
            context_, term_table(separation, filter, variant().needs.narrow_row_sums));
    } else {
        coefficients_ = make_coefficients(context_, *built_, filter);
    }
    filter_ = filter;
}

cl_mem ConvolutionLaunch::image_of(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                   Events* events) {
    if (!image_ || lane != image_lane_) {
        const size_t bytes = bytes_reached(HistogramTask(lane));
        image_ = std::make_unique<FrameImage>(context_, lane.stride_bytes, bytes);
        image_lane_ = lane;
    }
    image_->enqueue_copy(queue, frame, events);
    return image_->get();
}

void ConvolutionLaunch::run_over(cl_command_queue queue, cl_kernel kernel, const Lane& lane,
                                 size_t columns, size_t rows, Events* events) const {
    const size_t local[] = {built_->tunable("LOCAL_X"), built_->tunable("LOCAL_Y")};
    const size_t global[] = {round_up(divide_up(lane.width, columns), local[0]),
                             round_up(divide_up(lane.height, rows), local[1])};
    run(queue, kernel, 2, global, local, events);
}

void ConvolutionLaunch::enqueue_two_passes(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                           cl_mem output, uint32_t output_stride_bytes,
                                           Events* events) {
    const size_t columns = built_->tunable("COLUMNS");
    const auto pitch = static_cast<cl_uint>(round_up(lane.width, 16));
    const size_t number = variant().needs.narrow_row_sums ? sizeof(cl_ushort) : sizeof(cl_uint);
    const size_t bytes = terms_ * lane.height * pitch * number;
    if (bytes > sums_bytes_) {
        sums_ = make_buffer(context_, CL_MEM_READ_WRITE, bytes);
        sums_bytes_ = bytes;
    }
    const cl_mem sums = sums_.get();
    const cl_mem terms = coefficients_.get();
    const auto border = static_cast<cl_uint>(filter_.border);
    const cl_uint border_value = filter_.border_value;
    set_args(kernel_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, sums, pitch, terms, border, border_value, filter_.size);
    run_over(queue, kernel_.get(), lane, columns, 1, events);
    set_args(columns_.get(), sums, pitch, lane.width, lane.height, terms, filter_.shift, border,
             filter_.size, output, output_stride_bytes);
    run_over(queue, columns_.get(), lane, columns, built_->tunable("ROWS"), events);
}

void ConvolutionLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                const Filter& filter, cl_mem output, uint32_t output_stride_bytes,
                                Events* events) {
    use(filter);
    if (variant().needs.image) frame = image_of(queue, frame, lane, events);
    if (variant().two_passes) {
        enqueue_two_passes(queue, frame, lane, output, output_stride_bytes, events);
        return;
    }
    const cl_mem coefficients = coefficients_.get();
    const auto border = static_cast<cl_uint>(filter.border);
    const cl_uint border_value = filter.border_value;
    set_args(kernel_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, output, output_stride_bytes, coefficients, filter.shift, border,
             border_value, filter.size);
    run_over(queue, kernel_.get(), lane, built_->tunable("COLUMNS"), built_->tunable("ROWS"),
             events);
}

}  // namespace glint::gpu
