// Ways of getting a frame to the device and back, by the clock on the wall. "give" ends when a
// kernel that touches the frame has run, since drivers may put a copy off until then; "take" begins
// when such a kernel has run and ends when the host may read.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>

#include "kernels/kernel_sources.hpp"
#include "tools/bench/race.hpp"
#include "tools/bench/suite.hpp"
#include "zero_copy/gpu_buffer.hpp"

namespace glint::bench {
namespace {

using gpu::check;

constexpr std::string_view touch_source = R"cl(
__kernel void touch(__global uint* frame)
{
    frame[get_global_id(0)] += 1u;
}
)cl";

enum class Direction { give, take };

/// A frame in host memory, a buffer of the device and the means to move one to the other. Lives in
/// the entrants that use it.
struct Transfer {
    Device& device;
    gpu::BuiltProgram program;
    Frame frame;
    gpu::MemHandle buffer;   ///< of the device, for read and write
    void* mapped = nullptr;  ///< of `buffer`, while the host has it

    Transfer(Device& of, Size size)
        : device(of),
          program(of.build(touch_source, {"touch"})),
          frame(grey_frame(size, Picture::noise)) {}

    [[nodiscard]] cl_command_queue queue() const { return device.plain_queue(); }
    [[nodiscard]] size_t bytes() const { return frame.memory.size(); }

