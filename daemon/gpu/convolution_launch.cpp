#include "daemon/gpu/convolution_launch.hpp"

#include <algorithm>

#include "daemon/gpu/launch.hpp"

namespace glint::gpu {

bool accepts(const BuiltVariant& built, const Filter& filter) {
    const kernels::Needs& needs = built.variant->needs;
    if (built.filter_size != filter.size || filter.gradient) return false;
    if (needs.binomial_only && !filter.is_binomial()) return false;
    if (needs.sums_in_16_bits && uint64_t{filter.magnitude()} * 255 >= 1U << 16) return false;
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
    const auto taps = std::span(filter.coefficients).first(filter.taps());
    std::vector<cl_int> coefficients(taps.begin(), taps.end());
    cl_int negative = 0;
    for (const int16_t tap : taps) negative += std::min<cl_int>(tap, 0);
    coefficients.push_back(-255 * negative);
    // A new buffer, not a write into the old one: frames that are enqueued keep theirs.
    coefficients_ = make_constant(context_, coefficients);
    filter_ = filter;
}

void ConvolutionLaunch::enqueue(cl_command_queue queue, cl_mem frame, const Lane& lane,
                                const Filter& filter, cl_mem output, uint32_t output_stride_bytes,
                                Events* events) {
    use(filter);
    const cl_mem coefficients = coefficients_.get();
    const auto border = static_cast<cl_uint>(filter.border);
    const cl_uint border_value = filter.border_value;
    set_args(kernel_.get(), frame, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
             lane.low_bytes, lane.shift, lane.width, lane.height, lane.packed_log2,
             lane.first_sample, output, output_stride_bytes, coefficients, filter.shift, border,
             border_value);
    const size_t local[] = {built_->tunable("LOCAL_X"), built_->tunable("LOCAL_Y")};
    const size_t global[] = {round_up(divide_up(lane.width, built_->tunable("COLUMNS")), local[0]),
                             round_up(divide_up(lane.height, built_->tunable("ROWS")), local[1])};
    run(queue, kernel_.get(), 2, global, local, events);
}

}  // namespace glint::gpu
