#include "tests/layer/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace glint::layer {
namespace {

#define GLINT_PARAMETER(name, type, version) \
    Parameter {                              \
        name, #name, Type::type, version     \
    }
constexpr std::array device_table{
    GLINT_PARAMETER(CL_DEVICE_TYPE, bits, 100),
    GLINT_PARAMETER(CL_DEVICE_VENDOR_ID, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_COMPUTE_UNITS, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_WORK_GROUP_SIZE, size, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, 100),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_CLOCK_FREQUENCY, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_ADDRESS_BITS, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_READ_IMAGE_ARGS, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_MEM_ALLOC_SIZE, uint64, 100),
    GLINT_PARAMETER(CL_DEVICE_IMAGE2D_MAX_WIDTH, size, 100),
    GLINT_PARAMETER(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size, 100),
    GLINT_PARAMETER(CL_DEVICE_IMAGE3D_MAX_WIDTH, size, 100),
    GLINT_PARAMETER(CL_DEVICE_IMAGE3D_MAX_HEIGHT, size, 100),
    GLINT_PARAMETER(CL_DEVICE_IMAGE3D_MAX_DEPTH, size, 100),
    GLINT_PARAMETER(CL_DEVICE_IMAGE_SUPPORT, boolean, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_PARAMETER_SIZE, size, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_SAMPLERS, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MEM_BASE_ADDR_ALIGN, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_SINGLE_FP_CONFIG, bits, 100),
    GLINT_PARAMETER(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, uint64, 100),
    GLINT_PARAMETER(CL_DEVICE_GLOBAL_MEM_SIZE, uint64, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, uint64, 100),
    GLINT_PARAMETER(CL_DEVICE_MAX_CONSTANT_ARGS, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_LOCAL_MEM_TYPE, uint32, 100),
    GLINT_PARAMETER(CL_DEVICE_LOCAL_MEM_SIZE, uint64, 100),
    GLINT_PARAMETER(CL_DEVICE_ERROR_CORRECTION_SUPPORT, boolean, 100),
    GLINT_PARAMETER(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size, 100),
    GLINT_PARAMETER(CL_DEVICE_ENDIAN_LITTLE, boolean, 100),
    GLINT_PARAMETER(CL_DEVICE_AVAILABLE, boolean, 100),
    GLINT_PARAMETER(CL_DEVICE_COMPILER_AVAILABLE, boolean, 100),
    GLINT_PARAMETER(CL_DEVICE_EXECUTION_CAPABILITIES, bits, 100),
    GLINT_PARAMETER(CL_DEVICE_QUEUE_PROPERTIES, bits, 100),
    GLINT_PARAMETER(CL_DEVICE_NAME, text, 100),
    GLINT_PARAMETER(CL_DEVICE_VENDOR, text, 100),
    GLINT_PARAMETER(CL_DRIVER_VERSION, text, 100),
    GLINT_PARAMETER(CL_DEVICE_PROFILE, text, 100),
    GLINT_PARAMETER(CL_DEVICE_VERSION, text, 100),
    GLINT_PARAMETER(CL_DEVICE_EXTENSIONS, text, 100),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_HOST_UNIFIED_MEMORY, boolean, 110),
    GLINT_PARAMETER(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, uint32, 110),
    GLINT_PARAMETER(CL_DEVICE_OPENCL_C_VERSION, text, 110),
    GLINT_PARAMETER(CL_DEVICE_LINKER_AVAILABLE, boolean, 120),
    GLINT_PARAMETER(CL_DEVICE_DOUBLE_FP_CONFIG, bits, 120),
    GLINT_PARAMETER(CL_DEVICE_HALF_FP_CONFIG, bits, 120),
    GLINT_PARAMETER(CL_DEVICE_BUILT_IN_KERNELS, text, 120),
    GLINT_PARAMETER(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size, 120),
    GLINT_PARAMETER(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size, 120),
    GLINT_PARAMETER(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, uint32, 120),
    GLINT_PARAMETER(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, boolean, 120),
    GLINT_PARAMETER(CL_DEVICE_PRINTF_BUFFER_SIZE, size, 120),
};
constexpr std::array platform_table{
    GLINT_PARAMETER(CL_PLATFORM_PROFILE, text, 100),
    GLINT_PARAMETER(CL_PLATFORM_VERSION, text, 100),
    GLINT_PARAMETER(CL_PLATFORM_NAME, text, 100),
    GLINT_PARAMETER(CL_PLATFORM_VENDOR, text, 100),
    GLINT_PARAMETER(CL_PLATFORM_EXTENSIONS, text, 100),
};
#undef GLINT_PARAMETER

