#include "tests/layer/compiler/advice.hpp"

#include <fmt/format.h>

#include "tests/layer/compiler/options.hpp"

namespace glint::layer::compiler {
namespace {

std::string no_declaration(std::string_view name) {
    return fmt::format("'{}' hasn't the corresponding declaration", name);
}

}  // namespace

Finding missing_atomic(uint32_t line, std::string_view name, bool local, std::string_view extension,
                       const CompilerLimits& limits) {
    const std::string_view memory = local ? "local" : "global";
    return {.line = line,
            .subject = std::string(name),
            .vendor = no_declaration(name),
            .reason = fmt::format("{} has no such atomics on {} memory: '{}' needs {}; let each "
                                  "work-item write results of its own and add them up in a second "
                                  "kernel",
                                  limits.device, memory, name, extension)};
}

Finding missing_type(uint32_t line, std::string_view type, const CompilerLimits& limits) {
    const std::string_view instead =
        type == "long"     ? "split the value into two uint, or scale it to 32 bits"
        : type == "double" ? "use float"
                           : "compute in float; vload_half and vstore_half convert";
    return {.line = line,
            .subject = std::string(type),
            .vendor = fmt::format("type '{}' is not supported", type),
            .reason = fmt::format("{} has no {} arithmetic: {}", limits.device,
                                  type == "long" ? "64-bit integer" : type, instead)};
}

Finding missing_image(uint32_t line, std::string_view name, const CompilerLimits& limits) {
    const bool writes = limits.images;  // then only writing is what it lacks
    return {.line = line,
            .subject = std::string(name),
            .vendor = no_declaration(name),
            .reason = fmt::format("{} {}: '{}' is not there; use a buffer", limits.device,
                                  writes ? "cannot write images" : "has no images", name)};
}

Finding undeclared(uint32_t line, std::string_view name, const CompilerLimits& limits) {
    if (name.starts_with("atom_") || name.starts_with("atomic_")) {
        return missing_atomic(line, name, false, "an extension that is not there", limits);
    }
    std::string reason =
        name == "printf"
            ? fmt::format(
                  "printf needs OpenCL C 1.2, and this is built for {} as at most {}: "
                  "write values into a buffer",
                  limits.device, version_text(limits.c_version))
            : fmt::format(
                  "nothing declares '{}' in the OpenCL C that {} gets to see: check the "
                  "name, -cl-std and extensions",
                  name, limits.device);
    return {.line = line,
            .subject = std::string(name),
            .vendor = no_declaration(name),
            .reason = std::move(reason)};
}

}  // namespace glint::layer::compiler
