// What can be asked of a device and of a platform, by number and by name.
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glint::layer {

enum class Type { text, uint32, uint64, size, sizes, boolean, bits };

struct Parameter {
    cl_uint number;         ///< CL_DEVICE_NAME or CL_PLATFORM_NAME, say
    std::string_view name;  ///< "CL_DEVICE_NAME"
    Type type;
    unsigned version;  ///< OpenCL version that brought it
};

/// Every device query of OpenCL 1.0 to 1.2.
[[nodiscard]] std::span<const Parameter> device_parameters();
[[nodiscard]] std::span<const Parameter> platform_parameters();

/// The key of the tables: "CL_DEVICE_MAX_SAMPLERS" is "max_samplers", "CL_DRIVER_VERSION"
/// "driver_version", "CL_PLATFORM_NAME" "platform_name".
[[nodiscard]] std::string key_of(const Parameter& parameter);

using Bytes = std::vector<uint8_t>;

/// As OpenCL hands it out. A text gets its terminating zero.
[[nodiscard]] Bytes to_bytes(std::string_view text);
[[nodiscard]] Bytes to_bytes(Type type, uint64_t number);
[[nodiscard]] Bytes to_bytes(std::span<const uint64_t> sizes);

/// "CL_FP_INF_NAN | CL_FP_ROUND_TO_ZERO"; nothing for a name that is not known.
[[nodiscard]] std::optional<uint64_t> parse_bits(std::string_view names);

/// Copies a value out with the checks of clGet...Info.
[[nodiscard]] cl_int hand_out(const Bytes& value, size_t size, void* to, size_t* size_ret);

/// "CL_OUT_OF_RESOURCES" for -5; the number for one that is not known.
[[nodiscard]] std::string error_name(cl_int code);
[[nodiscard]] std::optional<cl_int> find_error(std::string_view name);

}  // namespace glint::layer
