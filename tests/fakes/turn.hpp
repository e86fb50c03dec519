// Turns a loop until something has happened: what tests do instead of sleeping.
#pragma once

#include <systemd/sd-event.h>

#include "daemon/loop.hpp"

namespace glint::fakes {

/// True once `happened()` holds; false after five seconds, or when the loop has ended without it.
template <typename Condition>
[[nodiscard]] bool turn_until(const Loop& loop, Condition happened) {
    constexpr uint64_t limit_nsec = 5'000'000'000;
    constexpr uint64_t step_usec = 20'000;
    const uint64_t start = now_nsec();
    while (!happened()) {
        if (now_nsec() - start > limit_nsec) return false;
        if (sd_event_get_state(loop.get()) == SD_EVENT_FINISHED) return false;
        if (sd_event_run(loop.get(), step_usec) < 0) return false;
    }
    return true;
}

/// Handles what is ready now, and what that makes ready, without waiting for anything.
inline void turn_while_busy(const Loop& loop) {
    while (sd_event_run(loop.get(), 0) > 0) {
    }
}

}  // namespace glint::fakes
