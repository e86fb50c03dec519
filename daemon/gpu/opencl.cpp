#include "daemon/gpu/opencl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace glint::gpu {
namespace {

struct CodeName {
    cl_int code;
    std::string_view name;
};

#define GLINT_CODE(name) \
    CodeName {           \
        name, #name      \
    }
constexpr std::array codes{
    GLINT_CODE(CL_DEVICE_NOT_FOUND),
    GLINT_CODE(CL_DEVICE_NOT_AVAILABLE),
    GLINT_CODE(CL_COMPILER_NOT_AVAILABLE),
    GLINT_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    GLINT_CODE(CL_OUT_OF_RESOURCES),
    GLINT_CODE(CL_OUT_OF_HOST_MEMORY),
    GLINT_CODE(CL_MEM_COPY_OVERLAP),
    GLINT_CODE(CL_BUILD_PROGRAM_FAILURE),
    GLINT_CODE(CL_MAP_FAILURE),
    GLINT_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    GLINT_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    GLINT_CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    GLINT_CODE(CL_INVALID_VALUE),
    GLINT_CODE(CL_INVALID_DEVICE),
    GLINT_CODE(CL_INVALID_CONTEXT),
    GLINT_CODE(CL_INVALID_COMMAND_QUEUE),
    GLINT_CODE(CL_INVALID_HOST_PTR),
    GLINT_CODE(CL_INVALID_MEM_OBJECT),
    GLINT_CODE(CL_INVALID_BINARY),
    GLINT_CODE(CL_INVALID_BUILD_OPTIONS),
    GLINT_CODE(CL_INVALID_PROGRAM),
    GLINT_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    GLINT_CODE(CL_INVALID_KERNEL_NAME),
    GLINT_CODE(CL_INVALID_KERNEL),
    GLINT_CODE(CL_INVALID_ARG_VALUE),
    GLINT_CODE(CL_INVALID_ARG_SIZE),
    GLINT_CODE(CL_INVALID_KERNEL_ARGS),
    GLINT_CODE(CL_INVALID_WORK_GROUP_SIZE),
    GLINT_CODE(CL_INVALID_WORK_ITEM_SIZE),
    GLINT_CODE(CL_INVALID_GLOBAL_OFFSET),
    GLINT_CODE(CL_INVALID_EVENT),
    GLINT_CODE(CL_INVALID_OPERATION),
    GLINT_CODE(CL_INVALID_BUFFER_SIZE),
    GLINT_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    // Extensions: the ICD loader found no platform; the Vivante driver wants aligned memory.
    CodeName{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    CodeName{-1143, "CL_NOT_ALIGNED"},
};
#undef GLINT_CODE

}  // namespace

std::string error_name(cl_int code) {
    const auto* found = std::ranges::find(codes, code, &CodeName::code);
    return found == codes.end() ? fmt::format("OpenCL error {}", code)
                                : fmt::format("{} ({})", found->name, code);
}

ClError::ClError(std::string_view call, cl_int code)
    : std::runtime_error(fmt::format("{} failed: {}", call, error_name(code))), code_(code) {}

}  // namespace glint::gpu
