// What brings a lost camera back: time, or its node.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "daemon/loop.hpp"
#include "daemon/node_watch.hpp"

namespace glint {

/// How long to wait before the next try: not at all after a stream that was healthy, then 1, 2, 4
/// ... 60 seconds.
class Backoff {
  public:
    [[nodiscard]] std::chrono::seconds next() noexcept;
    void reset() noexcept { delay_ = std::chrono::seconds{0}; }

  private:
    std::chrono::seconds delay_{0};
};

/// Loop thread only. `retry` may destroy nothing of this.
class Recovery {
  public:
    Recovery(Loop& loop, std::function<void()> retry);

    /// The camera failed. Returns how long it will be until the next try; zero means that the
    /// caller tries at once, without a call of `retry`.
    [[nodiscard]] std::chrono::seconds failed();
    /// The camera is absent: a try whenever something changes on the way to `path`, and one at
    /// once, since it may have come meanwhile.
    void wait_for(const std::string& path);
    /// The stream runs: after ten seconds of that the next failure is a first one again.
    void streaming();
    /// No further try.
    void cancel();

  private:
    void look_soon();

    Loop& loop_;
    Backoff backoff_;
    bool looking_soon_ = false;
    Timer retry_;
    Timer healthy_;
    std::unique_ptr<NodeWatch> node_;
};

/// Notices that a running stream brings nothing any more.
class StallWatch {
  public:
    using Progress = std::function<uint64_t()>;
    /// `stalled` is called once, with the time that has passed without progress.
    StallWatch(Loop& loop, std::function<void(microseconds)> stalled);

    /// `progress` grows with every frame. The first frame may take longer than `limit`: sensors
    /// need time to start.
    void start(microseconds limit, Progress progress,
               microseconds first_frame_limit = std::chrono::seconds{5});
    void stop() noexcept { timer_.cancel(); }

  private:
    void look();

    std::function<void(microseconds)> stalled_;
    Progress progress_;
    microseconds limit_{0};
    microseconds patience_{0};  ///< without progress
    microseconds waited_{0};    ///< without progress, so far
    uint64_t seen_ = 0;
    Timer timer_;
};

/// No frame for three periods, but never less than a second; five when the rate is unknown (0).
[[nodiscard]] microseconds stall_limit(double rate);

}  // namespace glint
