// y = a x + y over work-group sizes: the classic first look at a device.
#pragma once

#include "daemon/gpu/device.hpp"
#include "tools/tune/ranking.hpp"

namespace glint::tune {

/// Work-groups of 1, 2, 4 ... work-items up to the kernel's limit, and the size that the driver
/// chooses by itself, which the others are compared with; all in turn, `runs` times, medians of
/// device time. `elements` is rounded up to a multiple of the largest group. Every size's result is
/// checked. Rows are in order of size. Empty rows when a signal asks to stop. Throws ClError or
/// BuildError.
[[nodiscard]] Ranking sweep_saxpy(const gpu::Context& context, size_t elements, size_t runs);

}  // namespace glint::tune
