// "The GPU is done": from the driver's threads to the loop, by an atomic bit and an eventfd.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

#include "daemon/gpu/opencl.hpp"
#include "daemon/loop.hpp"

namespace glint::gpu {

/// Lives on the loop thread. Drivers call back on threads of their own, or synchronously inside
/// clSetEventCallback; they touch one bit and the eventfd, nothing else.
class Completion {
  public:
    /// `status` is CL_COMPLETE or the negative code the command ended with.
    using Done = std::function<void(cl_int status)>;

    explicit Completion(Loop& loop);
    ~Completion();
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    /// Calls `done` on the loop thread, never from inside this call, when `event` has ended. False
    /// if it cannot be watched; `done` is then dropped.
    [[nodiscard]] bool watch(EventHandle event, Done done);
    /// Nanoseconds since the oldest watch that has not ended; 0 when there is none.
    [[nodiscard]] uint64_t oldest_age_nsec() const noexcept;
    [[nodiscard]] bool idle() const noexcept { return in_flight_ == 0; }
    /// Asks after events whose callbacks are long overdue. If any has ended, the driver's callbacks
    /// are not to be relied on: from then on events are asked for every millisecond while there are
    /// any. True when this was found out just now.
    [[nodiscard]] bool find_missing_callbacks();

  private:
    static constexpr size_t slot_count = 64;
    struct Slot {
        Completion* owner = nullptr;
        uint64_t bit = 0;
        uint64_t since_nsec = 0;
        EventHandle event;
        Done done;
    };
    static void CL_CALLBACK on_event(cl_event event, cl_int status, void* user_data);
    void collect();
    void mark_ended(uint64_t min_age_nsec);
    void poll();

    std::array<Slot, slot_count> slots_;
    uint64_t in_flight_ = 0;  ///< loop thread only
    std::atomic<uint64_t> ended_{0};
    Wakeup wakeup_;
    Timer poll_timer_;
    bool polling_ = false;
};

}  // namespace glint::gpu
