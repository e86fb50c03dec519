// A sample of a filtered picture, computed again on the CPU before anybody sees it.
#pragma once

#include <cstdint>

#include "daemon/gpu/any_filter.hpp"
#include "daemon/gpu/operators.hpp"

namespace glint {

/// Computes a tile of up to 64x16 pixels anew and compares it with `picture`: for equality, or
/// within the bound of a float filter, which is wider where a device `rounds_to_zero`. `seed` says
/// where, so that tiles wander over the picture, borders included, from one frame to the next.
/// Takes some microseconds.
[[nodiscard]] bool tile_matches(const uint8_t* frame, const gpu::Lane& lane,
                                const gpu::AnyFilter& filter, const gpu::Output& picture,
                                uint64_t seed, bool rounds_to_zero) noexcept;

}  // namespace glint
