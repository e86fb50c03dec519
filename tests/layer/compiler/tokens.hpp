// Preprocessed OpenCL C as a row of tokens that know their line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glint::layer::compiler {

struct Token {
    enum class Kind { word, number, text, sign };
    Kind kind = Kind::sign;
    std::string text;   ///< of a sign one character; of a text with its quotes
    uint32_t line = 0;  ///< in the original source
};

/// Takes what `clang -E` prints: line markers set the line, #pragma lines are skipped, comments are
/// gone already.
[[nodiscard]] std::vector<Token> tokenize(std::string_view preprocessed);

}  // namespace glint::layer::compiler
