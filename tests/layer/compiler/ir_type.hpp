// Types in LLVM's textual IR.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/layer/compiler/ir.hpp"

namespace glint::layer::compiler::ir {

/// Named structures, "%struct.pair" to "{ i32, float }".
using NamedTypes = std::map<std::string, std::string, std::less<>>;

/// Reads a type off the front of `text`; Kind::none, and nothing read, if none is there.
[[nodiscard]] Type take_type(std::string_view& text, const NamedTypes& named, int depth = 0);

/// Drops words such as "nsw" or "noundef" before the first type; empty if there is none.
[[nodiscard]] std::string_view from_type(std::string_view text, const NamedTypes& named);

/// Cuts at commas outside of brackets and quotes.
[[nodiscard]] std::vector<std::string_view> split_commas(std::string_view text);

[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Length of the name at the start of `text` ("%", "@", "!" included), quoted names too.
[[nodiscard]] size_t name_length(std::string_view text);

}  // namespace glint::layer::compiler::ir
