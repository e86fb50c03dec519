// What a driver's frame numbers and timestamps are worth, and what they tell about lost frames.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace glint::zero_copy {

/// CLOCK_MONOTONIC in nanoseconds: the clock of every instant.
[[nodiscard]] uint64_t monotonic_nsec() noexcept;

/// Makes 64-bit sequence numbers, in which a gap means lost frames, from a driver's 32-bit ones.
class FrameCounter {
  public:
    /// `rate`: frames per second that the driver promises, or 0.
    explicit FrameCounter(double rate) noexcept;

    /// The next frame's number. `timestamp_nsec` in any steady clock. A number that wraps around
    /// goes on; one that jumps back, or further ahead than the time since the last frame allows, is
    /// a restart and no loss; one that stays the same says nothing, so that losses are estimated
    /// from the timestamps from then on.
    [[nodiscard]] uint64_t next(uint32_t sequence, uint64_t timestamp_nsec) noexcept;
    /// The stream starts anew: whatever comes next is the next frame.
    void restart() noexcept { known_ = false; }
    [[nodiscard]] bool estimates() const noexcept { return estimates_; }

  private:
    [[nodiscard]] uint64_t period_nsec() const noexcept;
    void learn(uint64_t interval_nsec) noexcept;
    [[nodiscard]] uint64_t estimated_step(uint64_t interval_nsec) const noexcept;
    [[nodiscard]] bool plausible(uint32_t step, uint64_t interval_nsec) const noexcept;

    static constexpr size_t remembered = 9;  ///< odd, for a median
    std::array<uint64_t, remembered> intervals_{};
    size_t interval_count_ = 0;
    uint64_t promised_nsec_;  ///< 0: nothing promised
    uint64_t number_ = 0;
    uint32_t last_sequence_ = 0;
    uint64_t last_nsec_ = 0;
    bool known_ = false;  ///< whether there was a frame since the stream's start
    bool ever_ = false;
    bool estimates_ = false;
};

/// What the driver says that a timestamp is.
struct TimestampClaim {
    bool monotonic = false;          ///< else of an unknown clock
    bool start_of_exposure = false;  ///< else of the end of the frame
};

/// Brings timestamps into CLOCK_MONOTONIC.
class FrameClock {
  public:
    /// `now_nsec`: of the dequeue. A time of another clock, or one that cannot be (after now, or
    /// more than ten seconds before), is replaced by `now_nsec`.
    [[nodiscard]] uint64_t take(int64_t timestamp_nsec, TimestampClaim claim,
                                uint64_t now_nsec) noexcept;
    /// What the last time marks: "start-of-exposure", "end-of-frame" or "dequeue".
    [[nodiscard]] std::string_view source() const noexcept { return source_; }

  private:
    std::string_view source_ = "dequeue";
};

}  // namespace glint::zero_copy
