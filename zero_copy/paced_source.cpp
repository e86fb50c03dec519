#include "zero_copy/paced_source.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <numeric>
#include <system_error>

#include "zero_copy/frame_clock.hpp"

namespace glint::zero_copy {
namespace {

constexpr int64_t nsec_per_sec = 1'000'000'000;

timespec to_timespec(int64_t nsec) {
    timespec result{};
    result.tv_sec = static_cast<time_t>(nsec / nsec_per_sec);
    result.tv_nsec = static_cast<long>(nsec % nsec_per_sec);
    return result;
}

}  // namespace

std::vector<FrameMemory> PacedSource::allocate(Transport, uint32_t count) {
    return host_pages(count, layout_.size_bytes);
}

void PacedSource::start(std::span<const FrameMemory> buffers) {
    UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!timer.valid()) {
        throw std::system_error(errno, std::generic_category(), "cannot create a frame timer");
    }
    const auto period = to_timespec(std::max<int64_t>(1, std::llround(nsec_per_sec / rate_)));
    const itimerspec spec{.it_interval = period, .it_value = period};
    if (::timerfd_settime(timer.get(), 0, &spec, nullptr) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot start the frame timer");
    }
    buffers_ = buffers;
    queued_.resize(buffers.size());
    std::iota(queued_.begin(), queued_.end(), 0U);
    timer_ = std::move(timer);
}

void PacedSource::stop() noexcept {
    timer_.reset();
    queued_.clear();
}

void PacedSource::queue(uint32_t slot) noexcept {
    if (timer_.valid() && queued_.size() < queued_.capacity()) queued_.push_back(slot);
}

Dequeued PacedSource::dequeue(Captured& frame) noexcept {
    uint64_t ticks = 0;
    const ssize_t got = ::read(timer_.get(), &ticks, sizeof ticks);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? Dequeued::nothing : Dequeued::failed;
    // Ticks that nobody fetched in time are frames that found no buffer.
    next_sequence_ += ticks;
    if (queued_.empty()) return Dequeued::nothing;
    frame = Captured{.slot = queued_.front(),
                     .sequence = next_sequence_ - 1,
                     .timestamp_nsec = monotonic_nsec(),
                     .corrupt = false,
                     .unread = true};
    queued_.erase(queued_.begin());
    return Dequeued::frame;
}

}  // namespace glint::zero_copy