    void finish() const { check(clFinish(queue()), "clFinish"); }
    void touch(cl_mem mem) const {
        gpu::set_args(program.kernels[0].get(), mem);
        Device::enqueue(queue(), program.kernels[0].get(), {});
    }
    void write(cl_bool blocking) const {
        check(clEnqueueWriteBuffer(queue(), buffer.get(), blocking, 0, bytes(), frame.memory.data(),
                                   0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    void read(cl_bool blocking) const {
        check(clEnqueueReadBuffer(queue(), buffer.get(), blocking, 0, bytes(), frame.memory.data(),
                                  0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
    void map() {
        cl_int code = CL_SUCCESS;
        mapped = clEnqueueMapBuffer(queue(), buffer.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                    bytes(), 0, nullptr, nullptr, &code);
        check(code, "clEnqueueMapBuffer");
    }
    void unmap() const {
        check(clEnqueueUnmapMemObject(queue(), buffer.get(), mapped, 0, nullptr, nullptr),
              "clEnqueueUnmapMemObject");
    }
};

/// The driver's own host memory, or ours; mapped from the start, as a source would fill it.
class MappedFrame {
  public:
    MappedFrame(Device& device, Size size, cl_mem_flags flags, void* memory)
        : transfer_(device, size) {
        cl_int code = CL_SUCCESS;
        transfer_.buffer =
            gpu::MemHandle(clCreateBuffer(device.context().handle.get(), CL_MEM_READ_WRITE | flags,
                                          transfer_.bytes(), memory, &code));
        check(code, "clCreateBuffer");
        transfer_.map();
    }
    ~MappedFrame() {
        // A mapped buffer must not be released: some drivers keep the mapping for ever.
        clEnqueueUnmapMemObject(transfer_.queue(), transfer_.buffer.get(), transfer_.mapped, 0,
                                nullptr, nullptr);
        clFinish(transfer_.queue());
    }
    MappedFrame(const MappedFrame&) = delete;
    MappedFrame& operator=(const MappedFrame&) = delete;

    /// There and back; the seconds of one direction.
    [[nodiscard]] double run(Direction direction) {
        const double give = time_of([&] {
            transfer_.unmap();
            transfer_.touch(transfer_.buffer.get());
            transfer_.finish();
        });
        const double take = time_of([&] { transfer_.map(); });
        return direction == Direction::give ? give : take;
    }

  private:
    Transfer transfer_;
};

/// What zero_copy::prove finds out about `bytes` from `start` on in `pages`, in words.
std::string proof_of(Device& device, const zero_copy::FrameMemory& pages, uint8_t* start,
                     size_t bytes) {
    const gpu::BuiltProgram pattern =
        device.build(kernels::ep_pattern, {"pattern_write", "pattern_compare"});
    zero_copy::GpuBuffer buffer(device.context().handle.get(), start, bytes);
    const auto proof =
        zero_copy::prove(buffer, pages, device.context().handle.get(), device.queue(),
                         {pattern.kernels[0].get(), pattern.kernels[1].get()});
    check(buffer.enqueue_unmap(device.queue()), "clEnqueueUnmapMemObject");
    device.finish();
    return fmt::format("zero copy: {}{}{}", zero_copy::name_of(proof.zero_copy),
                       proof.reason.empty() ? "" : ", ", proof.reason);
}

/// CL_MEM_USE_HOST_PTR over whole pages, or over as many bytes that begin `offset` into a page.
Entrant host_pointer(Device& device, Size size, Direction direction, size_t offset) {
    struct Memory {
        zero_copy::FrameMemory pages;
        std::unique_ptr<MappedFrame> frame;
    };
    const size_t bytes = zero_copy::align_up(bytes_of(size), zero_copy::page_bytes);
    const auto memory = std::make_shared<Memory>();
    memory->pages = zero_copy::FrameMemory(bytes + offset);
    uint8_t* const start = memory->pages.data() + offset;
    try {
        Entrant result;
        result.label = proof_of(device, memory->pages, start, bytes);
        memory->frame = std::make_unique<MappedFrame>(device, size, CL_MEM_USE_HOST_PTR, start);
        result.run = [memory, direction] { return memory->frame->run(direction); };
        return result;
    } catch (const std::exception& error) {
        return {.skipped = std::string("the driver does not take this memory: ") + error.what()};
    }
}

Entrant allocated(Device& device, Size size, Direction direction) {
    const auto frame = std::make_shared<MappedFrame>(device, size, CL_MEM_ALLOC_HOST_PTR, nullptr);
    return {.run = [frame, direction] { return frame->run(direction); }};
}

Entrant explicit_copy(Device& device, Size size, Direction direction, cl_bool blocking) {
    const auto transfer = std::make_shared<Transfer>(device, size);
    transfer->buffer = device.buffer(transfer->bytes());
    return {.run = [transfer, direction, blocking] {
        const auto touch = [&] { transfer->touch(transfer->buffer.get()); };
        if (direction == Direction::give) {
            return time_of([&] {
                transfer->write(blocking);
                touch();
                transfer->finish();
            });
        }
        touch();
        transfer->finish();
        return time_of([&] {
            transfer->read(blocking);
            if (blocking == CL_FALSE) transfer->finish();
        });
    }};
}

Entrant cpu_copy(Size size) {
    struct Memory {
        Frame from;
        zero_copy::FrameMemory to;
    };
    const auto memory = std::make_shared<Memory>(
        Memory{grey_frame(size, Picture::noise), zero_copy::FrameMemory(bytes_of(size))});
    return {.run = [memory] {
        return time_of(
            [&] { std::memcpy(memory->to.data(), memory->from.memory.data(), memory->to.size()); });
    }};
}

std::vector<Entrant> entrants(Device& device, Size size, Direction direction) {
    // Aligned for words, but neither for a cache line nor for a page.
    constexpr size_t misaligned = 4;
    std::vector<Entrant> result;
    result.push_back(cpu_copy(size));
    result.push_back(explicit_copy(device, size, direction, CL_TRUE));
    result.push_back(explicit_copy(device, size, direction, CL_FALSE));
    result.push_back(allocated(device, size, direction));
    result.push_back(host_pointer(device, size, direction, 0));
    result.push_back(host_pointer(device, size, direction, misaligned));
    for (Entrant& one : result) one.bytes = static_cast<double>(bytes_of(size));
    return result;
}

}  // namespace

void add_transfers(Suite& suite) {
    for (const Size size : sizes) {
        for (const Direction direction : {Direction::give, Direction::take}) {
            const bool give = direction == Direction::give;
            const std::string copy = give ? "write" : "read";
            add_race(fmt::format("transfer/{}/{}", give ? "give" : "take", text_of(size)),
                     {{"cpu_copy", true},
                      {copy + "_blocking"},
                      {copy + "_nonblocking"},
                      {"map_allocated"},
                      {"map_host_pointer"},
                      {"map_host_pointer_misaligned"}},
                     [&suite, size, direction] { return entrants(suite.device, size, direction); });
        }
    }
}

}  // namespace glint::bench
