// Which frame answers an edge of a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glint {

/// An edge that asks for a measurement.
struct Trigger {
    std::string line;
    uint64_t sequence = 0;        ///< of the line's edges
    uint64_t timestamp_nsec = 0;  ///< CLOCK_MONOTONIC
};

/// What is known of when a frame's exposure began.
struct FrameTime {
    std::string_view timestamp_source;  ///< as on the bus
    uint64_t timestamp_nsec = 0;
    double rate = 0;             ///< frames per second; 0: unknown
    int32_t exposure_usec = -1;  ///< -1: unknown
};

/// The instant that is compared with an edge's. A time stamped at a frame's end lies a readout,
/// which takes a period at most, and the exposure after its beginning.
[[nodiscard]] uint64_t exposure_start_nsec(const FrameTime& frame) noexcept;

/// What exposure_start_nsec() goes by, as on the bus: "start-of-exposure", "end-of-frame",
/// "end-of-frame-less-period", "end-of-frame-less-exposure",
/// "end-of-frame-less-period-and-exposure" or "dequeue".
[[nodiscard]] std::string_view trigger_basis(const FrameTime& frame) noexcept;

/// Edges that wait for their frame, oldest first. One frame answers one edge; what else it would
/// answer is missed.
class TriggerQueue {
  public:
    /// Returns how many were missed by this: the oldest, when too many wait.
    size_t arm(Trigger trigger);
    /// The edge that a frame answers whose exposure began then: the oldest at or before it.
    /// `missed` grows by the others.
    [[nodiscard]] std::optional<Trigger> answer(uint64_t exposure_start_nsec, uint64_t& missed);
    /// No frame will come. Returns how many edges waited.
    size_t clear() noexcept;
    [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

    /// More edges than frames of any camera are under way.
    static constexpr size_t most_waiting = 256;

  private:
    std::vector<Trigger> waiting_;
};

}  // namespace glint
