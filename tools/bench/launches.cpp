// What a launch costs, and what is won by fewer launches, more queues and looser order.
#include <fmt/format.h>

#include <memory>

#include "tools/bench/race.hpp"
#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

using gpu::check;

constexpr size_t batch = 8;  ///< frames, or launches

constexpr std::string_view launch_source = R"cl(
__kernel void one_store(__global uint* out)
{
    out[0] = 1u;
}
)cl";

void finish(cl_command_queue queue) {
    check(clFinish(queue), "clFinish");
}

struct OneStore {
    gpu::BuiltProgram program;
    gpu::MemHandle out;

    explicit OneStore(Device& device)
        : program(device.build(launch_source, {"one_store"})), out(device.buffer(sizeof(cl_uint))) {
        gpu::set_args(program.kernels[0].get(), out.get());
    }
    void enqueue(cl_command_queue queue, Events* events = nullptr) const {
        Device::enqueue(queue, program.kernels[0].get(), {}, events);
    }
};

/// One kernel that stores one word: the device's clock, the wall's from enqueue to finish, and the
/// wall's for one of a batch that is waited for once.
std::vector<Entrant> launch_entrants(Device& device) {
    const auto kernel = std::make_shared<OneStore>(device);
    const cl_command_queue queue = device.plain_queue();
    return {{.run = device.timed_by_device(
                 [kernel](auto profiled, auto* events) { kernel->enqueue(profiled, events); })},
            {.run =
                 [kernel, queue] {
                     return time_of([&] {
                         kernel->enqueue(queue);
                         finish(queue);
                     });
                 }},
            {.run =
                 [kernel, queue] {
                     const double all = time_of([&] {
                         for (size_t i = 0; i < batch; ++i) kernel->enqueue(queue);
                         finish(queue);
                     });
                     return all / static_cast<double>(batch);
                 }},
            {.run = [kernel, queue] {
                const double call = time_of([&] { kernel->enqueue(queue); });
                finish(queue);
                return call;
            }}};
}

/// Frames one after the other in one buffer, and room for what is made of them.
struct Frames {
    Device& device;
    size_t frame_bytes;
    zero_copy::FrameMemory host;
    gpu::MemHandle from;
    gpu::MemHandle to;

    Frames(Device& of, Size size)
        : device(of),
          frame_bytes(zero_copy::align_up(bytes_of(size), zero_copy::page_bytes)),
          host(batch * frame_bytes),
          from(of.buffer(host.size(), host.data())),
          to(of.buffer(host.size())) {}
};

/// The floor that copies, on the whole batch at once or frame by frame from buffers of their own.
std::vector<Entrant> batch_entrants(Device& device, Ceilings& ceilings, Size size) {
    struct State {
        Frames frames;
        Floor whole;
        Floor single;
        std::vector<gpu::MemHandle> from;
        std::vector<gpu::MemHandle> to;
    };
    const auto state = std::make_shared<State>(State{Frames(device, size), {}, {}, {}, {}});
    const Frames& frames = state->frames;
    state->whole = ceilings.floor(Traffic::copy, batch * frames.frame_bytes);
    state->single = ceilings.floor(Traffic::copy, frames.frame_bytes);
    for (size_t i = 0; i < batch; ++i) {
        state->from.push_back(
            device.buffer(frames.frame_bytes, frames.host.data() + i * frames.frame_bytes));
        state->to.push_back(device.buffer(frames.frame_bytes));
    }
    const cl_command_queue queue = device.plain_queue();
    const auto bytes = static_cast<double>(2 * batch * frames.frame_bytes);
    return {{.run =
                 [state, queue] {
                     return time_of([&] {
                         for (size_t i = 0; i < batch; ++i) {
                             Ceilings::enqueue(queue, state->single, state->frames.frame_bytes,
                                               state->from[i].get(), state->to[i].get(), nullptr);
                         }
                         finish(queue);
                     });
                 },
             .bytes = bytes},
            {.run =
                 [state, queue] {
                     return time_of([&] {
                         Ceilings::enqueue(queue, state->whole, state->frames.host.size(),
                                           state->frames.from.get(), state->frames.to.get(),
                                           nullptr);
                         finish(queue);
                     });
                 },
             .bytes = bytes}};
}

