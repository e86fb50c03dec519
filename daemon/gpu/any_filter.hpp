// A filter as it is wished for: of whole coefficients, or of floats. No OpenCL in here.
#pragma once

#include <variant>

#include "daemon/gpu/float_filter.hpp"
#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

using AnyFilter = std::variant<Filter, FloatFilter>;

}  // namespace glint::gpu
