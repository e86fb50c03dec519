#include "daemon/gpu/group_shares.hpp"

#include <algorithm>
#include <array>

namespace glint::gpu {
namespace {

constexpr size_t lane_words = 16;
constexpr size_t samples_per_item = 16;

uint64_t samples_of(const CountedLane& counted) {
    return uint64_t{counted.lane.width} * counted.lane.height;
}

/// divide_up() for products of samples, which do not fit into a size_t of 32 bits.
constexpr uint64_t wide_divide_up(uint64_t value, uint64_t divisor) {
    return (value + divisor - 1) / divisor;
}

size_t end_of(const Lane& lane) {
    const size_t last_row = lane.offset_bytes + size_t{lane.height - 1} * lane.stride_bytes;
    const size_t last = size_t{lane.width - 1} * lane.step_bytes;
    if (lane.packed_log2 == 0) return last_row + last + (lane.low_bytes > 0 ? 2 : 1);
    const size_t group_samples = size_t{1} << lane.packed_log2;
    return last_row + ((last + lane.first_sample) / group_samples + 1) * (group_samples + 1);
}

}  // namespace

GroupShares share_groups(const HistogramTask& task, size_t wanted, size_t local) {
    uint64_t samples = 0;
    for (const CountedLane& counted : task.lanes) samples += samples_of(counted);
    GroupShares shares;
    shares.results.assign(size_t{task.results} * 2, 0);
    for (uint32_t lane = 0; lane < task.lanes.size(); ++lane) {
        const uint64_t own = samples_of(task.lanes[lane]);
        const uint64_t by_share = wide_divide_up(wanted * own, samples);
        const uint64_t by_work = wide_divide_up(own, uint64_t{local} * samples_per_item);
        const auto groups =
            static_cast<uint32_t>(std::max<uint64_t>(1, std::min(by_share, by_work)));
        const auto begin = static_cast<uint32_t>(shares.parts.size() / 2);
        uint32_t* result = &shares.results[size_t{task.lanes[lane].result} * 2];
        if (result[1] == 0) result[0] = begin;
        result[1] = begin + groups;
        shares.lane_groups.push_back(groups);
        for (uint32_t group = 0; group < groups; ++group) {
            shares.parts.insert(shares.parts.end(), {lane, group});
        }
    }
    return shares;
}

std::vector<uint32_t> lane_records(const HistogramTask& task, const GroupShares& shares) {
    std::vector<uint32_t> records;
    records.reserve(task.lanes.size() * lane_words);
    for (size_t i = 0; i < task.lanes.size(); ++i) {
        const CountedLane& counted = task.lanes[i];
        const Lane& lane = counted.lane;
        const std::array<uint32_t, lane_words> record{lane.offset_bytes,
                                                      lane.stride_bytes,
                                                      lane.step_bytes,
                                                      static_cast<uint32_t>(lane.low_bytes),
                                                      lane.shift,
                                                      lane.width,
                                                      lane.height,
                                                      lane.packed_log2,
                                                      lane.first_sample,
                                                      counted.mask_first_bit,
                                                      counted.mask_row_bits,
                                                      counted.mask_step_bits,
                                                      counted.result * task.bins,
                                                      counted.weight,
                                                      shares.lane_groups[i]};
        records.insert(records.end(), record.begin(), record.end());
    }
    return records;
}

size_t bytes_reached(const HistogramTask& task) {
    size_t end = 0;
    for (const CountedLane& counted : task.lanes) end = std::max(end, end_of(counted.lane));
    return end;
}

}  // namespace glint::gpu
