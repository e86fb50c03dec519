// The program's references; the report lists what is left.
#include "tests/layer/handlers.hpp"
#include "tests/layer/layer.hpp"

namespace glint::layer {

#define GLINT_REFERENCES(Kind, handle_type, table)                    \
    cl_int CL_API_CALL on_clRetain##Kind(handle_type handle) {        \
        const cl_int code = target().clRetain##Kind(handle);          \
        if (code == CL_SUCCESS) layer().objects.table.retain(handle); \
        return code;                                                  \
    }                                                                 \
    cl_int CL_API_CALL on_clRelease##Kind(handle_type handle) {       \
        layer().objects.table.release(handle);                        \
        return target().clRelease##Kind(handle);                      \
    }

GLINT_REFERENCES(Context, cl_context, contexts)
GLINT_REFERENCES(CommandQueue, cl_command_queue, queues)
GLINT_REFERENCES(Sampler, cl_sampler, samplers)
GLINT_REFERENCES(Program, cl_program, programs)
GLINT_REFERENCES(Kernel, cl_kernel, kernels)
GLINT_REFERENCES(Event, cl_event, events)

cl_int CL_API_CALL on_clRetainMemObject(cl_mem mem) {
    const cl_int code = target().clRetainMemObject(mem);
    if (code == CL_SUCCESS) layer().objects.mems.retain(mem);
    return code;
}

cl_int CL_API_CALL on_clReleaseMemObject(cl_mem mem) {
    const auto last = layer().objects.mems.release(mem);
    if (last != nullptr) layer().note_unseen(*last);
    return target().clReleaseMemObject(mem);
}

}  // namespace glint::layer
