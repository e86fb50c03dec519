// The part of --probe that asks the kernel: ICD files, device nodes, heaps, cameras.
#pragma once

#include <toml++/toml.h>

namespace glint {

[[nodiscard]] toml::table probe_system();

/// What keeps OpenCL from finding a device, and what to do: no ICD file, a library that does not
/// load, a device node that is missing or closed; in one line. Empty when nothing of that kind is
/// seen. Loads the drivers' libraries, as the ICD loader does.
[[nodiscard]] std::string why_no_opencl();

}  // namespace glint
