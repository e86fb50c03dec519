#include "tools/bench/device.hpp"

namespace glint::bench {

using gpu::check;

Device::Device(gpu::Device device)
    : context_(std::move(device)),
      queue_(context_.make_queue(true)),
      plain_queue_(context_.make_queue()) {}

gpu::MemHandle Device::buffer(size_t bytes, void* contents) const {
    cl_int code = CL_SUCCESS;
    const cl_mem_flags copy = contents != nullptr ? CL_MEM_COPY_HOST_PTR : 0;
    gpu::MemHandle mem(clCreateBuffer(context_.handle.get(), CL_MEM_READ_WRITE | copy,
                                      zero_copy::align_up(bytes, zero_copy::page_bytes), contents,
                                      &code));
    check(code, "clCreateBuffer");
    return mem;
}

gpu::BuiltProgram Device::build(std::string_view source, const std::vector<const char*>& kernels,
                                const std::string& options) {
    return gpu::build_program(context_, cache_, source, options, kernels);
}

void Device::enqueue(cl_command_queue queue, cl_kernel kernel, const Range& range, Events* events) {
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, range.global, range.local, 0, nullptr,
                                 events == nullptr ? nullptr : &event),
          "clEnqueueNDRangeKernel");
    if (events != nullptr) events->emplace_back(event);
}

double Device::time_of_events(const Events& events) {
    double sum = 0;
    for (const gpu::EventHandle& event : events) {
        cl_ulong start = 0;
        cl_ulong end = 0;
        check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof start, &start,
                                      nullptr),
              "clGetEventProfilingInfo");
        check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end,
                                      nullptr),
              "clGetEventProfilingInfo");
        sum += static_cast<double>(end - start) * 1e-9;
    }
    return sum;
}

}  // namespace glint::bench
