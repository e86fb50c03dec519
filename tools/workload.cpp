#include "tools/workload.hpp"

#include <algorithm>
#include <chrono>

namespace glint::tools {
namespace {

using gpu::check;

template <typename Call>
double milliseconds_of(Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

std::vector<uint8_t> half_gradient_half_noise(gpu::FrameSize size, uint32_t pixel_bytes) {
    std::vector<uint8_t> pixels(static_cast<size_t>(size.pixels() * pixel_bytes));
    uint32_t state = 1;
    for (size_t i = 0; i < pixels.size(); ++i) {
        // A linear congruential generator (Numerical Recipes, 2nd edition, 7.1).
        state = state * 1664525U + 1013904223U;
        const size_t column = i / pixel_bytes % size.width;
        const bool left = column < size.width / 2;
        pixels[i] = static_cast<uint8_t>(left ? column * 256 / size.width : state >> 24);
    }
    return pixels;
}

std::vector<uint8_t> as_floats(const std::vector<uint8_t>& pixels) {
    std::vector<uint8_t> result(pixels.size() * sizeof(float));
    std::ranges::copy(pixels, reinterpret_cast<float*>(result.data()));
    return result;
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

gpu::Lane lane_for(const Task& task, gpu::FrameSize size) {
    return {.stride_bytes = size.width * task.pixel_bytes,
            .step_bytes = task.pixel_bytes,
            .width = size.width,
            .height = size.height};
}

Workload::Workload(const gpu::Context& context, cl_command_queue queue, const Task& task,
                   gpu::FrameSize size)
    : context_(context),
      queue_(queue),
      task_(task),
      lane_(lane_for(task, size)),
      pixels_(half_gradient_half_noise(size, task.pixel_bytes)),
      expected_(result_bytes(task, lane_)) {
    if (has_float_samples(task)) pixels_ = as_floats(pixels_);
    compute_on_cpu(task_, pixels_.data(), lane_, expected_);
    frame_.emplace(context_, queue_, pixels_.size());
    std::ranges::copy(pixels_, frame_->bytes().begin());
    frame_->give();
}

Launch Workload::launch(std::shared_ptr<const gpu::BuiltVariant> built) {
    Launch launch = make_launch(context_, std::move(built), task_, lane_);
    if (!result_ || result_->bytes().size() < launch.result_bytes) {
        result_.emplace(context_, queue_, launch.result_bytes);
        result_->give();
    }
    return launch;
}

void Workload::enqueue(const Launch& launch, gpu::Events* events) {
    launch.enqueue(queue_, frame_->mem(), result_->mem(), events);
}

/// Counters must start at zero; a picture's padding then compares equal too.
void Workload::clear_result(const Launch& launch) {
    std::ranges::fill(result_->bytes().first(launch.result_bytes), uint8_t{0});
}

double Workload::device_ms(const Launch& launch) {
    gpu::Events events;
    enqueue(launch, &events);
    check(clFinish(queue_), "clFinish");
    double sum = 0;
    for (const gpu::EventHandle& event : events) sum += profiled_ms(event.get());
    return sum;
}

double Workload::wall_ms(const Launch& launch) {
    frame_->take();
    result_->take();
    const double ms = milliseconds_of([&] {
        if (launch.adds) clear_result(launch);
        frame_->give();
        result_->give();
        enqueue(launch, nullptr);
        result_->take();
        frame_->take();
    });
    frame_->give();
    result_->give();
    return ms;
}

double Workload::cpu_ms() {
    std::vector<uint8_t> result(expected_.size());
    return milliseconds_of([&] { compute_on_cpu(task_, pixels_.data(), lane_, result); });
}

std::string Workload::wrong_result(const Launch& launch) {
    result_->take();
    clear_result(launch);
    result_->give();
    enqueue(launch, nullptr);
    result_->take();
    std::string wrong =
        difference(task_, lane_, result_->bytes().first(launch.result_bytes), expected_);
    result_->give();
    return wrong;
}

}  // namespace glint::tools
