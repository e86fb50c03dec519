// Which values of a variant's tunables are worth a try on a device. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/gpu/tuning.hpp"
#include "kernels/catalogue.hpp"

namespace glint::tune {

using gpu::FrameSize;
using gpu::TunableValues;

/// What bounds one kernel's work-groups.
struct KernelLimits {
    size_t work_group = 1;  ///< CL_KERNEL_WORK_GROUP_SIZE: work-items
    size_t multiple = 1;    ///< of it: preferred by the kernel and by the hardware's wavefront
};

/// What the device says, once the variant has been built.
struct Limits {
    bool cpu = false;
    uint32_t compute_units = 1;
    uint64_t local_bytes = 0;               ///< local memory of a compute unit
    uint64_t work_item[2] = {1, 1};         ///< CL_DEVICE_MAX_WORK_ITEM_SIZES
    std::vector<KernelLimits> kernels{{}};  ///< the variant's, in the order in which they run
};

/// Work-groups of one launch.
struct Groups {
    size_t local[2] = {1, 1};
    size_t count = 0;
};

/// The launches of a variant on a frame, as daemon/gpu/launch.cpp shapes them by the names that
/// kernels::Tunable lists.
[[nodiscard]] std::vector<Groups> groups_of(const TunableValues& values, FrameSize size,
                                            uint32_t compute_units);

/// Why values are not tried; empty when they are. The rules:
///   - a work-group is no larger than the kernel and each dimension of the device allow, and a
///     multiple of Limits::multiple, so that no lane of a wavefront idles. On a CPU any size may
///     be best: there a work-group is a loop on one thread, and what is reported as preferred is
///     the width of its vectors, which a kernel with vectors of its own has no use for;
///   - it takes a third of the local memory at most, so that another group can count while one
///     waits for memory;
///   - four groups or more are in flight, since with fewer a device's units wait for the last.
[[nodiscard]] std::string why_left_out(const kernels::Variant& variant, const TunableValues& values,
                                       FrameSize size, const Limits& limits);

/// One direction to search in: each entry replaces the values of one tunable, or of both
/// dimensions of a work-group, which are worth little one without the other.
using Coordinate = std::vector<TunableValues>;

/// Tunables with one candidate are no coordinate.
[[nodiscard]] std::vector<Coordinate> coordinates_of(const kernels::Variant& variant);

/// "16x4", or "64" in one dimension.
[[nodiscard]] std::string work_group_text(const TunableValues& values);
/// The tunables that are no work-group size, as "COPIES=8 ITEMS_PER_UNIT=64"; those that `variant`
/// has no choice for are left out.
[[nodiscard]] std::string others_text(const kernels::Variant& variant, const TunableValues& values);

}  // namespace glint::tune
