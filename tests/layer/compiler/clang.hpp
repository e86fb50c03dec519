// Runs the clang program: text in, text out, without disturbing the process around it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace glint::layer::compiler {

struct ClangRun {
    std::string failure;  ///< why clang could not be run to its end; empty if it was
    bool succeeded = false;
    std::string output;
    std::string errors;
};

/// The program: GLINT_LAYER_CLANG, or "clang" in the search path.
[[nodiscard]] std::string clang_program();

/// Runs it with `input` as its standard input. Neither fork handlers nor signals of this process
/// come into play: it may be any, with any number of threads.
[[nodiscard]] ClangRun run_clang(const std::vector<std::string>& arguments, std::string_view input,
                                 std::chrono::milliseconds limit = std::chrono::seconds(30));

}  // namespace glint::layer::compiler
