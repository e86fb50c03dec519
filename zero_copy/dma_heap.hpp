// Where dma-bufs come from: memory that a capture driver fills and a GPU maps, by descriptor.
#pragma once

#include <string>

#include "zero_copy/frame_memory.hpp"
#include "zero_copy/transport.hpp"

namespace glint::zero_copy {

/// A dma-buf of at least `size_bytes`, mapped:
///   "udmabuf"       pages of a memfd (/dev/udmabuf); scattered, so only for drivers that take that
///   "v4l2:NODE"     a buffer that another V4L2 device allocates and exports
///   anything else   a heap below /dev/dma_heap, e.g. "linux,cma", "reserved" or "system"
/// Throws TransportRefused that says why not.
[[nodiscard]] FrameMemory allocate_dmabuf(DeviceCalls& calls, const std::string& heap,
                                          size_t size_bytes);

}  // namespace glint::zero_copy
