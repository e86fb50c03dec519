// Which work-group of a histogram launch works on which lane: plain data for the kernels, see
// kernels/histogram.h. No OpenCL in here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/gpu/operators.hpp"

namespace glint::gpu {

constexpr size_t divide_up(size_t value, size_t divisor) {
    return (value + divisor - 1) / divisor;
}

struct GroupShares {
    std::vector<uint32_t> lane_groups;  ///< work-groups of each lane, at least one
    std::vector<uint32_t> parts;        ///< per work-group its lane and its number within the lane
    std::vector<uint32_t> results;  ///< per result its first work-group and the one after its last
};

/// About `wanted` work-groups of `local` work-items, shared out by samples. A lane gets no more
/// than can have 16 samples for each work-item: a group costs as much as counting some thousand
/// samples.
[[nodiscard]] GroupShares share_groups(const HistogramTask& task, size_t wanted, size_t local);

/// Sixteen words for each lane, as the kernels look them up.
[[nodiscard]] std::vector<uint32_t> lane_records(const HistogramTask& task,
                                                 const GroupShares& shares);

/// Bytes from the start of the frame to the end of the last sample of any lane.
[[nodiscard]] size_t bytes_reached(const HistogramTask& task);

}  // namespace glint::gpu
