// A filter that feeds a histogram through an OpenCL 2 pipe, beside the same two kernels with a
// buffer between them. glintd's devices speak OpenCL 1.1, so this is for curiosity only, and what
// 1.1 does not name is looked up at run time.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "daemon/gpu/filters.hpp"
#include "tools/bench/race.hpp"
#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

using gpu::check;

// OpenCL 2.0, which the headers hide from a program for 1.1.
constexpr cl_device_info device_max_pipe_args = 0x1055;     // CL_DEVICE_MAX_PIPE_ARGS
constexpr cl_device_info device_max_packet_bytes = 0x1057;  // CL_DEVICE_PIPE_MAX_PACKET_SIZE
using CreatePipe = cl_mem(CL_API_CALL*)(cl_context, cl_mem_flags, cl_uint packet_bytes,
                                        cl_uint max_packets, const intptr_t* properties,
                                        cl_int* code);

/// Sixteen filtered pixels.
constexpr cl_uint packet_bytes = 16;
constexpr size_t local = 64;

// The filter is [1 2 1] x [1 2 1] / 16 with the border replicated, sixteen columns per work-item.
// Whether the pipe was full or empty, which it must never be, is counted.
constexpr std::string_view pipe_source = R"cl(
#define SAMPLE(row, x) ((uint)frame[(row) * width + (uint)clamp((int)(x), 0, (int)width - 1)])
#define COLUMN(x) (SAMPLE(above, x) + 2u * SAMPLE(here, x) + SAMPLE(below, x))
#define FILTERED                                                                   \
    uint packets = width / 16u;                                                    \
    uint item = (uint)get_global_id(0);                                            \
    uint here = item / packets;                                                    \
    uint first = (item - here * packets) * 16u;                                    \
    uint above = here == 0u ? 0u : here - 1u;                                      \
    uint below = min(here + 1u, height - 1u);                                      \
    uint words[4] = {0u, 0u, 0u, 0u};                                              \
    uint i;                                                                        \
    if (here >= height) return;                                                    \
    for (i = 0u; i < 16u; ++i) {                                                   \
        int x = (int)(first + i);                                                  \
        uint sum = COLUMN(x - 1) + 2u * COLUMN(x) + COLUMN(x + 1);                 \
        words[i >> 2] |= (sum >> 4) << (8u * (i & 3u));                            \
    }
#define COUNT_WORD(word)                      \
    atomic_inc(&counts[(word) & 255u]);       \
    atomic_inc(&counts[(word) >> 8 & 255u]);  \
    atomic_inc(&counts[(word) >> 16 & 255u]); \
    atomic_inc(&counts[(word) >> 24]);
#define COUNT_PACKETS(fetch)                                                            \
    uint i;                                                                             \
    for (i = (uint)get_local_id(0); i < 256u; i += (uint)get_local_size(0)) counts[i] = 0u; \
    barrier(CLK_LOCAL_MEM_FENCE);                                                       \
    for (i = (uint)get_global_id(0); i < packets; i += (uint)get_global_size(0)) {      \
        uint4 packet = (uint4)(0u, 0u, 0u, 0u);                                         \
        fetch                                                                           \
        COUNT_WORD(packet.x)                                                            \
        COUNT_WORD(packet.y)                                                            \
        COUNT_WORD(packet.z)                                                            \
        COUNT_WORD(packet.w)                                                            \
    }                                                                                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                                       \
    for (i = (uint)get_local_id(0); i < 256u; i += (uint)get_local_size(0))             \
        atomic_add(&bins[i], counts[i]);

__kernel void filter_into_pipe(__global const uchar* frame, uint width, uint height,
                               __write_only pipe uint4 filtered, __global uint* lost)
{
    FILTERED
    uint4 packet = (uint4)(words[0], words[1], words[2], words[3]);
    if (write_pipe(filtered, &packet) != 0) atomic_inc(lost);
}

__kernel void histogram_from_pipe(__read_only pipe uint4 filtered, uint packets,
                                  __global uint* bins, __global uint* lost)
{
    __local uint counts[256];
    COUNT_PACKETS(if (read_pipe(filtered, &packet) != 0) { atomic_inc(lost); continue; })
}

__kernel void filter_into_buffer(__global const uchar* frame, uint width, uint height,
                                 __global uint4* filtered)
{
    FILTERED
    filtered[item] = (uint4)(words[0], words[1], words[2], words[3]);
}

__kernel void histogram_from_buffer(__global const uint4* filtered, uint packets,
                                    __global uint* bins)
{
    __local uint counts[256];
    COUNT_PACKETS(packet = filtered[i];)
}
)cl";

cl_uint device_uint(const Device& device, cl_device_info what) {
    cl_uint value = 0;
    // A device that does not know the question has no pipes.
    const cl_int code =
        clGetDeviceInfo(device.context().device.id, what, sizeof value, &value, nullptr);
    return code == CL_SUCCESS ? value : 0;
}

CreatePipe find_create_pipe(const Device& device) {
    if (device_uint(device, device_max_pipe_args) == 0 ||
        device_uint(device, device_max_packet_bytes) < packet_bytes) {
        throw Skip(fmt::format("the device ({}) has no pipes", device.traits().version));
    }
    void* const found = dlsym(RTLD_DEFAULT, "clCreatePipe");
    if (found == nullptr) throw Skip("the OpenCL loader has no clCreatePipe; it needs one for 2.0");
    return reinterpret_cast<CreatePipe>(found);
}

/// Pipes are part of OpenCL C 2.0 and, where the device has them, of 3.0.
std::string language(const Device& device) {
    return device.traits().c_version.find("OpenCL C 2.") != std::string::npos ? "-cl-std=CL2.0"
                                                                              : "-cl-std=CL3.0";
}

