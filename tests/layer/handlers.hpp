// The functions in which the layer does more than count; everything else goes straight through.
#pragma once

#include <CL/cl_icd.h>

#include <type_traits>

#define GLINT_LAYER_HANDLED(X)                  \
    /* device.cpp */                            \
    X(clGetPlatformIDs)                         \
    X(clGetPlatformInfo)                        \
    X(clGetDeviceIDs)                           \
    X(clGetDeviceInfo)                          \
    X(clCreateContext)                          \
    X(clCreateContextFromType)                  \
    X(clCreateCommandQueue)                     \
    X(clCreateCommandQueueWithProperties)       \
    X(clCreateSubDevices)                       \
    X(clGetExtensionFunctionAddress)            \
    X(clGetExtensionFunctionAddressForPlatform) \
    /* references.cpp */                        \
    X(clRetainContext)                          \
    X(clReleaseContext)                         \
    X(clRetainCommandQueue)                     \
    X(clReleaseCommandQueue)                    \
    X(clRetainMemObject)                        \
    X(clReleaseMemObject)                       \
    X(clRetainSampler)                          \
    X(clReleaseSampler)                         \
    X(clRetainProgram)                          \
    X(clReleaseProgram)                         \
    X(clRetainKernel)                           \
    X(clReleaseKernel)                          \
    X(clRetainEvent)                            \
    X(clReleaseEvent)                           \
    /* program.cpp */                           \
    X(clCreateProgramWithSource)                \
    X(clCreateProgramWithBinary)                \
    X(clBuildProgram)                           \
    X(clCompileProgram)                         \
    X(clGetProgramBuildInfo)                    \
    X(clCreateKernel)                           \
    X(clCreateKernelsInProgram)                 \
    /* memory.cpp */                            \
    X(clCreateBuffer)                           \
    X(clCreateSubBuffer)                        \
    X(clGetMemObjectInfo)                       \
    X(clEnqueueReadBuffer)                      \
    X(clEnqueueWriteBuffer)                     \
    X(clEnqueueCopyBuffer)                      \
    X(clEnqueueReadBufferRect)                  \
    X(clEnqueueWriteBufferRect)                 \
    X(clEnqueueCopyBufferRect)                  \
    X(clEnqueueFillBuffer)                      \
    /* map.cpp */                               \
    X(clEnqueueMapBuffer)                       \
    X(clEnqueueMapImage)                        \
    X(clEnqueueUnmapMemObject)                  \
    /* image.cpp */                             \
    X(clCreateImage2D)                          \
    X(clCreateImage3D)                          \
    X(clCreateImage)                            \
    X(clGetSupportedImageFormats)               \
    /* launch.cpp */                            \
    X(clSetKernelArg)                           \
    X(clGetKernelWorkGroupInfo)                 \
    X(clEnqueueNDRangeKernel)                   \
    X(clEnqueueTask)                            \
    X(clEnqueueNativeKernel)                    \
    /* event.cpp */                             \
    X(clGetEventInfo)                           \
    X(clSetEventCallback)

namespace glint::layer {

#define X(name) std::remove_pointer_t<cl_api_##name> on_##name;
GLINT_LAYER_HANDLED(X)
#undef X

}  // namespace glint::layer
