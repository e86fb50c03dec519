// V4L2 events of one open file: what is subscribed to, and what waits to be taken.
#pragma once

#include <linux/videodev2.h>

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace glint::fakes::v4l2 {

/// As in the kernel, at most one event of each subscription waits; a later one replaces it, and
/// what changed adds up.
class Events {
  public:
    /// Of the subscription; the driver has checked that there is such an event.
    /// Returns whether it is new.
    bool subscribe(const v4l2_event_subscription& subscription);
    int unsubscribe(const v4l2_event_subscription& subscription);
    /// `own`: the event comes from what this very file did.
    void post(const v4l2_event& event, bool own);
    /// -ENOENT when nothing waits.
    int take(v4l2_event& event);
    [[nodiscard]] bool pending() const { return !waiting_.empty(); }

  private:
    using Key = std::pair<uint32_t, uint32_t>;  // type and id
    std::map<Key, uint32_t> subscriptions_;     // with their flags
    std::deque<v4l2_event> waiting_;
    uint32_t sequence_ = 0;
};

}  // namespace glint::fakes::v4l2
