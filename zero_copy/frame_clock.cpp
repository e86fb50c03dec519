#include "zero_copy/frame_clock.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace glint::zero_copy {
namespace {

constexpr uint64_t nsec_per_sec = 1'000'000'000;

}  // namespace

uint64_t monotonic_nsec() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * nsec_per_sec + static_cast<uint64_t>(now.tv_nsec);
}

FrameCounter::FrameCounter(double rate) noexcept
    : promised_nsec_(rate > 0 ? static_cast<uint64_t>(static_cast<double>(nsec_per_sec) / rate)
                              : 0) {}

uint64_t FrameCounter::next(uint32_t sequence, uint64_t timestamp_nsec) noexcept {
    const uint64_t interval = timestamp_nsec > last_nsec_ ? timestamp_nsec - last_nsec_ : 0;
    uint64_t step = ever_ ? 1 : 0;
    if (known_) {
        const uint32_t ahead = sequence - last_sequence_;  // modulo 2^32, as it wraps
        estimates_ = ahead == 0;
        if (estimates_) {
            step = estimated_step(interval);
        } else if (plausible(ahead, interval)) {
            step = ahead;
        }
        if (step == 1) learn(interval);
    }
    number_ += step;
    last_sequence_ = sequence;
    last_nsec_ = timestamp_nsec;
    known_ = ever_ = true;
    return number_;
}

/// The median of what was seen between neighbours, once that says something.
uint64_t FrameCounter::period_nsec() const noexcept {
    constexpr size_t enough = 3;
    const size_t count = std::min(interval_count_, remembered);
    if (count < enough) return promised_nsec_;
    std::array<uint64_t, remembered> sorted = intervals_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
    return *middle;
}

void FrameCounter::learn(uint64_t interval_nsec) noexcept {
    intervals_[interval_count_ % remembered] = interval_nsec;
    ++interval_count_;
}

uint64_t FrameCounter::estimated_step(uint64_t interval_nsec) const noexcept {
    const uint64_t period = period_nsec();
    if (period == 0) return 1;
    return std::max<uint64_t>(1, (interval_nsec + period / 2) / period);
}

/// A jump backwards, seen modulo 2^32, is one ahead by half of all numbers or more. A jump ahead
/// needs time: ten times what has passed is not to be believed, with a second's grace for frames
/// that come in bursts.
bool FrameCounter::plausible(uint32_t step, uint64_t interval_nsec) const noexcept {
    if (step > UINT32_MAX / 2) return false;
    const uint64_t period = period_nsec();
    return period == 0 || (step - 1) * period <= 10 * interval_nsec + nsec_per_sec;
}

uint64_t FrameClock::take(int64_t timestamp_nsec, TimestampClaim claim,
                          uint64_t now_nsec) noexcept {
    constexpr uint64_t oldest = 10 * nsec_per_sec;
    const auto stamp = static_cast<uint64_t>(timestamp_nsec);
    const bool possible = timestamp_nsec > 0 && stamp <= now_nsec && now_nsec - stamp <= oldest;
    if (!claim.monotonic || !possible) {
        source_ = "dequeue";
        return now_nsec;
    }
    source_ = claim.start_of_exposure ? "start-of-exposure" : "end-of-frame";
    return stamp;
}

}  // namespace glint::zero_copy
