// The option string of clBuildProgram, and what of it clang gets to see.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/layer/compiler/compiler.hpp"
#include "tests/layer/compiler/finding.hpp"

namespace glint::layer::compiler {

struct BuildOptions {
    uint32_t c_version = 110;            ///< what -cl-std asks for, or the device's default
    std::vector<std::string> arguments;  ///< -D, -U, -I and known -cl-... options, for clang
    std::vector<Finding> findings;       ///< a language version that the device does not have
};

/// Words as a shell would make them: blanks separate; '...', "..." and backslashes protect.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);

/// Everything else is dropped: the string comes from a foreign program, and clang has options that
/// write files and load plug-ins.
[[nodiscard]] BuildOptions parse_options(std::string_view text, const CompilerLimits& limits);

/// "1.1" for 110.
[[nodiscard]] std::string version_text(uint32_t c_version);

}  // namespace glint::layer::compiler
