#include "tests/layer/compiler/known_limits.hpp"

namespace glint::layer {
namespace {

/// i.MX6Q: 512 instructions is all there is.
CompilerLimits gc2000() {
    return {.device = "GC2000",
            .c_version = 110,
            .extensions = {"cl_khr_byte_addressable_store"},
            .embedded_profile = true,
            .old_front_end = true,
            .max_instructions = 512,
            .max_registers = 64,
            .scalar_int = true};
}

/// i.MX8MQ: instructions run from memory, so that their number is not limited.
CompilerLimits gc7000l() {
    return {
        .device = "GC7000L",
        .c_version = 120,
        .extensions = {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
                       "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
                       "cl_khr_local_int32_extended_atomics"},
        .int64 = true,  // full profile
        .images = true,
        .image_writes = true,
        .max_registers = 64};
}

}  // namespace

std::optional<CompilerLimits> known_limits(std::string_view device) {
    if (device == "gc2000") return gc2000();
    if (device == "gc7000l") return gc7000l();
    return std::nullopt;
}

}  // namespace glint::layer
