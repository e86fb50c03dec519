// What a program uses that the played device does not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/layer/compiler/compiler.hpp"
#include "tests/layer/compiler/finding.hpp"
#include "tests/layer/compiler/ir.hpp"
#include "tests/layer/compiler/tokens.hpp"

namespace glint::layer::compiler {

/// Looks through the unoptimized IR: what dead code uses counts too, as a front end would see it.
/// Lines come from the first token of the name.
[[nodiscard]] std::vector<Finding> missing_features(const ir::Module& module,
                                                    const std::vector<Token>& tokens,
                                                    const CompilerLimits& limits);

/// Long integers and atomics by their names alone: for programs that give no IR. An atomic passes
/// if the device has it on either memory.
[[nodiscard]] std::vector<Finding> missing_by_name(const std::vector<Token>& tokens,
                                                   const CompilerLimits& limits);

/// clang's own errors, "<stdin>:12:5: error: ...", with what is known to say about some of them.
/// Empty if `errors` holds none that is about the program.
[[nodiscard]] std::vector<Finding> read_diagnostics(std::string_view errors,
                                                    const CompilerLimits& limits);

}  // namespace glint::layer::compiler