class PipedHistogram {
  public:
    PipedHistogram(Device& device, Size size)
        : device_(device), size_(size), frame_(grey_frame(size, Picture::noise)) {
        const CreatePipe create_pipe = find_create_pipe(device);
        cl_int code = CL_SUCCESS;
        // Room for the whole picture: no kernel has to run at the same time as the other.
        pipe_ = gpu::MemHandle(create_pipe(device.context().handle.get(), CL_MEM_READ_WRITE,
                                           packet_bytes, packets(), nullptr, &code));
        check(code, "clCreatePipe");
        program_ = device.build(pipe_source,
                                {"filter_into_pipe", "histogram_from_pipe", "filter_into_buffer",
                                 "histogram_from_buffer"},
                                language(device));
        input_ = device.buffer(frame_.memory.size(), frame_.memory.data());
        filtered_ = device.buffer(bytes_of(size));
        bins_ = device.buffer(sizeof(gpu::Bins));
        lost_ = device.buffer(sizeof(cl_uint));
        check_answer("through the pipe", [&](auto queue) { through_pipe(queue, nullptr); });
        check_answer("through the buffer", [&](auto queue) { through_buffer(queue, nullptr); });
    }

    void through_pipe(cl_command_queue queue, Events* events) const {
        run(queue, 0, filter_range(), events, input_.get(), cl_uint{size_.width},
            cl_uint{size_.height}, pipe_.get(), lost_.get());
        run(queue, 1, histogram_range(), events, pipe_.get(), packets(), bins_.get(), lost_.get());
    }
    void through_buffer(cl_command_queue queue, Events* events) const {
        run(queue, 2, filter_range(), events, input_.get(), cl_uint{size_.width},
            cl_uint{size_.height}, filtered_.get());
        run(queue, 3, histogram_range(), events, filtered_.get(), packets(), bins_.get());
    }

  private:
    [[nodiscard]] cl_uint packets() const {
        return static_cast<cl_uint>(bytes_of(size_) / packet_bytes);
    }
    [[nodiscard]] Range filter_range() const {
        return {.global = {zero_copy::align_up(packets(), local), 1}, .local = {local, 1}};
    }
    [[nodiscard]] Range histogram_range() const {
        constexpr size_t groups_per_unit = 4;
        return {.global = {local * groups_per_unit * device_.traits().compute_units, 1},
                .local = {local, 1}};
    }

    template <typename... Args>
    void run(cl_command_queue queue, size_t kernel, const Range& range, Events* events,
             const Args&... args) const {
        gpu::set_args(program_.kernels[kernel].get(), args...);
        Device::enqueue(queue, program_.kernels[kernel].get(), range, events);
    }

    /// Throws std::runtime_error when the bins are not those of the cpu variants.
    template <typename Launch>
    void check_answer(const char* way, Launch launch) const {
        const cl_command_queue queue = device_.queue();
        gpu::Bins bins{};
        cl_uint lost = 0;
        write(queue, bins_, &bins, sizeof bins);
        write(queue, lost_, &lost, sizeof lost);
        launch(queue);
        read(queue, bins_, &bins, sizeof bins);
        read(queue, lost_, &lost, sizeof lost);
        const gpu::Bins expected = expected_bins();
        const auto [got, wanted] = std::ranges::mismatch(bins, expected);
        if (lost == 0 && wanted == expected.end()) return;
        throw std::runtime_error(
            fmt::format("wrong result {}: {} packets lost; bin {} is {}, expected {}", way, lost,
                        std::min<ptrdiff_t>(wanted - expected.begin(), gpu::histogram_bins - 1),
                        wanted == expected.end() ? bins.back() : *got,
                        wanted == expected.end() ? expected.back() : *wanted));
    }

    [[nodiscard]] gpu::Bins expected_bins() const {
        const zero_copy::FrameMemory output(bytes_of(size_));
        gpu::reference::convolve(frame_.memory.data(), frame_.lane, *gpu::named_filter("binomial3"),
                                 {output.data(), size_.width});
        gpu::Bins bins;
        gpu::reference::histogram(output.data(), gpu::HistogramTask(frame_.lane), bins);
        return bins;
    }

    static void write(cl_command_queue queue, const gpu::MemHandle& mem, const void* from,
                      size_t bytes) {
        check(clEnqueueWriteBuffer(queue, mem.get(), CL_TRUE, 0, bytes, from, 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    static void read(cl_command_queue queue, const gpu::MemHandle& mem, void* to, size_t bytes) {
        check(clEnqueueReadBuffer(queue, mem.get(), CL_TRUE, 0, bytes, to, 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }

    Device& device_;
    Size size_;
    Frame frame_;
    gpu::MemHandle pipe_;
    gpu::BuiltProgram program_;
    gpu::MemHandle input_;
    gpu::MemHandle filtered_;
    gpu::MemHandle bins_;
    gpu::MemHandle lost_;  ///< packets that found the pipe full or empty
};

std::vector<Entrant> entrants(Device& device, Size size) {
    const auto work = std::make_shared<PipedHistogram>(device, size);
    const auto bytes = static_cast<double>(bytes_of(size));
    return {{.run = device.timed_by_device(
                 [work](auto queue, auto* events) { work->through_buffer(queue, events); }),
             .bytes = bytes},
            {.run = device.timed_by_device(
                 [work](auto queue, auto* events) { work->through_pipe(queue, events); }),
             .bytes = bytes}};
}

}  // namespace

void add_pipes(Suite& suite) {
    for (const Size size : {sizes[0], middle_size}) {
        add_race("pipe/binomial3_histogram/" + text_of(size),
                 {{"through_buffer", true}, {"through_pipe"}},
                 [&suite, size] { return entrants(suite.device, size); });
    }
}

}  // namespace glint::bench
