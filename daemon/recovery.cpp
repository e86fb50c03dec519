#include "daemon/recovery.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace glint {
namespace {

constexpr std::chrono::seconds longest_delay{60};
constexpr std::chrono::seconds health{10};
/// udev makes a node, then its group, then its links: one look for all of them.
constexpr std::chrono::milliseconds settling_time{50};

}  // namespace

std::chrono::seconds Backoff::next() noexcept {
    using std::chrono::seconds;
    return std::exchange(delay_, std::clamp(delay_ * 2, seconds{1}, longest_delay));
}

Recovery::Recovery(Loop& loop, std::function<void()> retry)
    : loop_(loop),
      retry_(loop,
             [this, retry = std::move(retry)] {
                 looking_soon_ = false;
                 retry();
             }),
      healthy_(loop, [this] { backoff_.reset(); }) {}

std::chrono::seconds Recovery::failed() {
    healthy_.cancel();
    const std::chrono::seconds delay = backoff_.next();
    if (delay.count() > 0) retry_.arm(delay);
    return delay;
}

void Recovery::wait_for(const std::string& path) {
    healthy_.cancel();
    if (node_ != nullptr) return;
    try {
        node_ = std::make_unique<NodeWatch>(loop_, path, [this] { look_soon(); });
        look_soon();
    } catch (const std::system_error&) {
        // Without a descriptor or a watch to be had, time has to do.
        retry_.arm(std::max<microseconds>(backoff_.next(), settling_time));
    }
}

/// Changes that go on and on must not put the look off for ever.
void Recovery::look_soon() {
    if (!std::exchange(looking_soon_, true)) retry_.arm(settling_time);
}

void Recovery::streaming() {
    node_.reset();
    retry_.cancel();
    looking_soon_ = false;
    healthy_.arm(health);
}

void Recovery::cancel() {
    node_.reset();
    retry_.cancel();
    looking_soon_ = false;
    healthy_.cancel();
    backoff_.reset();
}

StallWatch::StallWatch(Loop& loop, std::function<void(microseconds)> stalled)
    : stalled_(std::move(stalled)), timer_(loop, [this] { look(); }) {}

void StallWatch::start(microseconds limit, Progress progress, microseconds first_frame_limit) {
    progress_ = std::move(progress);
    limit_ = limit;
    seen_ = progress_();
    // Until the first frame has come.
    waited_ = microseconds{0};
    patience_ = std::max<microseconds>(limit_, first_frame_limit);
    timer_.arm(limit_);
}

void StallWatch::look() {
    const uint64_t now = progress_();
    if (std::exchange(seen_, now) != now) {
        patience_ = limit_;
        waited_ = microseconds{0};
    } else if (waited_ += limit_; waited_ >= patience_) {
        return stalled_(std::exchange(waited_, microseconds{0}));
    }
    timer_.arm(limit_);
}

microseconds stall_limit(double rate) {
    using std::chrono::seconds;
    if (rate <= 0) return seconds{5};
    constexpr double usec_per_sec = 1e6;
    constexpr double periods = 3;
    return std::max<microseconds>(microseconds(static_cast<int64_t>(periods * usec_per_sec / rate)),
                                  seconds{1});
}

}  // namespace glint
