// The cache that an OpenCL driver keeps by itself.
#pragma once

#include <filesystem>

namespace glint::gpu {

/// PoCL leaves its temporary files (tempfile_*) in $POCL_CACHE_DIR when it is killed while it
/// compiles, and nobody takes them away. Does so where that folder lies in `own`, in which no other
/// process compiles. Call it before the driver is loaded.
void remove_leftovers(const std::filesystem::path& own) noexcept;

}  // namespace glint::gpu
