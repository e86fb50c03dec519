// Every OpenCL variant that the device may run, side by side with a floor: a kernel that only reads
// (histogram) or only copies (filters) the same bytes with 16-byte loads. Times are the device's
// own, from profiling events; floor and variant are launched in turn, so that both see the same
// machine.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>

#include "daemon/gpu/convolution_launch.hpp"
#include "daemon/gpu/histogram_launch.hpp"
#include "tools/bench.hpp"
#include "zero_copy/formats.hpp"

namespace glint::bench {
namespace {

using gpu::check;
using kernels::Operator;

constexpr int warm_up_runs = 10;
constexpr int runs = 51;

constexpr const char* floor_source = R"cl(
__kernel void floor_read(__global const uint4* from, uint count, __global uint* sums)
{
    uint i;
    uint4 sum = (uint4)(0u, 0u, 0u, 0u);
    for (i = get_global_id(0); i < count; i += get_global_size(0)) {
        sum ^= from[i];
    }
    sums[get_global_id(0)] = sum.x ^ sum.y ^ sum.z ^ sum.w;
}

__kernel void floor_copy(__global const uint4* from, uint count, __global uint4* to)
{
    uint i;
    for (i = get_global_id(0); i < count; i += get_global_size(0)) {
        to[i] = from[i];
    }
}
)cl";

/// What all benchmarks use; made once.
struct Bench {
    gpu::Context context;
    gpu::QueueHandle queue;
    gpu::BinaryCache cache{""};
    gpu::BuiltProgram floors;

    explicit Bench(gpu::Device device)
        : context(std::move(device)), queue(context.make_queue(true)) {
        constexpr std::array names{"floor_read", "floor_copy"};
        floors = gpu::build_program(context, cache, floor_source, "-cl-std=CL1.1", names);
    }

    [[nodiscard]] gpu::MemHandle buffer(size_t bytes, void* contents = nullptr) const {
        cl_int code = CL_SUCCESS;
        const cl_mem_flags copy = contents != nullptr ? CL_MEM_COPY_HOST_PTR : 0;
        gpu::MemHandle mem(clCreateBuffer(context.handle.get(), CL_MEM_READ_WRITE | copy,
                                          zero_copy::align_up(bytes, 4096), contents, &code));
        check(code, "clCreateBuffer");
        return mem;
    }

    /// Device time of everything in `events`, in seconds; waits for them.
    [[nodiscard]] double device_time(const gpu::Events& events) const {
        check(clFinish(queue.get()), "clFinish");
        double sum = 0;
        for (const gpu::EventHandle& event : events) {
            cl_ulong start = 0;
            cl_ulong end = 0;
            check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof start,
                                          &start, nullptr),
                  "clGetEventProfilingInfo");
            check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end,
                                          nullptr),
                  "clGetEventProfilingInfo");
            sum += static_cast<double>(end - start) * 1e-9;
        }
        return sum;
    }

    void launch_floor(size_t index, cl_mem from, size_t bytes, cl_mem to, gpu::Events& events) {
        const cl_kernel kernel = floors.kernels[index].get();
        const auto count = static_cast<cl_uint>(bytes / 16);
        gpu::set_args(kernel, from, count, to);
        // A floor should keep every unit busy without a tail.
        const bool cpu = context.device.traits.is_cpu();
        const size_t local = cpu ? 16 : 256;
        const size_t global = context.device.traits.compute_units * (cpu ? 16 : 2048);
        cl_event event = nullptr;
        check(clEnqueueNDRangeKernel(queue.get(), kernel, 1, nullptr, &global, &local, 0, nullptr,
                                     &event),
              "clEnqueueNDRangeKernel");
        events.emplace_back(event);
    }
};

constexpr size_t floor_read = 0;
constexpr size_t floor_copy = 1;
constexpr size_t floor_sums_bytes = size_t{4} << 20;

/// Runs variant and floor in turn and reports the medians.
template <typename Launch, typename Floor>
void measure(benchmark::State& state, Bench& bench, size_t bytes_moved, Launch launch,
             Floor floor) {
    for ([[maybe_unused]] auto _ : state) {
        std::vector<double> times;
        std::vector<double> floor_times;
        for (int run = -warm_up_runs; run < runs; ++run) {
            gpu::Events events;
            gpu::Events floor_events;
            floor(floor_events);
            launch(events);
            const double time = bench.device_time(events);
            const double floor_time = bench.device_time(floor_events);
            if (run < 0) continue;
            times.push_back(time);
            floor_times.push_back(floor_time);
        }
        const double time = median(times);
        const double floor_time = median(floor_times);
        state.SetIterationTime(time);
        state.counters["GB/s"] = static_cast<double>(bytes_moved) / time * 1e-9;
        state.counters["floor_ms"] = floor_time * 1e3;
        state.counters["x_floor"] = time / floor_time;
    }
}

