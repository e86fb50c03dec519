// The frames that known-answer tests are run on.
#pragma once

#include <span>
#include <string>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

/// A lane and the samples in it.
struct KnownCase {
    Lane lane;
    uint8_t lowest;   ///< samples are spread from here
    uint8_t highest;  ///< to here
};

/// Odd sizes, every layout of samples, offsets and strides that make rows start anywhere.
[[nodiscard]] std::span<const KnownCase> known_cases();

/// Bytes that the case's frame takes.
[[nodiscard]] size_t frame_bytes(const Lane& lane);

/// Poison everywhere, then the case's samples.
void fill(const KnownCase& test, std::span<uint8_t> bytes);

[[nodiscard]] std::string describe(const Lane& lane);

}  // namespace glint::gpu
