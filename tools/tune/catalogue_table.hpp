// The catalogue of kernel variants as documentation shows it. Pure.
#pragma once

#include <string>

namespace glint::tune {

/// A Markdown table with a row for each variant: operator, set, name, what it needs, tunables with
/// their defaults, and what it is; ends with a line break.
[[nodiscard]] std::string catalogue_table();

}  // namespace glint::tune
