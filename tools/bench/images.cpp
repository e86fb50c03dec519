#include "tools/bench/images.hpp"

#include <fmt/format.h>

#include <memory>

#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

using gpu::check;

constexpr size_t samples_per_pixel = 4;

constexpr std::string_view image_source = R"cl(
__constant sampler_t place = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void read_image(__read_only image2d_t image, uint rows, __global uint* out)
{
    uint4 sum = (uint4)(0u, 0u, 0u, 0u);
    uint y;
    for (y = get_global_id(1); y < rows; y += get_global_size(1)) {
        sum ^= read_imageui(image, place, (int2)((int)get_global_id(0), (int)y));
    }
    if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x5bd1e995u) out[0] = sum.x;
}
)cl";

void keep(Events* events, cl_event event) {
    if (events != nullptr) events->emplace_back(event);
}

cl_event* place_for(Events* events, cl_event& event) {
    return events != nullptr ? &event : nullptr;
}

enum class Source { buffer, host };

struct ImageRead {
    Frame frame;
    gpu::MemHandle buffer;
    gpu::MemHandle out;
    FrameImage image;
    gpu::BuiltProgram program;
};

Job image_job(Device& device, Size size, Source source) {
    Frame frame = grey_frame(size, Picture::noise);
    gpu::MemHandle buffer = device.buffer(frame.memory.size(), frame.memory.data());
    const auto state = std::make_shared<ImageRead>(
        ImageRead{std::move(frame), std::move(buffer), device.buffer(sizeof(cl_uint)),
                  FrameImage(device, size), device.build(image_source, {"read_image"})});
    // Rows of pixels for neighbouring work-items; each goes down a few rows, to have several reads
    // under way.
    constexpr size_t rows_per_item = 4;
    constexpr size_t local = 16;
    const Range range{.global = {zero_copy::align_up(size.width / samples_per_pixel, local),
                                 (size.height + rows_per_item - 1) / rows_per_item},
                      .local = {local, 1}};
    Job job{.enqueue =
                [state, range, size](cl_command_queue queue, Events* events) {
                    const cl_kernel kernel = state->program.kernels[0].get();
                    gpu::set_args(kernel, state->image.get(), cl_uint{size.height},
                                  state->out.get());
                    Device::enqueue(queue, kernel, range, events);
                },
            .frame = state->buffer.get(),
            .scratch = state->out.get(),
            .traffic = Traffic::read,
            .floor_bytes = bytes_of(size),
            .demand = {.bytes = static_cast<double>(bytes_of(size)), .multiply_adds = 0}};
    if (source == Source::buffer) {
        job.transfer = [state](cl_command_queue queue, Events* events) {
            state->image.enqueue_copy(queue, state->buffer.get(), events);
        };
    } else {
        job.transfer = [state](cl_command_queue queue, Events* events) {
            state->image.enqueue_write(queue, state->frame.memory.data(), events);
        };
    }
    return job;
}

}  // namespace

FrameImage::FrameImage(const Device& device, Size size)
    : region_{size.width / samples_per_pixel, size.height, 1} {
    if (!device.traits().images) throw Skip("the device has no images");
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
    cl_int code = CL_SUCCESS;
    image_ = gpu::MemHandle(clCreateImage2D(device.context().handle.get(), CL_MEM_READ_ONLY,
                                            &format, region_[0], region_[1], 0, nullptr, &code));
    if (code == CL_INVALID_IMAGE_SIZE) {
        throw Skip(fmt::format("the device has no images of {}x{}", region_[0], region_[1]));
    }
    check(code, "clCreateImage2D");
}

void FrameImage::enqueue_copy(cl_command_queue queue, cl_mem buffer, Events* events) const {
    constexpr size_t origin[] = {0, 0, 0};
    cl_event event = nullptr;
    check(clEnqueueCopyBufferToImage(queue, buffer, image_.get(), 0, origin, region_, 0, nullptr,
                                     place_for(events, event)),
          "clEnqueueCopyBufferToImage");
    keep(events, event);
}

void FrameImage::enqueue_write(cl_command_queue queue, const uint8_t* frame, Events* events) const {
    constexpr size_t origin[] = {0, 0, 0};
    cl_event event = nullptr;
    check(clEnqueueWriteImage(queue, image_.get(), CL_FALSE, origin, region_, 0, 0, frame, 0,
                              nullptr, place_for(events, event)),
          "clEnqueueWriteImage");
    keep(events, event);
}

void add_images(Suite& suite) {
    for (const Size size : sizes) {
        for (const Source source : {Source::buffer, Source::host}) {
            add_row(fmt::format("image/read_after_{}/{}",
                                source == Source::buffer ? "copy" : "write", text_of(size)),
                    [&suite, size, source] {
                        return measure(suite.device, suite.ceilings,
                                       image_job(suite.device, size, source));
                    });
        }
    }
}

}  // namespace glint::bench