void histogram(benchmark::State& state, Bench& bench, const kernels::Variant& variant, Size size,
               Picture picture) {
    const size_t bytes = size_t{size.width} * size.height;
    const zero_copy::FrameMemory pixels(bytes);
    fill(picture, pixels.bytes(), size.width);
    const gpu::MemHandle frame = bench.buffer(bytes, pixels.data());
    const gpu::MemHandle bins = bench.buffer(sizeof(gpu::Bins));
    const gpu::MemHandle sums = bench.buffer(floor_sums_bytes);
    const auto task = std::make_shared<const gpu::HistogramTask>(grey_lane(size));
    gpu::HistogramLaunch launch(bench.context,
                                gpu::build_variant(bench.context, bench.cache, variant, 0));
    measure(
        state, bench, bytes,
        [&](gpu::Events& events) {
            launch.enqueue(bench.queue.get(), frame.get(), task, bins.get(), &events);
        },
        [&](gpu::Events& events) {
            bench.launch_floor(floor_read, frame.get(), bytes, sums.get(), events);
        });
}

void convolution(benchmark::State& state, Bench& bench, const kernels::Variant& variant, Size size,
                 const gpu::Filter& filter) {
    const size_t bytes = size_t{size.width} * size.height;
    const zero_copy::FrameMemory pixels(bytes);
    fill(Picture::noise, pixels.bytes(), size.width);
    const gpu::MemHandle frame = bench.buffer(bytes, pixels.data());
    const gpu::MemHandle output = bench.buffer(bytes);
    const uint32_t built_size = variant.needs.any_size ? 0 : filter.size;
    gpu::ConvolutionLaunch launch(
        bench.context, gpu::build_variant(bench.context, bench.cache, variant, built_size));
    if (!launch.accepts(filter)) {
        state.SkipWithError("the variant does not take this filter");
        return;
    }
    measure(
        state, bench, 2 * bytes,
        [&](gpu::Events& events) {
            launch.enqueue(bench.queue.get(), frame.get(), grey_lane(size), filter, output.get(),
                           size.width, &events);
        },
        [&](gpu::Events& events) {
            bench.launch_floor(floor_copy, frame.get(), bytes, output.get(), events);
        });
}

void set_up(benchmark::internal::Benchmark* one) {
    one->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}

void register_variant(Bench& bench, const kernels::Variant& variant, Size size) {
    const std::string where = fmt::format("{}x{}", size.width, size.height);
    const std::string name = fmt::format("{}/{}", kernels::name_of(variant.set), variant.name);
    if (variant.op == Operator::histogram) {
        for (const Picture picture : {Picture::noise, Picture::smooth}) {
            set_up(benchmark::RegisterBenchmark(
                fmt::format("histogram/{}/{}/{}", name, name_of(picture), where).c_str(),
                [&bench, &variant, size, picture](benchmark::State& state) {
                    histogram(state, bench, variant, size, picture);
                }));
        }
        return;
    }
    if (variant.op != Operator::convolution) return;
    for (const NamedFilter& entry : filters()) {
        if (variant.needs.binomial_only && !entry.filter.is_binomial()) continue;
        if (!variant.needs.any_size && entry.filter.size > 5) continue;
        set_up(
            benchmark::RegisterBenchmark(fmt::format("{}/{}/{}", entry.name, name, where).c_str(),
                                         [&bench, &variant, size, &entry](benchmark::State& state) {
                                             convolution(state, bench, variant, size, entry.filter);
                                         }));
    }
}

}  // namespace

void register_opencl() {
    auto device = gpu::choose_device("*");
    if (!device) {
        std::fputs("glint-bench: no OpenCL device; only the cpu variants run\n", stderr);
        return;
    }
    const gpu::DeviceTraits& traits = device->traits;
    fmt::print(stderr, "{} ({}), {}, driver {}\n", traits.name, traits.platform_name,
               traits.version, traits.driver_version);
    static Bench bench(std::move(*device));
    for (const Size size : sizes) {
        for (const kernels::Variant& variant : kernels::catalogue()) {
            const std::string illegal =
                gpu::why_illegal(variant.needs, bench.context.device.traits);
            if (illegal.empty()) register_variant(bench, variant, size);
        }
    }
}

}  // namespace glint::bench
