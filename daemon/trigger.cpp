#include "daemon/trigger.hpp"

#include <algorithm>
#include <utility>

namespace glint {
namespace {

constexpr std::string_view end_of_frame = "end-of-frame";

uint64_t less(uint64_t from, uint64_t what) noexcept {
    return from - std::min(from, what);
}

}  // namespace

uint64_t exposure_start_nsec(const FrameTime& frame) noexcept {
    if (frame.timestamp_source != end_of_frame) return frame.timestamp_nsec;
    uint64_t start = frame.timestamp_nsec;
    constexpr double nsec_per_sec = 1e9;
    if (frame.rate > 0) start = less(start, static_cast<uint64_t>(nsec_per_sec / frame.rate));
    if (frame.exposure_usec > 0)
        start = less(start, uint64_t{1000} * static_cast<uint32_t>(frame.exposure_usec));
    return start;
}

std::string_view trigger_basis(const FrameTime& frame) noexcept {
    if (frame.timestamp_source != end_of_frame) return frame.timestamp_source;
    const bool exposure = frame.exposure_usec > 0;
    if (frame.rate > 0) {
        return exposure ? "end-of-frame-less-period-and-exposure" : "end-of-frame-less-period";
    }
    return exposure ? "end-of-frame-less-exposure" : end_of_frame;
}

size_t TriggerQueue::arm(Trigger trigger) {
    // Several lines may arm one camera, and their edges are read line by line.
    const auto place =
        std::ranges::upper_bound(waiting_, trigger.timestamp_nsec, {}, &Trigger::timestamp_nsec);
    waiting_.insert(place, std::move(trigger));
    if (waiting_.size() <= most_waiting) return 0;
    waiting_.erase(waiting_.begin());
    return 1;
}

std::optional<Trigger> TriggerQueue::answer(uint64_t exposure_start_nsec, uint64_t& missed) {
    const auto end =
        std::ranges::upper_bound(waiting_, exposure_start_nsec, {}, &Trigger::timestamp_nsec);
    if (end == waiting_.begin()) return std::nullopt;
    Trigger first = std::move(waiting_.front());
    missed += static_cast<uint64_t>(end - waiting_.begin()) - 1;
    waiting_.erase(waiting_.begin(), end);
    return first;
}

size_t TriggerQueue::clear() noexcept {
    const size_t waited = waiting_.size();
    waiting_.clear();
    return waited;
}

}  // namespace glint
