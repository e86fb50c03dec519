// Host memory as the GPU sees it: wrapped once, owned by one side at a time, and put to the proof.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "zero_copy/frame_memory.hpp"

namespace glint::zero_copy {

/// An OpenCL call on a buffer failed: which, and with what code.
class GpuBufferError : public std::runtime_error {
  public:
    GpuBufferError(const std::string& call, cl_int code);
    [[nodiscard]] cl_int code() const noexcept { return code_; }

  private:
    cl_int code_;
};

/// A cl_mem over memory of ours (CL_MEM_USE_HOST_PTR). Starts with the device as its owner.
///
/// "Mapped" means that the CPU, or a driver that fills the memory, owns it; "unmapped" that kernels
/// may use it. OpenCL makes writes of one side visible to the other only when the owner changes.
class GpuBuffer {
  public:
    /// `memory` must be whole pages and outlive the buffer. Throws GpuBufferError.
    GpuBuffer(cl_context context, uint8_t* memory, size_t size_bytes);
    ~GpuBuffer();
    GpuBuffer(GpuBuffer&& other) noexcept;
    GpuBuffer& operator=(GpuBuffer&&) = delete;
    GpuBuffer(const GpuBuffer&) = delete;
    GpuBuffer& operator=(const GpuBuffer&) = delete;

    [[nodiscard]] cl_mem get() const noexcept { return mem_; }
    [[nodiscard]] uint8_t* data() const noexcept { return memory_; }
    [[nodiscard]] size_t size() const noexcept { return size_; }
    [[nodiscard]] bool mapped() const noexcept { return mapped_; }

    /// Hands the memory to the CPU once all that is enqueued before has run. Non-blocking; `done`
    /// (may be null) receives an event that the caller releases. Returns the OpenCL code, or
    /// CL_MAP_FAILURE if the driver returned another pointer than ours, which would be a copy.
    [[nodiscard]] cl_int enqueue_map(cl_command_queue queue, cl_map_flags flags,
                                     cl_event* done) noexcept;
    /// Hands the memory to the device. Non-blocking. Does nothing if it is the owner already.
    [[nodiscard]] cl_int enqueue_unmap(cl_command_queue queue) noexcept;

  private:
    cl_mem mem_ = nullptr;
    uint8_t* memory_;
    size_t size_;
    bool mapped_ = false;
};

enum class ZeroCopy { proven, unproven, no };
[[nodiscard]] const char* name_of(ZeroCopy zero_copy);

/// What two checks on the very buffer found.
struct TransportProof {
    bool correct = false;  ///< each side read the other's pattern through map and unmap
    ZeroCopy zero_copy = ZeroCopy::no;
    std::string reason;  ///< why not correct, or why not proven; empty otherwise
};

/// The two kernels of kernels/ep/pattern.cl, built for the queue's device:
///   write(buffer, words, seed)                     word i = pattern(i, seed)
///   compare(buffer, words, seed, mismatches)       one uint per work-item
struct PatternKernels {
    cl_kernel write = nullptr;
    cl_kernel compare = nullptr;
};

/// Correct: patterns written on each side are read on the other through map and unmap. Aliased: the
/// kernel writes, the queue is finished, and our own pointer is read before any map, then the
/// reverse; only this tells a shadow copy, since OpenCL promises the mapped pointer either way. On
/// a dma-buf every access of the CPU is announced. `memory` is the buffer's. Blocks on the queue,
/// so never on the loop thread. Leaves the buffer mapped, zeroed. Throws GpuBufferError when a call
/// fails.
[[nodiscard]] TransportProof prove(GpuBuffer& buffer, const FrameMemory& memory, cl_context context,
                                   cl_command_queue queue, const PatternKernels& kernels);

}  // namespace glint::zero_copy
