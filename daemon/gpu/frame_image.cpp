#include "daemon/gpu/frame_image.hpp"

namespace glint::gpu {

FrameImage::FrameImage(cl_context context, uint32_t stride_bytes, size_t size_bytes,
                       cl_channel_type texel)
    : stride_bytes_(stride_bytes),
      size_bytes_(size_bytes),
      texel_bytes_(texel == CL_FLOAT ? sizeof(cl_float) : 1) {
    const cl_image_format format{CL_R, texel};
    const size_t rows = (size_bytes + stride_bytes - 1) / stride_bytes;
    cl_int code = CL_SUCCESS;
    image_ = MemHandle(clCreateImage2D(context, CL_MEM_READ_ONLY, &format,
                                       stride_bytes / texel_bytes_, rows, 0, nullptr, &code));
    check(code, "clCreateImage2D");
}

void FrameImage::enqueue_copy(cl_command_queue queue, cl_mem frame, Events* events) const {
    const size_t rows = size_bytes_ / stride_bytes_;
    const size_t rest = size_bytes_ % stride_bytes_;  // of a last row that is not whole
    const auto copy = [&](size_t row, size_t width, size_t height) {
        const size_t origin[] = {0, row, 0};
        const size_t region[] = {width / texel_bytes_, height, 1};
        cl_event event = nullptr;
        check(clEnqueueCopyBufferToImage(queue, frame, image_.get(), row * stride_bytes_, origin,
                                         region, 0, nullptr, events == nullptr ? nullptr : &event),
              "clEnqueueCopyBufferToImage");
        if (events != nullptr) events->emplace_back(event);
    };
    if (rows != 0) copy(0, stride_bytes_, rows);
    if (rest != 0) copy(rows, rest, 1);
}

}  // namespace glint::gpu
