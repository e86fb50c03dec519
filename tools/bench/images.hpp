// A frame as an image. Under OpenCL 1.1 an image is memory of its own: to fill it is a copy.
#pragma once

#include "tools/bench/device.hpp"

namespace glint::bench {

/// An image of four neighbouring 8-bit samples per pixel (CL_RGBA, CL_UNSIGNED_INT8: the only
/// 8-bit integer format besides its like with signs that every device with images has).
class FrameImage {
  public:
    /// For a tight picture of bytes whose width is a multiple of 4. Throws Skip when the device has
    /// no images or none of this size, and gpu::ClError.
    FrameImage(const Device& device, Size size);

    [[nodiscard]] cl_mem get() const { return image_.get(); }
    /// Copies the frame at the start of `buffer`. Throws gpu::ClError.
    void enqueue_copy(cl_command_queue queue, cl_mem buffer, Events* events) const;
    /// Copies the frame from host memory, which must stay as it is until the queue is done.
    void enqueue_write(cl_command_queue queue, const uint8_t* frame, Events* events) const;

  private:
    size_t region_[3];  ///< pixels of the image
    gpu::MemHandle image_;
};

}  // namespace glint::bench
