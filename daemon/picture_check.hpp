// A sample of a filtered picture, computed again on the CPU before anybody sees it.
#pragma once

#include <cstdint>

#include "daemon/gpu/operators.hpp"

namespace glint {

/// Computes a tile of up to 64x16 pixels anew and compares it with `picture`. `seed` says where, so
/// that tiles wander over the picture, borders included, from one frame to the next. Takes some
/// microseconds.
[[nodiscard]] bool tile_matches(const uint8_t* frame, const gpu::Lane& lane,
                                const gpu::Filter& filter, const gpu::Output& picture,
                                uint64_t seed) noexcept;

}  // namespace glint