struct Named {
    std::string_view name;
    uint64_t value;
};
#define GLINT_NAMED(name)                    \
    Named {                                  \
#name, static_cast < uint64_t>(name) \
    }
constexpr std::array bit_names{
    GLINT_NAMED(CL_DEVICE_TYPE_DEFAULT),
    GLINT_NAMED(CL_DEVICE_TYPE_CPU),
    GLINT_NAMED(CL_DEVICE_TYPE_GPU),
    GLINT_NAMED(CL_DEVICE_TYPE_ACCELERATOR),
    GLINT_NAMED(CL_DEVICE_TYPE_CUSTOM),
    GLINT_NAMED(CL_FP_DENORM),
    GLINT_NAMED(CL_FP_INF_NAN),
    GLINT_NAMED(CL_FP_ROUND_TO_NEAREST),
    GLINT_NAMED(CL_FP_ROUND_TO_ZERO),
    GLINT_NAMED(CL_FP_ROUND_TO_INF),
    GLINT_NAMED(CL_FP_FMA),
    GLINT_NAMED(CL_FP_SOFT_FLOAT),
    GLINT_NAMED(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
    GLINT_NAMED(CL_NONE),
    GLINT_NAMED(CL_READ_ONLY_CACHE),
    GLINT_NAMED(CL_READ_WRITE_CACHE),
    GLINT_NAMED(CL_LOCAL),
    GLINT_NAMED(CL_GLOBAL),
    GLINT_NAMED(CL_EXEC_KERNEL),
    GLINT_NAMED(CL_EXEC_NATIVE_KERNEL),
    GLINT_NAMED(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
    GLINT_NAMED(CL_QUEUE_PROFILING_ENABLE),
    GLINT_NAMED(CL_TRUE),
    GLINT_NAMED(CL_FALSE),
};
#undef GLINT_NAMED

struct Error {
    std::string_view name;
    cl_int code;
};
#define GLINT_ERROR(name) \
    Error {               \
#name, name       \
    }
constexpr std::array errors{
    GLINT_ERROR(CL_DEVICE_NOT_FOUND),
    GLINT_ERROR(CL_DEVICE_NOT_AVAILABLE),
    GLINT_ERROR(CL_COMPILER_NOT_AVAILABLE),
    GLINT_ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    GLINT_ERROR(CL_OUT_OF_RESOURCES),
    GLINT_ERROR(CL_OUT_OF_HOST_MEMORY),
    GLINT_ERROR(CL_PROFILING_INFO_NOT_AVAILABLE),
    GLINT_ERROR(CL_MEM_COPY_OVERLAP),
    GLINT_ERROR(CL_IMAGE_FORMAT_MISMATCH),
    GLINT_ERROR(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    GLINT_ERROR(CL_BUILD_PROGRAM_FAILURE),
    GLINT_ERROR(CL_MAP_FAILURE),
    GLINT_ERROR(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    GLINT_ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    GLINT_ERROR(CL_COMPILE_PROGRAM_FAILURE),
    GLINT_ERROR(CL_LINKER_NOT_AVAILABLE),
    GLINT_ERROR(CL_LINK_PROGRAM_FAILURE),
    GLINT_ERROR(CL_DEVICE_PARTITION_FAILED),
    GLINT_ERROR(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    GLINT_ERROR(CL_INVALID_VALUE),
    GLINT_ERROR(CL_INVALID_DEVICE_TYPE),
    GLINT_ERROR(CL_INVALID_PLATFORM),
    GLINT_ERROR(CL_INVALID_DEVICE),
    GLINT_ERROR(CL_INVALID_CONTEXT),
    GLINT_ERROR(CL_INVALID_QUEUE_PROPERTIES),
    GLINT_ERROR(CL_INVALID_COMMAND_QUEUE),
    GLINT_ERROR(CL_INVALID_HOST_PTR),
    GLINT_ERROR(CL_INVALID_MEM_OBJECT),
    GLINT_ERROR(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    GLINT_ERROR(CL_INVALID_IMAGE_SIZE),
    GLINT_ERROR(CL_INVALID_SAMPLER),
    GLINT_ERROR(CL_INVALID_BINARY),
    GLINT_ERROR(CL_INVALID_BUILD_OPTIONS),
    GLINT_ERROR(CL_INVALID_PROGRAM),
    GLINT_ERROR(CL_INVALID_PROGRAM_EXECUTABLE),
    GLINT_ERROR(CL_INVALID_KERNEL_NAME),
    GLINT_ERROR(CL_INVALID_KERNEL_DEFINITION),
    GLINT_ERROR(CL_INVALID_KERNEL),
    GLINT_ERROR(CL_INVALID_ARG_INDEX),
    GLINT_ERROR(CL_INVALID_ARG_VALUE),
    GLINT_ERROR(CL_INVALID_ARG_SIZE),
    GLINT_ERROR(CL_INVALID_KERNEL_ARGS),
    GLINT_ERROR(CL_INVALID_WORK_DIMENSION),
    GLINT_ERROR(CL_INVALID_WORK_GROUP_SIZE),
    GLINT_ERROR(CL_INVALID_WORK_ITEM_SIZE),
    GLINT_ERROR(CL_INVALID_GLOBAL_OFFSET),
    GLINT_ERROR(CL_INVALID_EVENT_WAIT_LIST),
    GLINT_ERROR(CL_INVALID_EVENT),
    GLINT_ERROR(CL_INVALID_OPERATION),
    GLINT_ERROR(CL_INVALID_GL_OBJECT),
    GLINT_ERROR(CL_INVALID_BUFFER_SIZE),
    GLINT_ERROR(CL_INVALID_MIP_LEVEL),
    GLINT_ERROR(CL_INVALID_GLOBAL_WORK_SIZE),
    GLINT_ERROR(CL_INVALID_PROPERTY),
    GLINT_ERROR(CL_INVALID_IMAGE_DESCRIPTOR),
    GLINT_ERROR(CL_INVALID_COMPILER_OPTIONS),
    GLINT_ERROR(CL_INVALID_LINKER_OPTIONS),
    GLINT_ERROR(CL_INVALID_DEVICE_PARTITION_COUNT),
    GLINT_ERROR(CL_INVALID_PIPE_SIZE),
    GLINT_ERROR(CL_INVALID_DEVICE_QUEUE),
    GLINT_ERROR(CL_INVALID_SPEC_ID),
    GLINT_ERROR(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
    Error{"CL_NOT_ALIGNED", -1143},  // newer Vivante headers
};
#undef GLINT_ERROR

template <typename T>
Bytes bytes_of(T value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

std::span<const Parameter> device_parameters() {
    return device_table;
}

std::span<const Parameter> platform_parameters() {
    return platform_table;
}

std::string key_of(const Parameter& parameter) {
    std::string_view name = parameter.name.substr(std::string_view("CL_").size());
    constexpr std::string_view device = "DEVICE_";
    if (name.starts_with(device)) name.remove_prefix(device.size());
    std::string key(name);
    for (char& c : key) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return key;
}

Bytes to_bytes(std::string_view text) {
    Bytes bytes(text.begin(), text.end());
    bytes.push_back(0);
    return bytes;
}

Bytes to_bytes(Type type, uint64_t number) {
    switch (type) {
        case Type::uint32:
        case Type::boolean:
            return bytes_of(static_cast<cl_uint>(number));
        case Type::size:
            return bytes_of(static_cast<size_t>(number));
        default:
            return bytes_of(number);
    }
}

Bytes to_bytes(std::span<const uint64_t> sizes) {
    Bytes bytes;
    for (const uint64_t size : sizes) {
        const Bytes one = bytes_of(static_cast<size_t>(size));
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

std::optional<uint64_t> parse_bits(std::string_view names) {
    uint64_t result = 0;
    while (!trimmed(names).empty()) {
        const size_t bar = std::min(names.find('|'), names.size());
        const std::string_view name = trimmed(names.substr(0, bar));
        const auto found = std::ranges::find(bit_names, name, &Named::name);
        if (found == bit_names.end()) return std::nullopt;
        result |= found->value;
        names.remove_prefix(std::min(bar + 1, names.size()));
    }
    return result;
}

cl_int hand_out(const Bytes& value, size_t size, void* to, size_t* size_ret) {
    if (to != nullptr && size < value.size()) return CL_INVALID_VALUE;
    if (to != nullptr) std::memcpy(to, value.data(), value.size());
    if (size_ret != nullptr) *size_ret = value.size();
    return CL_SUCCESS;
}

std::string error_name(cl_int code) {
    const auto found = std::ranges::find(errors, code, &Error::code);
    return found != errors.end() ? std::string(found->name) : fmt::format("{}", code);
}

std::optional<cl_int> find_error(std::string_view name) {
    const auto found = std::ranges::find(errors, name, &Error::name);
    if (found == errors.end()) return std::nullopt;
    return found->code;
}

}  // namespace glint::layer
