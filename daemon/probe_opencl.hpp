// The part of --probe that asks the OpenCL drivers: traits, limits, known answers, zero copy.
#pragma once

#include <toml++/toml.h>

namespace glint {

/// Never throws; a driver may still crash it, so call it in a process of its own.
[[nodiscard]] toml::table probe_opencl() noexcept;

}  // namespace glint
