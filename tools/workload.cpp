#include "tools/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/histogram_launch.hpp"
#include "zero_copy/formats.hpp"

namespace glint::tools {
namespace {

using gpu::check;
using kernels::Operator;

template <typename Call>
double milliseconds_of(Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

std::vector<uint8_t> half_gradient_half_noise(gpu::FrameSize size) {
    std::vector<uint8_t> pixels(size.pixels());
    uint32_t state = 1;
    for (size_t i = 0; i < pixels.size(); ++i) {
        // A linear congruential generator (Numerical Recipes, 2nd edition, 7.1).
        state = state * 1664525U + 1013904223U;
        const size_t column = i % size.width;
        const bool left = column < size.width / 2;
        pixels[i] = static_cast<uint8_t>(left ? column * 256 / size.width : state >> 24);
    }
    return pixels;
}

gpu::Filter filter_for(const kernels::Variant& variant, uint32_t size) {
    if (size == 0) return {};
    if (variant.needs.binomial_only)
        return *gpu::named_filter(size == 3 ? "binomial3" : "binomial5");
    gpu::Filter filter{.size = size, .shift = size == 3 ? 5U : 7U};
    for (uint32_t i = 0; i < filter.taps(); ++i)
        filter.coefficients[i] = static_cast<int16_t>(static_cast<int>(i * 37 % 41) - 12);
    return filter;
}

double profiled_ms(cl_event event) {
    cl_ulong start = 0;
    cl_ulong end = 0;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
          "clGetEventProfilingInfo");
    return static_cast<double>(end - start) * 1e-6;
}

}  // namespace

std::vector<const char*> kernel_names(const gpu::BuiltVariant& built) {
    if (built.variant->op == Operator::convolution) return {"convolve"};
    if (built.variant->partials == kernels::Partials::none) return {"histogram"};
    return {"histogram", "histogram_reduce"};
}

bool has_workload(Operator op) {
    return op == Operator::histogram || op == Operator::convolution;
}

std::vector<uint32_t> filter_sizes(Operator op) {
    if (op == Operator::convolution) return {3, 5};
    return {0};
}

Cost cost_of(Operator op, uint32_t filter_size, gpu::FrameSize size) {
    if (op == Operator::histogram) return {.bytes = size.pixels(), .operations = 0};
    return {.bytes = 2 * size.pixels(),
            .operations = uint64_t{2} * filter_size * filter_size * size.pixels()};
}

Workload::Workload(const gpu::Context& context, cl_command_queue queue,
                   const kernels::Variant& variant, uint32_t filter_size, gpu::FrameSize size)
    : context_(context),
      queue_(queue),
      op_(variant.op),
      lane_{.stride_bytes = size.width, .width = size.width, .height = size.height},
      counting_(std::make_shared<const gpu::HistogramTask>(lane_)),
      filter_(filter_for(variant, filter_size)),
      pixels_(half_gradient_half_noise(size)),
      output_stride_bytes_(
          static_cast<uint32_t>(zero_copy::align_up(size.width, zero_copy::stride_alignment))) {
    const size_t result_bytes =
        is_histogram() ? sizeof(gpu::Bins) : size_t{output_stride_bytes_} * size.height;
    expected_.resize(result_bytes);
    compute_on_cpu(expected_);
    frame_.emplace(context_, queue_, pixels_.size());
    result_.emplace(context_, queue_, result_bytes);
    std::ranges::copy(pixels_, frame_->bytes().begin());
    frame_->give();
    result_->give();
}

bool Workload::is_histogram() const {
    return op_ == Operator::histogram;
}

void Workload::compute_on_cpu(std::vector<uint8_t>& result) const {
    if (is_histogram()) {
        gpu::Bins bins;
        gpu::cpu::histogram(pixels_.data(), *counting_, bins);
        std::memcpy(result.data(), bins.data(), sizeof bins);
    } else {
        gpu::cpu::convolve(pixels_.data(), lane_, filter_, {result.data(), output_stride_bytes_});
    }
}

/// Bins must start at zero; a picture's padding then compares equal too.
void Workload::clear_result() {
    std::memset(result_->bytes().data(), 0, expected_.size());
}

Launch Workload::launch(std::shared_ptr<const gpu::BuiltVariant> built) {
    if (is_histogram()) {
        auto launch = std::make_shared<gpu::HistogramLaunch>(context_, std::move(built));
        return [this, launch](gpu::Events* events) {
            launch->enqueue(queue_, frame_->mem(), counting_, result_->mem(), events);
        };
    }
    auto launch = std::make_shared<gpu::ConvolutionLaunch>(context_, std::move(built));
    return [this, launch](gpu::Events* events) {
        launch->enqueue(queue_, frame_->mem(), lane_, filter_, result_->mem(), output_stride_bytes_,
                        events);
    };
}

double Workload::device_ms(const Launch& launch) {
    gpu::Events events;
    launch(&events);
    check(clFinish(queue_), "clFinish");
    double sum = 0;
    for (const gpu::EventHandle& event : events) sum += profiled_ms(event.get());
    return sum;
}

double Workload::wall_ms(const Launch& launch) {
    frame_->take();
    result_->take();
    const double ms = milliseconds_of([&] {
        if (is_histogram()) clear_result();
        frame_->give();
        result_->give();
        launch(nullptr);
        result_->take();
        frame_->take();
    });
    frame_->give();
    result_->give();
    return ms;
}

double Workload::cpu_ms() {
    std::vector<uint8_t> result(expected_.size());
    return milliseconds_of([&] { compute_on_cpu(result); });
}

std::string Workload::wrong_result(const Launch& launch) {
    result_->take();
    clear_result();
    result_->give();
    launch(nullptr);
    result_->take();
    const auto got = result_->bytes().first(expected_.size());
    const auto [there, wanted] = std::ranges::mismatch(got, expected_);
    std::string wrong;
    if (wanted != expected_.end()) {
        const auto at = static_cast<size_t>(wanted - expected_.begin());
        wrong = is_histogram()
                    ? fmt::format("bin {} differs", at / sizeof(uint32_t))
                    : fmt::format("pixel ({}, {}) is {}, expected {}", at % output_stride_bytes_,
                                  at / output_stride_bytes_, *there, *wanted);
    }
    result_->give();
    return wrong;
}

}  // namespace glint::tools
