#include "daemon/gpu/launch.hpp"

namespace glint::gpu {

MemHandle make_buffer(cl_context context, cl_mem_flags flags, size_t size, void* contents) {
    cl_int code = CL_SUCCESS;
    MemHandle mem(clCreateBuffer(context, flags, size, contents, &code));
    check(code, "clCreateBuffer");
    return mem;
}

void run(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* global,
         const size_t* local, Events* events) {
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr, global, local, 0, nullptr,
                                 events == nullptr ? nullptr : &event),
          "clEnqueueNDRangeKernel");
    if (events != nullptr) events->emplace_back(event);
}

}  // namespace glint::gpu
