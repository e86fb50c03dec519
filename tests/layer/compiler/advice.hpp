// The sentences about what a device lacks: the same whether clang or the IR gave it away.
#pragma once

#include <string>
#include <string_view>

#include "tests/layer/compiler/compiler.hpp"
#include "tests/layer/compiler/finding.hpp"

namespace glint::layer::compiler {

[[nodiscard]] Finding missing_atomic(uint32_t line, std::string_view name, bool local,
                                     std::string_view extension, const CompilerLimits& limits);
/// "long", "double" or "half".
[[nodiscard]] Finding missing_type(uint32_t line, std::string_view type,
                                   const CompilerLimits& limits);
[[nodiscard]] Finding missing_image(uint32_t line, std::string_view name,
                                    const CompilerLimits& limits);
/// A name that nothing declares, or that comes with a later OpenCL C.
[[nodiscard]] Finding undeclared(uint32_t line, std::string_view name,
                                 const CompilerLimits& limits);

}  // namespace glint::layer::compiler
