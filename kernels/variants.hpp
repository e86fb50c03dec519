// The parts that the catalogue is made of: one list for each operator with many variants.
#pragma once

#include "kernels/catalogue.hpp"

namespace glint::kernels {

[[nodiscard]] std::span<const Variant> convolution_variants();
[[nodiscard]] std::span<const Variant> float_convolution_variants();

}  // namespace glint::kernels
