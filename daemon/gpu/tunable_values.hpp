// The numbers that a variant is compiled with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace glint::gpu {

/// Values of kernels::Tunable by name.
using TunableValues = std::map<std::string, int32_t, std::less<>>;

}  // namespace glint::gpu
