// V4L2 events of one open file.
#include "tests/fakes/v4l2_events.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace glint::fakes::v4l2 {

bool Events::subscribe(const v4l2_event_subscription& subscription) {
    return subscriptions_.try_emplace({subscription.type, subscription.id}, subscription.flags)
        .second;
}

int Events::unsubscribe(const v4l2_event_subscription& subscription) {
    if (subscription.type == V4L2_EVENT_ALL) {
        subscriptions_.clear();
        waiting_.clear();
        return 0;
    }
    subscriptions_.erase({subscription.type, subscription.id});
    std::erase_if(waiting_, [&](const v4l2_event& event) {
        return event.type == subscription.type && event.id == subscription.id;
    });
    return 0;
}

void Events::post(const v4l2_event& event, bool own) {
    const auto found = subscriptions_.find({event.type, event.id});
    if (found == subscriptions_.end()) return;
    if (own && (found->second & V4L2_EVENT_SUB_FL_ALLOW_FEEDBACK) == 0) return;
    v4l2_event posted = event;
    const auto older =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const v4l2_event& waiting) {
            return waiting.type == event.type && waiting.id == event.id;
        });
    if (older != waiting_.end()) {
        if (event.type == V4L2_EVENT_CTRL) posted.u.ctrl.changes |= older->u.ctrl.changes;
        if (event.type == V4L2_EVENT_SOURCE_CHANGE) {
            posted.u.src_change.changes |= older->u.src_change.changes;
        }
        waiting_.erase(older);
    }
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    posted.timestamp = now;
    posted.sequence = sequence_++;
    waiting_.push_back(posted);
}

int Events::take(v4l2_event& event) {
    if (waiting_.empty()) return -ENOENT;
    event = waiting_.front();
    waiting_.pop_front();
    event.pending = static_cast<uint32_t>(waiting_.size());
    return 0;
}

}  // namespace glint::fakes::v4l2
