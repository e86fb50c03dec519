#include "daemon/gpu/completion.hpp"

#include <bit>
#include <utility>

namespace glint::gpu {

Completion::Completion(Loop& loop) : wakeup_(loop, [this] { collect(); }) {
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
        cl_int status = CL_COMPLETE;
        clGetEventInfo(slot.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                       nullptr);
        // Free the slot before the call: it may submit the next frame.
        const EventHandle event = std::exchange(slot.event, EventHandle());
        const Done done = std::exchange(slot.done, nullptr);
        in_flight_ &= ~slot.bit;
        done(status);
    }
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
