// OpenCL C's built-in functions, as the IR calls them: by mangled name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tests/layer/compiler/compiler.hpp"
#include "tests/layer/compiler/ir.hpp"

namespace glint::layer::compiler {

/// "atomic_inc" of "_Z10atomic_incPU3AS3Vj"; empty if it is not mangled so.
[[nodiscard]] std::string_view plain_name(std::string_view mangled);

/// What an atomic function needs of a device.
struct AtomicNeed {
    std::string_view extension;
    bool local = false;
};

/// The extensions that bring an atomic function, one per memory.
struct AtomicExtensions {
    std::string_view global;
    std::string_view local;
};
[[nodiscard]] std::optional<AtomicExtensions> atomic_need_of_name(std::string_view name);

/// Of an atomic_* or atom_* call; none for other functions and for OpenCL C 2.0's atomics.
[[nodiscard]] std::optional<AtomicNeed> atomic_need(std::string_view mangled);

/// Instructions that one arithmetic operation on a value of this type takes.
[[nodiscard]] uint32_t operation_cost(const ir::Type& type, const CompilerLimits& limits);

/// Instructions of a call of a built-in function or an LLVM intrinsic.
[[nodiscard]] uint32_t builtin_cost(const ir::Instruction& call, const CompilerLimits& limits);

}  // namespace glint::layer::compiler
