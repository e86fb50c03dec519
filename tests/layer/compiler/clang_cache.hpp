// What clang said before. A played device checks every program with clang, several times, and tests
// start the same programs on it hundreds of times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/layer/compiler/clang.hpp"

namespace glint::layer::compiler {

/// run_clang(), or its answer to the same request of the same clang before, from the folder
/// GLINT_LAYER_CACHE. Nothing is kept when that is not set, of a clang that does not say its
/// version, or of one that did not get to its end. Processes may share the folder; one that cannot
/// be read or written is done without.
[[nodiscard]] ClangRun cached_clang(const std::vector<std::string>& arguments,
                                    std::string_view input);

}  // namespace glint::layer::compiler
