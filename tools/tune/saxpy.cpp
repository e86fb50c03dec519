#include "tools/tune/saxpy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "daemon/gpu/program.hpp"
#include "tools/tune/search.hpp"
#include "tools/tune/stop.hpp"

namespace glint::tune {
namespace {

using gpu::check;

constexpr const char* source = R"cl(
__kernel void saxpy(__global const float* x, __global float* y, float a)
{
    uint i = (uint)get_global_id(0);
    y[i] = a * x[i] + y[i];
}
)cl";

// Whole numbers, whose products and sums a float holds exactly, rounded or fused.
constexpr cl_float factor = 3;
float x_at(size_t i) {
    return static_cast<float>(i % 251);
}
float y_at(size_t i) {
    return static_cast<float>(i % 127);
}

class Saxpy {
  public:
    Saxpy(const gpu::Context& context, size_t elements)
        : context_(context), queue_(context.make_queue(true)) {
        gpu::BinaryCache no_cache("");
        constexpr std::array names{"saxpy"};
        program_ = gpu::build_program(context, no_cache, source, "-cl-std=CL1.1", names);
        largest_ = static_cast<size_t>(
            std::bit_floor(std::min<uint64_t>(gpu::max_work_group(kernel(), context.device.id),
                                              context.device.traits.max_work_item[0])));
        elements_ = (elements + largest_ - 1) / largest_ * largest_;
        std::vector<float> x(elements_);
        for (size_t i = 0; i < elements_; ++i) x[i] = x_at(i);
        x_ = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, x.data());
        y_ = buffer(CL_MEM_READ_WRITE, nullptr);
    }

    [[nodiscard]] size_t largest() const { return largest_; }
    [[nodiscard]] size_t elements() const { return elements_; }

    /// Device time in ms; `local` 0: as the driver likes.
    double run(size_t local) {
        gpu::set_args(kernel(), x_.get(), y_.get(), factor);
        cl_event raw = nullptr;
        check(clEnqueueNDRangeKernel(queue_.get(), kernel(), 1, nullptr, &elements_,
                                     local == 0 ? nullptr : &local, 0, nullptr, &raw),
              "clEnqueueNDRangeKernel");
        const gpu::EventHandle event(raw);
        check(clFinish(queue_.get()), "clFinish");
        cl_ulong times[2] = {};
        check(clGetEventProfilingInfo(raw, CL_PROFILING_COMMAND_START, sizeof times[0], &times[0],
                                      nullptr),
              "clGetEventProfilingInfo");
        check(clGetEventProfilingInfo(raw, CL_PROFILING_COMMAND_END, sizeof times[1], &times[1],
                                      nullptr),
              "clGetEventProfilingInfo");
        return static_cast<double>(times[1] - times[0]) * 1e-6;
    }

    /// What is wrong, or an empty text.
    [[nodiscard]] std::string wrong_result(size_t local) {
        std::vector<float> y(elements_);
        for (size_t i = 0; i < elements_; ++i) y[i] = y_at(i);
        const size_t bytes = elements_ * sizeof(float);
        check(clEnqueueWriteBuffer(queue_.get(), y_.get(), CL_TRUE, 0, bytes, y.data(), 0, nullptr,
                                   nullptr),
              "clEnqueueWriteBuffer");
        (void)run(local);
        check(clEnqueueReadBuffer(queue_.get(), y_.get(), CL_TRUE, 0, bytes, y.data(), 0, nullptr,
                                  nullptr),
              "clEnqueueReadBuffer");
        for (size_t i = 0; i < elements_; ++i) {
            const float expected = factor * x_at(i) + y_at(i);
            if (y[i] != expected) return fmt::format("y[{}] is {}, expected {}", i, y[i], expected);
        }
        return {};
    }

  private:
    [[nodiscard]] cl_kernel kernel() const { return program_.kernels[0].get(); }
    [[nodiscard]] gpu::MemHandle buffer(cl_mem_flags flags, void* contents) const {
        cl_int code = CL_SUCCESS;
        gpu::MemHandle mem(clCreateBuffer(context_.handle.get(), flags, elements_ * sizeof(float),
                                          contents, &code));
        check(code, "clCreateBuffer");
        return mem;
    }

    const gpu::Context& context_;
    gpu::QueueHandle queue_;
    gpu::BuiltProgram program_;
    size_t largest_ = 1;
    size_t elements_ = 0;
    gpu::MemHandle x_;
    gpu::MemHandle y_;
};

}  // namespace

Ranking sweep_saxpy(const gpu::Context& context, size_t elements, size_t runs) {
    Saxpy saxpy(context, elements);
    std::vector<size_t> sizes{0};
    for (size_t local = 1; local <= saxpy.largest(); local *= 2) sizes.push_back(local);
    Ranking ranking{.title = fmt::format("saxpy, {} elements", saxpy.elements()),
                    .bytes = uint64_t{3} * saxpy.elements() * sizeof(float),
                    .operations = uint64_t{2} * saxpy.elements(),
                    .operations_unit = "GFLOP/s",
                    .rows = {},
                    .verdict = {}};
    std::vector<std::string> wrong;
    for (const size_t local : sizes) wrong.push_back(saxpy.wrong_result(local));
    std::vector<std::vector<double>> times(sizes.size());
    for (size_t run = 0; run < runs; ++run) {
        for (size_t i = 0; i < sizes.size(); ++i) {
            if (stop_signal() != 0) return ranking;
            times[i].push_back(saxpy.run(sizes[i]));
        }
    }
    const double by_driver = sample_of(times[0]).median;
    for (size_t i = 0; i < sizes.size(); ++i) {
        const double ms = wrong[i].empty() ? sample_of(times[i]).median : 0;
        ranking.rows.push_back({.work_group = sizes[i] == 0 ? "any" : fmt::format("{}", sizes[i]),
                                .others = {},
                                .ms = ms,
                                .relative = ms / by_driver,
                                .note = wrong[i].empty() && i == 0 ? "default" : wrong[i]});
    }
    return ranking;
}

}  // namespace glint::tune
