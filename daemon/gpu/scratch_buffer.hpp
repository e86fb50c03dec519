// Memory for checks: the CPU's until give(), the device's until take().
#pragma once

#include <span>

#include "daemon/gpu/device.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/gpu_buffer.hpp"

namespace glint::gpu {

/// Blocks on the queue; for workers and tests. Throws ClError and GpuBufferError.
class ScratchBuffer {
  public:
    ScratchBuffer(const Context& context, cl_command_queue queue, size_t size_bytes)
        : queue_(queue),
          memory_(size_bytes),
          buffer_(context.handle.get(), memory_.data(), memory_.size()) {
        try {
            take();
        } catch (...) {
            let_go();
            throw;
        }
    }
    ~ScratchBuffer() { let_go(); }
    ScratchBuffer(const ScratchBuffer&) = delete;
    ScratchBuffer& operator=(const ScratchBuffer&) = delete;

    void give() { check(buffer_.enqueue_unmap(queue_), "clEnqueueUnmapMemObject"); }
    void take() {
        cl_event event = nullptr;
        check(buffer_.enqueue_map(queue_, CL_MAP_READ | CL_MAP_WRITE, &event),
              "clEnqueueMapBuffer");
        const EventHandle done(event);
        check(clWaitForEvents(1, &event), "clWaitForEvents");
    }
    [[nodiscard]] cl_mem mem() const { return buffer_.get(); }
    [[nodiscard]] std::span<uint8_t> bytes() const { return memory_.bytes(); }
    [[nodiscard]] std::span<uint32_t> words() const {
        return {reinterpret_cast<uint32_t*>(memory_.data()), memory_.size() / sizeof(uint32_t)};
    }

  private:
    void let_go() noexcept {
        // A mapped buffer must not be released: some drivers keep the mapping for ever.
        (void)buffer_.enqueue_unmap(queue_);
        if (clFinish(queue_) != CL_SUCCESS) memory_.abandon();
    }

    cl_command_queue queue_;
    zero_copy::FrameMemory memory_;
    zero_copy::GpuBuffer buffer_;
};

}  // namespace glint::gpu
