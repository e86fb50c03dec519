// OpenCL handles that release themselves, and errors with names.
#pragma once

#include <CL/cl.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace glint::gpu {

/// "CL_OUT_OF_RESOURCES" and the like; the number for codes the 1.1 headers do not name.
[[nodiscard]] std::string error_name(cl_int code);

/// An OpenCL call failed.
class ClError : public std::runtime_error {
  public:
    ClError(std::string_view call, cl_int code);
    [[nodiscard]] cl_int code() const noexcept { return code_; }

  private:
    cl_int code_;
};

inline void check(cl_int code, std::string_view call) {
    if (code != CL_SUCCESS) throw ClError(call, code);
}

/// Owns one reference.
template <typename T, cl_int(CL_API_CALL* Release)(T)>
class Handle {
  public:
    Handle() = default;
    explicit Handle(T raw) noexcept : raw_(raw) {}
    ~Handle() {
        if (raw_ != nullptr) Release(raw_);
    }
    Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    [[nodiscard]] T get() const noexcept { return raw_; }
    [[nodiscard]] explicit operator bool() const noexcept { return raw_ != nullptr; }

  private:
    T raw_ = nullptr;
};

using ContextHandle = Handle<cl_context, clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, clReleaseCommandQueue>;
using ProgramHandle = Handle<cl_program, clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, clReleaseKernel>;
using MemHandle = Handle<cl_mem, clReleaseMemObject>;
using EventHandle = Handle<cl_event, clReleaseEvent>;

/// Sets arguments 0, 1, 2 ... in order. Throws ClError.
template <typename... Args>
void set_args(cl_kernel kernel, const Args&... args) {
    cl_uint index = 0;
    (check(clSetKernelArg(kernel, index++, sizeof args, &args), "clSetKernelArg"), ...);
}

}  // namespace glint::gpu
