// The frame as an image: a kernel that only reads it, and what it takes to make the image.
#include <fmt/format.h>

#include <memory>

#include "tools/bench/suite.hpp"

namespace glint::bench {
namespace {

using gpu::check;

// One texel per byte, as the variants that read images do.
constexpr std::string_view image_source = R"cl(
__constant sampler_t place = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void read_image(__read_only image2d_t image, uint width, uint rows, __global uint* out)
{
    uint sum = 0u;
    uint x = (uint)get_global_id(0);
    uint y;
    for (y = (uint)get_global_id(1); x < width && y < rows; y += (uint)get_global_size(1)) {
        sum += read_imageui(image, place, (int2)((int)x, (int)y)).x;
    }
    if (sum == 0xffffffffu) out[0] = sum;
}
)cl";

enum class Source { buffer, host };

struct ImageRead {
    Size size;
    Frame frame;
    gpu::MemHandle buffer;
    gpu::MemHandle out;
    gpu::FrameImage image;
    gpu::BuiltProgram program;
};

gpu::FrameImage make_image(const Device& device, Size size) {
    const gpu::DeviceTraits& traits = device.traits();
    if (!traits.images) throw Skip("the device has no images");
    if (size.width > traits.max_image_width || size.height > traits.max_image_height) {
        throw Skip(fmt::format("the device's images end at {}x{}", traits.max_image_width,
                               traits.max_image_height));
    }
    return {device.context().handle.get(), size.width, bytes_of(size)};
}

void write_image(cl_command_queue queue, const ImageRead& state, Events* events) {
    const size_t origin[] = {0, 0, 0};
    const size_t region[] = {state.size.width, state.size.height, 1};
    cl_event event = nullptr;
    check(clEnqueueWriteImage(queue, state.image.get(), CL_FALSE, origin, region, 0, 0,
                              state.frame.memory.data(), 0, nullptr, &event),
          "clEnqueueWriteImage");
    gpu::EventHandle done(event);
    if (events != nullptr) events->push_back(std::move(done));
}

void read_image(cl_command_queue queue, const ImageRead& state, Events* events) {
    // Rows of texels for neighbouring work-items; each goes down a few rows, to have several reads
    // under way.
    constexpr size_t rows_per_item = 16;
    constexpr size_t local = 16;
    const Range range{.global = {zero_copy::align_up(state.size.width, local),
                                 (state.size.height + rows_per_item - 1) / rows_per_item},
                      .local = {local, 1}};
    const cl_kernel kernel = state.program.kernels[0].get();
    gpu::set_args(kernel, state.image.get(), cl_uint{state.size.width}, cl_uint{state.size.height},
                  state.out.get());
    Device::enqueue(queue, kernel, range, events);
}

Job image_job(Device& device, Size size, Source source) {
    gpu::FrameImage image = make_image(device, size);
    Frame frame = grey_frame(size, Picture::noise);
    gpu::MemHandle buffer = device.buffer(frame.memory.size(), frame.memory.data());
    const auto state = std::make_shared<ImageRead>(
        ImageRead{size, std::move(frame), std::move(buffer), device.buffer(sizeof(cl_uint)),
                  std::move(image), device.build(image_source, {"read_image"})});
    return {.enqueue =
                [state, source](cl_command_queue queue, Events* events) {
                    if (source == Source::buffer) {
                        state->image.enqueue_copy(queue, state->buffer.get(), events);
                    } else {
                        write_image(queue, *state, events);
                    }
                    read_image(queue, *state, events);
                },
            .frame = state->buffer.get(),
            .scratch = state->out.get(),
            .traffic = Traffic::read,
            .floor_bytes = bytes_of(size),
            .demand = {.bytes = static_cast<double>(bytes_of(size)), .multiply_adds = 0}};
}

}  // namespace

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