gpu::QueueHandle make_queue(const Device& device, cl_command_queue_properties properties) {
    cl_int code = CL_SUCCESS;
    gpu::QueueHandle queue(clCreateCommandQueue(device.context().handle.get(),
                                                device.context().device.id, properties, &code));
    check(code, "clCreateCommandQueue");
    return queue;
}

bool has_out_of_order(const Device& device) {
    cl_command_queue_properties properties = 0;
    check(clGetDeviceInfo(device.context().device.id, CL_DEVICE_QUEUE_PROPERTIES, sizeof properties,
                          &properties, nullptr),
          "clGetDeviceInfo(CL_DEVICE_QUEUE_PROPERTIES)");
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

/// A batch of frames, each written to the device and then copied there by a kernel that waits for
/// the write of its own frame only: with more than one in-order queue, or one without order, a
/// write may overlap another frame's kernel.
class Stream {
  public:
    Stream(Device& device, Ceilings& ceilings, Size size, std::vector<gpu::QueueHandle> queues)
        : queues_(std::move(queues)), host_(grey_frame(size, Picture::noise)) {
        bytes_ = host_.memory.size();
        floor_ = ceilings.floor(Traffic::copy, bytes_);
        for (size_t i = 0; i < batch; ++i) {
            from_.push_back(device.buffer(bytes_));
            to_.push_back(device.buffer(bytes_));
        }
    }

    [[nodiscard]] double run() const {
        return time_of([&] {
            for (size_t i = 0; i < batch; ++i) enqueue(i, queues_[i % queues_.size()].get());
            for (const auto& queue : queues_) check(clFlush(queue.get()), "clFlush");
            for (const auto& queue : queues_) finish(queue.get());
        });
    }
    [[nodiscard]] double bytes() const { return static_cast<double>(batch * bytes_); }

  private:
    void enqueue(size_t frame, cl_command_queue queue) const {
        cl_event raw = nullptr;
        check(clEnqueueWriteBuffer(queue, from_[frame].get(), CL_FALSE, 0, bytes_,
                                   host_.memory.data(), 0, nullptr, &raw),
              "clEnqueueWriteBuffer");
        const gpu::EventHandle written(raw);
        const Range& range = floor_.range;
        gpu::set_args(floor_.kernel, from_[frame].get(),
                      static_cast<cl_uint>(bytes_ / floor_.chunk_bytes), to_[frame].get());
        check(clEnqueueNDRangeKernel(queue, floor_.kernel, 2, nullptr, range.global, range.local, 1,
                                     &raw, nullptr),
              "clEnqueueNDRangeKernel");
    }

    std::vector<gpu::QueueHandle> queues_;
    Frame host_;
    size_t bytes_ = 0;
    Floor floor_;
    std::vector<gpu::MemHandle> from_;
    std::vector<gpu::MemHandle> to_;
};

std::vector<Entrant> queue_entrants(Device& device, Ceilings& ceilings, Size size) {
    const auto entrant = [&](size_t count, cl_command_queue_properties properties) {
        std::vector<gpu::QueueHandle> queues;
        for (size_t i = 0; i < count; ++i) queues.push_back(make_queue(device, properties));
        const auto stream = std::make_shared<Stream>(device, ceilings, size, std::move(queues));
        return Entrant{.run = [stream] { return stream->run(); }, .bytes = stream->bytes()};
    };
    return {entrant(1, 0), entrant(2, 0),
            has_out_of_order(device) ? entrant(1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
                                     : Entrant{.skipped = "the device has no out-of-order queues"}};
}

}  // namespace

void add_launches(Suite& suite) {
    add_race("launch",
             {{"device_time"}, {"enqueue_to_finish", true}, {"one_of_a_batch"}, {"enqueue_call"}},
             [&suite] { return launch_entrants(suite.device); });
    for (const Size size : {sizes[0], middle_size}) {
        const std::string frames = fmt::format("{}x{}", batch, text_of(size));
        add_race("batch/" + frames, {{"separate_launches", true}, {"one_launch"}},
                 [&suite, size] { return batch_entrants(suite.device, suite.ceilings, size); });
        add_race("queues/" + frames, {{"one_in_order", true}, {"two_in_order"}, {"out_of_order"}},
                 [&suite, size] { return queue_entrants(suite.device, suite.ceilings, size); });
    }
}

}  // namespace glint::bench
