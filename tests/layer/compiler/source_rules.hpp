// What old vendor front ends do not take, though OpenCL C allows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layer/compiler/finding.hpp"
#include "tests/layer/compiler/tokens.hpp"

namespace glint::layer::compiler {

/// Refuses `__attribute__` before `__kernel`, inline helper functions, `(void)` parameter lists,
/// empty kernels, vec_type_hint, `__local` variables in an inner scope, three-element vectors in
/// memory and 64-bit literals. Reads tokens, not a syntax tree: types hidden in a typedef of a
/// typedef are not followed.
[[nodiscard]] std::vector<Finding> broken_rules(const std::vector<Token>& tokens,
                                                std::string_view device);

/// Finding::subject of a `__local` variable in an inner scope: clang refuses those as well.
[[nodiscard]] std::string inner_local_subject(uint32_t line);

}  // namespace glint::layer::compiler
