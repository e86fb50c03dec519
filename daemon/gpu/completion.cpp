#include "daemon/gpu/completion.hpp"

#include <bit>
#include <utility>

namespace glint::gpu {

namespace {

/// A callback that has not come this long after its event is not on its way any more.
constexpr uint64_t overdue_nsec = 100'000'000;
constexpr std::chrono::milliseconds poll_interval{1};

/// A code below zero when the commands, or the question, failed.
cl_int status_of(const EventHandle& event) {
    cl_int status = CL_QUEUED;
    const cl_int code = clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                       sizeof status, &status, nullptr);
    return code == CL_SUCCESS ? status : code;
}

}  // namespace

Completion::Completion(Loop& loop)
    : wakeup_(loop, [this] { collect(); }), poll_timer_(loop, [this] { poll(); }) {
    for (size_t i = 0; i < slot_count; ++i) {
        slots_[i].owner = this;
        slots_[i].bit = uint64_t{1} << i;
    }
}

Completion::~Completion() = default;

bool Completion::watch(EventHandle event, Done done) {
    const auto free_slot = static_cast<size_t>(std::countr_one(in_flight_));
    if (free_slot >= slot_count) return false;
    Slot& slot = slots_[free_slot];
    // The table first: the callback may run before clSetEventCallback returns.
    slot.event = std::move(event);
    slot.done = std::move(done);
    slot.since_nsec = now_nsec();
    in_flight_ |= slot.bit;
    if (polling_) poll_timer_.arm(poll_interval);
    if (clSetEventCallback(slot.event.get(), CL_COMPLETE, on_event, &slot) == CL_SUCCESS)
        return true;
    in_flight_ &= ~slot.bit;
    slot.event = EventHandle();
    slot.done = nullptr;
    return false;
}

void CL_CALLBACK Completion::on_event(cl_event /*event*/, cl_int /*status*/, void* user_data) {
    const auto* slot = static_cast<const Slot*>(user_data);
    slot->owner->ended_.fetch_or(slot->bit, std::memory_order_release);
    slot->owner->wakeup_.signal();
}

void Completion::collect() {
    uint64_t ended = ended_.exchange(0, std::memory_order_acquire) & in_flight_;
    while (ended != 0) {
        Slot& slot = slots_[static_cast<size_t>(std::countr_zero(ended))];
        ended &= ended - 1;
        const cl_int status = status_of(slot.event);
        // A callback that comes after its event was found by asking is about the slot's former
        // user.
        if (status > CL_COMPLETE) continue;
        // Free the slot before the call: it may submit the next frame.
        const EventHandle event = std::exchange(slot.event, EventHandle());
        const Done done = std::exchange(slot.done, nullptr);
        in_flight_ &= ~slot.bit;
        done(status);
    }
}

void Completion::mark_ended(uint64_t min_age_nsec) {
    const uint64_t now = now_nsec();
    for (const Slot& slot : slots_) {
        const bool waits = (in_flight_ & slot.bit) != 0 && now - slot.since_nsec >= min_age_nsec;
        if (waits && status_of(slot.event) <= CL_COMPLETE) ended_.fetch_or(slot.bit);
    }
}

void Completion::poll() {
    mark_ended(0);
    collect();
    if (in_flight_ != 0) poll_timer_.arm(poll_interval);
}

bool Completion::find_missing_callbacks() {
    if (polling_) return false;
    mark_ended(overdue_nsec);
    polling_ = ended_ != 0;
    if (!polling_) return false;
    poll();
    return true;
}

uint64_t Completion::oldest_age_nsec() const noexcept {
    const uint64_t now = now_nsec();
    uint64_t oldest = 0;
    for (const Slot& slot : slots_) {
        if ((in_flight_ & slot.bit) == 0) continue;
        oldest = std::max(oldest, now - slot.since_nsec);
    }
    return oldest;
}

}  // namespace glint::gpu
