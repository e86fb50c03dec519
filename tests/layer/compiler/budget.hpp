// An estimate of the instructions and registers that a kernel takes on a small Vivante GPU.
//
// Counted on optimized LLVM IR, everything inlined. One instruction: a branch, an arithmetic
// operation on up to float_width float components, one on up to four integer components or, where
// integers are scalar, on one; a load or store of up to one register (16 bytes; four char or short,
// which are stored unpacked). Nothing: constants and kernel arguments (uniforms), swizzles of one
// source, casts of addresses, comparisons that only a branch or a selection asks for (those compare
// themselves), phis (their values share a register), address offsets that are constant.
// Built-in functions have a table (builtins.cpp).
//
// Registers: the peak of live values in the order of the blocks; what is used in a loop and made
// before it lives to the loop's end. Scalars and pairs are packed into registers of four
// components, and vectors of three take four; private arrays that the optimizer leaves take a
// component per element, char and short too.
//
// Left out: moves that the vendor's compiler adds, its unrolling of loops, integer multiply-add in
// one instruction, the limit on constants, spilling, registers lost to alignment, and all that its
// optimizer does worse or better than LLVM's. Near a limit the answer may be wrong either way.
#pragma once

#include <string_view>
#include <vector>

#include "tests/layer/compiler/compiler.hpp"
#include "tests/layer/compiler/ir.hpp"

namespace glint::layer::compiler {

/// Of each kernel, in the order of the program.
[[nodiscard]] std::vector<KernelCost> kernel_costs(const ir::Module& optimized,
                                                   const CompilerLimits& limits);

[[nodiscard]] uint32_t registers_of(const ir::Function& function);

}  // namespace glint::layer::compiler
