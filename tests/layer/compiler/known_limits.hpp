// The compilers of two devices, for glint-kernel-check and the tests. The layer itself takes its
// limits from its device table.
#pragma once

#include <optional>
#include <string_view>

#include "tests/layer/compiler/compiler.hpp"

namespace glint::layer {

/// "gc2000" or "gc7000l".
[[nodiscard]] std::optional<CompilerLimits> known_limits(std::string_view device);

}  // namespace glint::layer
