// Masks as clients hand them over.
#pragma once

#include <memory>

#include "daemon/plan.hpp"

namespace glint {

/// Reads width x height bytes, one per pixel, from a memfd; null for an empty one. Throws Failure
/// for any other size, and for a file that is no memfd: reading it could take for ever.
[[nodiscard]] std::shared_ptr<const Mask> read_mask(int fd, uint32_t width, uint32_t height);

}  // namespace glint
