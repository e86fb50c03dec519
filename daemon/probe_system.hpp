// The part of --probe that asks the kernel: ICD files, device nodes, heaps, cameras.
#pragma once

#include <toml++/toml.h>

namespace glint {

[[nodiscard]] toml::table probe_system();

}  // namespace glint
