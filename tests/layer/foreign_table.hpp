// Tables that other programs write: a real board's own word on itself.
#pragma once

#include <toml++/toml.h>
#include <string>
#include <string_view>

namespace glint::layer {

[[nodiscard]] bool is_probe(std::string_view text);
/// `glintd --probe --json`: its first device, which the service would choose, and the limits that
/// its kernels had there. What the probe does not tell is taken over from the table "vivante".
/// Throws ProfileError.
[[nodiscard]] toml::table from_probe(std::string_view text, const std::string& origin);

[[nodiscard]] bool is_clinfo(std::string_view text);
/// `clinfo --raw`: the first device of the first platform.
[[nodiscard]] toml::table from_clinfo(std::string_view text);

}  // namespace glint::layer
