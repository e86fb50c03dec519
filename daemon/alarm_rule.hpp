// When an alarm is raised and when it is over: pure functions of a rule, what was, and a value.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>

namespace glint {

enum class AlarmKind {
    above,    ///< the value is greater than `threshold`
    below,    ///< less than `threshold`
    between,  ///< from `threshold` to `upper`
    change    ///< its magnitude is greater than `threshold`; the value is a change
};
[[nodiscard]] const char* name_of(AlarmKind kind) noexcept;

/// In units of the statistic.
struct AlarmRule {
    AlarmKind kind = AlarmKind::above;
    double threshold = 0;
    double upper = 0;       ///< of `between`; else ignored
    double hysteresis = 0;  ///< how far the value must be on the other side for the alarm to end
    /// A change of state needs so many results in a row, and so much time from the first of them.
    uint32_t hold_frames = 1;
    std::chrono::microseconds hold{0};
    bool latch = false;  ///< once raised it lasts until it is acknowledged

    bool operator==(const AlarmRule&) const = default;
};

enum class AlarmState {
    unknown,  ///< no result yet, or none any more
    idle,
    raised,
    latched  ///< raised before, over now, not acknowledged
};
[[nodiscard]] const char* name_of(AlarmState state) noexcept;

struct AlarmMemory {
    AlarmState state = AlarmState::unknown;
    uint64_t since_nsec = 0;         ///< of the state, CLOCK_MONOTONIC; 0: since the start
    double value = 0;                ///< the last one
    bool acknowledged = false;       ///< while raised: it need not be latched when it is over
    uint32_t turned_frames = 0;      ///< results in a row that speak for the other state
    uint64_t turned_since_nsec = 0;  ///< of the first of them

    bool operator==(const AlarmMemory&) const = default;
};

/// After a result.
[[nodiscard]] AlarmMemory judge(const AlarmRule& rule, AlarmMemory memory, double value,
                                uint64_t nsec) noexcept;
/// No results come any more: unknown, unless it is latched or has to be.
[[nodiscard]] AlarmMemory lose(const AlarmRule& rule, AlarmMemory memory, uint64_t nsec) noexcept;
[[nodiscard]] AlarmMemory acknowledge(AlarmMemory memory, uint64_t nsec) noexcept;

/// Whether its lines are to be active.
[[nodiscard]] inline bool is_active(AlarmState state) noexcept {
    return state == AlarmState::raised || state == AlarmState::latched;
}

/// Values below which 10, 20 ... 90 % of the samples lie, in units of bins.
using Deciles = std::array<uint32_t, 9>;
[[nodiscard]] Deciles deciles_of(std::span<const uint32_t> bins) noexcept;

/// By how much light has come (positive) or gone (negative), in bins: the least by which any decile
/// has moved, if all moved the same way. What moves in the picture shifts the deciles of the
/// samples that it covers and leaves the others; a lamp shifts them all. Deciles that stay at the
/// end of the scale, where there is nothing to see, do not count; 0 when fewer than five do.
[[nodiscard]] double light_step(const Deciles& before, const Deciles& after,
                                uint32_t bins) noexcept;

}  // namespace glint
