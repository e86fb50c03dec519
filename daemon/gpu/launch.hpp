// What every kind of launch needs.
#pragma once

#include <vector>

#include "daemon/gpu/frame_image.hpp"
#include "daemon/gpu/group_shares.hpp"
#include "daemon/gpu/opencl.hpp"

namespace glint::gpu {

constexpr size_t round_up(size_t value, size_t multiple) {
    return divide_up(value, multiple) * multiple;
}

/// Throws ClError.
[[nodiscard]] MemHandle make_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                    void* contents = nullptr);

/// What kernels only read. Throws ClError.
template <typename T>
[[nodiscard]] MemHandle make_constant(cl_context context, const std::vector<T>& contents) {
    // OpenCL 1.1 takes a pointer to what it only reads without const.
    return make_buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                       contents.size() * sizeof(T), const_cast<T*>(contents.data()));
}

/// Enqueues a kernel whose arguments are set. Throws ClError.
void run(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* global,
         const size_t* local, Events* events);

}  // namespace glint::gpu
