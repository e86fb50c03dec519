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

DeviceTimes Device::times_of(const Events& events) {
    DeviceTimes times;
    for (const gpu::EventHandle& event : events) {
        const cl_event raw = event.get();
        cl_ulong start = 0;
        cl_ulong end = 0;
        cl_command_type command = 0;
        check(
            clGetEventProfilingInfo(raw, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
            "clGetEventProfilingInfo");
        check(clGetEventProfilingInfo(raw, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
              "clGetEventProfilingInfo");
        check(clGetEventInfo(raw, CL_EVENT_COMMAND_TYPE, sizeof command, &command, nullptr),
              "clGetEventInfo");
        const double seconds = static_cast<double>(end - start) * 1e-9;
        (command == CL_COMMAND_NDRANGE_KERNEL ? times.kernels : times.transfers) += seconds;
    }
    return times;
}

}  // namespace glint::bench
