// What a test does with a fake capture driver, and what it asks of it.
#include <linux/videodev2.h>

#include <utility>

#include "tests/fakes/v4l2_driver.hpp"

namespace glint::fakes::v4l2 {

void Driver::add_control(const Control& control) {
    const std::scoped_lock lock(mutex_);
    controls_.add(control);
}

std::optional<uint32_t> Driver::send(const Frame& frame) {
    const std::scoped_lock lock(mutex_);
    if (gone_) return std::nullopt;
    const auto index = queue_.fill(frame);
    refresh();
    return index;
}

void Driver::disconnect() {
    const std::scoped_lock lock(mutex_);
    gone_ = true;
    refresh();
}

void Driver::fatal_error() {
    const std::scoped_lock lock(mutex_);
    queue_.fail();
    refresh();
}

void Driver::busy_elsewhere(bool busy) {
    const std::scoped_lock lock(mutex_);
    queue_.own_elsewhere(busy);
    refresh();
}

void Driver::break_graph(bool broken) {
    const std::scoped_lock lock(mutex_);
    queue_.break_graph(broken);
}

void Driver::change_source() {
    const std::scoped_lock lock(mutex_);
    v4l2_event event{};
    event.type = V4L2_EVENT_SOURCE_CHANGE;
    event.u.src_change.changes = V4L2_EVENT_SRC_CH_RESOLUTION;
    post(event, -1);
    refresh();
}

void Driver::change_control(uint32_t id, int64_t value) {
    const std::scoped_lock lock(mutex_);
    controls_.change(id, value);
    refresh();
}

void Driver::change_control_flags(uint32_t id, uint32_t flags) {
    const std::scoped_lock lock(mutex_);
    controls_.change_flags(id, flags);
    refresh();
}

void Driver::fail_next(unsigned long request, int code, uint32_t times) {
    const std::scoped_lock lock(mutex_);
    failures_.erase(request);
    if (times > 0) failures_[request] = {code, times};
}

std::vector<std::string> Driver::log() const {
    const std::scoped_lock lock(mutex_);
    return log_.entries();
}

void Driver::clear_log() {
    const std::scoped_lock lock(mutex_);
    log_.clear();
}

size_t Driver::times(std::string_view text) const {
    const std::scoped_lock lock(mutex_);
    return log_.times(text);
}

std::string Driver::missing_in_order(std::initializer_list<std::string_view> texts) const {
    const std::scoped_lock lock(mutex_);
    return log_.missing_in_order(texts);
}

void Driver::on_event(std::function<void(const std::string&)> hook) {
    const std::scoped_lock lock(mutex_);
    log_.on_event = std::move(hook);
}

size_t Driver::live_buffers() const {
    const std::scoped_lock lock(mutex_);
    return queue_.size();
}

size_t Driver::queued_buffers() const {
    const std::scoped_lock lock(mutex_);
    return queue_.queued();
}

size_t Driver::open_handles() const {
    const std::scoped_lock lock(mutex_);
    return handles_.size();
}

bool Driver::streaming() const {
    const std::scoped_lock lock(mutex_);
    return queue_.streaming();
}

uint32_t Driver::lost_frames() const {
    const std::scoped_lock lock(mutex_);
    return queue_.lost();
}

int64_t Driver::control(uint32_t id) const {
    const std::scoped_lock lock(mutex_);
    return controls_.value(id);
}

}  // namespace glint::fakes::v4l2
