// Every core function of the loader's table with the OpenCL version that brought it.
#pragma once

#include <CL/cl_icd.h>

#include <array>
#include <optional>
#include <string_view>

#define GLINT_LAYER_FUNCTIONS(X)                     \
    X(clGetPlatformIDs, 100)                         \
    X(clGetPlatformInfo, 100)                        \
    X(clGetDeviceIDs, 100)                           \
    X(clGetDeviceInfo, 100)                          \
    X(clCreateContext, 100)                          \
    X(clCreateContextFromType, 100)                  \
    X(clRetainContext, 100)                          \
    X(clReleaseContext, 100)                         \
    X(clGetContextInfo, 100)                         \
    X(clCreateCommandQueue, 100)                     \
    X(clRetainCommandQueue, 100)                     \
    X(clReleaseCommandQueue, 100)                    \
    X(clGetCommandQueueInfo, 100)                    \
    X(clSetCommandQueueProperty, 100)                \
    X(clCreateBuffer, 100)                           \
    X(clCreateImage2D, 100)                          \
    X(clCreateImage3D, 100)                          \
    X(clRetainMemObject, 100)                        \
    X(clReleaseMemObject, 100)                       \
    X(clGetSupportedImageFormats, 100)               \
    X(clGetMemObjectInfo, 100)                       \
    X(clGetImageInfo, 100)                           \
    X(clCreateSampler, 100)                          \
    X(clRetainSampler, 100)                          \
    X(clReleaseSampler, 100)                         \
    X(clGetSamplerInfo, 100)                         \
    X(clCreateProgramWithSource, 100)                \
    X(clCreateProgramWithBinary, 100)                \
    X(clRetainProgram, 100)                          \
    X(clReleaseProgram, 100)                         \
    X(clBuildProgram, 100)                           \
    X(clUnloadCompiler, 100)                         \
    X(clGetProgramInfo, 100)                         \
    X(clGetProgramBuildInfo, 100)                    \
    X(clCreateKernel, 100)                           \
    X(clCreateKernelsInProgram, 100)                 \
    X(clRetainKernel, 100)                           \
    X(clReleaseKernel, 100)                          \
    X(clSetKernelArg, 100)                           \
    X(clGetKernelInfo, 100)                          \
    X(clGetKernelWorkGroupInfo, 100)                 \
    X(clWaitForEvents, 100)                          \
    X(clGetEventInfo, 100)                           \
    X(clRetainEvent, 100)                            \
    X(clReleaseEvent, 100)                           \
    X(clGetEventProfilingInfo, 100)                  \
    X(clFlush, 100)                                  \
    X(clFinish, 100)                                 \
    X(clEnqueueReadBuffer, 100)                      \
    X(clEnqueueWriteBuffer, 100)                     \
    X(clEnqueueCopyBuffer, 100)                      \
    X(clEnqueueReadImage, 100)                       \
    X(clEnqueueWriteImage, 100)                      \
    X(clEnqueueCopyImage, 100)                       \
    X(clEnqueueCopyImageToBuffer, 100)               \
    X(clEnqueueCopyBufferToImage, 100)               \
    X(clEnqueueMapBuffer, 100)                       \
    X(clEnqueueMapImage, 100)                        \
    X(clEnqueueUnmapMemObject, 100)                  \
    X(clEnqueueNDRangeKernel, 100)                   \
    X(clEnqueueTask, 100)                            \
    X(clEnqueueNativeKernel, 100)                    \
    X(clEnqueueMarker, 100)                          \
    X(clEnqueueWaitForEvents, 100)                   \
    X(clEnqueueBarrier, 100)                         \
    X(clGetExtensionFunctionAddress, 100)            \
    X(clSetEventCallback, 110)                       \
    X(clCreateSubBuffer, 110)                        \
    X(clSetMemObjectDestructorCallback, 110)         \
    X(clCreateUserEvent, 110)                        \
    X(clSetUserEventStatus, 110)                     \
    X(clEnqueueReadBufferRect, 110)                  \
    X(clEnqueueWriteBufferRect, 110)                 \
    X(clEnqueueCopyBufferRect, 110)                  \
    X(clCreateSubDevices, 120)                       \
    X(clRetainDevice, 120)                           \
    X(clReleaseDevice, 120)                          \
    X(clCreateImage, 120)                            \
    X(clCreateProgramWithBuiltInKernels, 120)        \
    X(clCompileProgram, 120)                         \
    X(clLinkProgram, 120)                            \
    X(clUnloadPlatformCompiler, 120)                 \
    X(clGetKernelArgInfo, 120)                       \
    X(clEnqueueFillBuffer, 120)                      \
    X(clEnqueueFillImage, 120)                       \
    X(clEnqueueMigrateMemObjects, 120)               \
    X(clEnqueueMarkerWithWaitList, 120)              \
    X(clEnqueueBarrierWithWaitList, 120)             \
    X(clGetExtensionFunctionAddressForPlatform, 120) \
    X(clCreateCommandQueueWithProperties, 200)       \
    X(clCreatePipe, 200)                             \
    X(clGetPipeInfo, 200)                            \
    X(clSVMAlloc, 200)                               \
    X(clSVMFree, 200)                                \
    X(clEnqueueSVMFree, 200)                         \
    X(clEnqueueSVMMemcpy, 200)                       \
    X(clEnqueueSVMMemFill, 200)                      \
    X(clEnqueueSVMMap, 200)                          \
    X(clEnqueueSVMUnmap, 200)                        \
    X(clCreateSamplerWithProperties, 200)            \
    X(clSetKernelArgSVMPointer, 200)                 \
    X(clSetKernelExecInfo, 200)                      \
    X(clCloneKernel, 210)                            \
    X(clCreateProgramWithIL, 210)                    \
    X(clEnqueueSVMMigrateMem, 210)                   \
    X(clGetDeviceAndHostTimer, 210)                  \
    X(clGetHostTimer, 210)                           \
    X(clGetKernelSubGroupInfo, 210)                  \
    X(clSetDefaultDeviceCommandQueue, 210)           \
    X(clSetProgramReleaseCallback, 220)              \
    X(clSetProgramSpecializationConstant, 220)       \
    X(clCreateBufferWithProperties, 300)             \
    X(clCreateImageWithProperties, 300)              \
    X(clSetContextDestructorCallback, 300)

namespace glint::layer {

enum class Function : size_t {
#define X(name, version) name,
    GLINT_LAYER_FUNCTIONS(X)
#undef X
};

struct FunctionInfo {
    std::string_view name;
    unsigned version;  ///< 110 is OpenCL 1.1
};

inline constexpr std::array functions{
#define X(name, version) FunctionInfo{#name, version},
    GLINT_LAYER_FUNCTIONS(X)
#undef X
};

[[nodiscard]] constexpr const FunctionInfo& info_of(Function function) {
    return functions[static_cast<size_t>(function)];
}

[[nodiscard]] constexpr std::optional<Function> find_function(std::string_view name) {
    for (size_t i = 0; i < functions.size(); ++i) {
        if (functions[i].name == name) return static_cast<Function>(i);
    }
    return std::nullopt;
}

}  // namespace glint::layer
