// A frame as an image, for the variants that read one: under OpenCL 1.1 that is a copy.
#pragma once

#include <vector>

#include "daemon/gpu/opencl.hpp"

namespace glint::gpu {

/// Where the events of enqueued commands go, when somebody wants their times.
using Events = std::vector<EventHandle>;

/// One texel per byte, or per float, a row of the frame in each row.
class FrameImage {
  public:
    /// For rows of `stride_bytes`, the first `size_bytes` of a frame. Throws ClError, also where
    /// the device takes no image of that size.
    FrameImage(cl_context context, uint32_t stride_bytes, size_t size_bytes,
               cl_channel_type texel = CL_UNSIGNED_INT8);
    /// Copies the frame, and says so in `events`. Throws ClError.
    void enqueue_copy(cl_command_queue queue, cl_mem frame, Events* events) const;
    [[nodiscard]] cl_mem get() const { return image_.get(); }

  private:
    MemHandle image_;
    size_t stride_bytes_;
    size_t size_bytes_;
    size_t texel_bytes_;
};

}  // namespace glint::gpu
