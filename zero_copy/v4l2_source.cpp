#include "zero_copy/v4l2_source.hpp"

#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>

namespace glint::zero_copy {
namespace {

using Kind = SourceError::Kind;

void set_controls(const V4l2Device& device, const std::map<std::string, int64_t>& controls) {
    for (const auto& [name, value] : controls) {
        try {
            set_control(device.descriptor(), name, value);
        } catch (const ControlError& error) {
            throw SourceError(Kind::format, fmt::format("{}: {}", device.path(), error.what()));
        }
    }
}

bool subscribe_to_changes(const V4l2Device& device) {
    v4l2_event_subscription subscription{};
    subscription.type = V4L2_EVENT_SOURCE_CHANGE;
    return device.call(VIDIOC_SUBSCRIBE_EVENT, &subscription) == 0;
}

}  // namespace

V4l2Source::V4l2Source(DeviceCalls& calls, const std::string& node, const SourceRequest& request)
    : device_(std::make_shared<const V4l2Device>(calls, find_node(node))),
      heaps_(request.heaps),
      buffers_(*device_),
      counter_(0) {
    set_controls(*device_, request.controls);
    given_ = negotiate(*device_, request);
    counter_ = FrameCounter(given_.rate);
    exposure_.subscribe(device_->descriptor(), 0);
    has_events_ = subscribe_to_changes(*device_) || exposure_.subscribed();
}

/// USERPTR first where the driver fills pages of any kind: those are cached and ours. Elsewhere
/// memory of the heaps, which the GPU's driver knows best.
std::vector<Transport> V4l2Source::transports() const {
    using enum Transport;
    if (device_->driver() == "uvcvideo" || device_->driver() == "vivid") {
        return {userptr, dmabuf, mmap, copy};
    }
    return {dmabuf, mmap, userptr, copy};
}

std::vector<FrameMemory> V4l2Source::allocate(Transport transport, uint32_t count) {
    const size_t bytes = std::max(given_.size_bytes, given_.layout.size_bytes);
    std::vector<FrameMemory> memory;
    if (transport == Transport::copy) {
        try {
            memory = buffers_.allocate(Transport::mmap, count, bytes, heaps_);
        } catch (const TransportRefused&) {
            memory = buffers_.allocate(Transport::userptr, count, bytes, heaps_);
        }
    } else {
        memory = buffers_.allocate(transport, count, bytes, heaps_);
    }
    refused_.clear();
    refused_.reserve(memory.size());
    buffer_bytes_ = memory.front().size();
    return memory;
}

void V4l2Source::start(std::span<const FrameMemory> buffers) {
    refused_.clear();
    counter_.restart();
    failure_code_ = 0;
    buffers_.start(buffers);
}

void V4l2Source::stop() noexcept {
    buffers_.stop();
}

/// A buffer that the driver does not take is offered again with the next one.
void V4l2Source::queue(uint32_t slot) noexcept {
    refused_.push_back(slot);
    requeue_refused();
}

void V4l2Source::requeue_refused() noexcept {
    std::erase_if(refused_, [this](uint32_t slot) { return buffers_.queue(slot) == 0; });
}

Dequeued V4l2Source::dequeue(Captured& frame) noexcept {
    if (has_events_ && !drain_events()) return Dequeued::failed;
    Filled filled;
    failure_code_ = buffers_.dequeue(filled);
    if (failure_code_ == EAGAIN) return Dequeued::nothing;
    if (failure_code_ != 0) return Dequeued::failed;
    if (!refused_.empty()) requeue_refused();
    frame = describe(filled);
    return Dequeued::frame;
}

/// False: the picture that comes in has another size now, so everything must be set up anew.
bool V4l2Source::drain_events() noexcept {
    failure_code_ = 0;
    for (v4l2_event event{}; device_->call(VIDIOC_DQEVENT, &event) == 0; event = {}) {
        if (event.type == V4L2_EVENT_CTRL) {
            const v4l2_event_ctrl& control = event.u.ctrl;
            exposure_.take(event.id, control.type == V4L2_CTRL_TYPE_INTEGER64
                                         ? int64_t{control.value64}
                                         : int64_t{control.value});
        } else if (event.type == V4L2_EVENT_SOURCE_CHANGE &&
                   (event.u.src_change.changes & V4L2_EVENT_SRC_CH_RESOLUTION) != 0) {
            return false;
        }
    }
    return true;
}

Captured V4l2Source::describe(const Filled& filled) noexcept {
    const TimestampClaim claim{
        .monotonic =
            (filled.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
        .start_of_exposure =
            (filled.flags & V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == V4L2_BUF_FLAG_TSTAMP_SRC_SOE};
    const uint64_t timestamp = clock_.take(filled.timestamp_nsec, claim, monotonic_nsec());
    return {.slot = filled.slot,
            .sequence = counter_.next(filled.sequence, timestamp),
            .timestamp_nsec = timestamp,
            .exposure_usec = exposure_.exposure_usec(),
            .gain_raw = exposure_.gain_raw(),
            .corrupt = !is_whole(filled)};
}

/// What the driver flags, delivers short, or claims to have written beyond the buffer's end is no
/// picture. The last row may lack its padding.
bool V4l2Source::is_whole(const Filled& filled) const noexcept {
    const FrameLayout& layout = given_.layout;
    const PlaneLayout& last = layout.planes[layout.plane_count - 1];
    const uint32_t needed = layout.size_bytes - (last.stride_bytes - last.row_bytes);
    return (filled.flags & V4L2_BUF_FLAG_ERROR) == 0 && filled.offset_bytes == 0 &&
           filled.bytes_used >= needed && filled.bytes_used <= buffer_bytes_;
}

SourceError V4l2Source::failure() const {
    if (failure_code_ == 0) {
        return {Kind::broken,
                fmt::format("the picture at {} has changed its size", device_->path())};
    }
    const SourceError error =
        device_error(failure_code_, fmt::format("VIDIOC_DQBUF on {}", device_->path()));
    // What DQBUF does not take is no matter of the format: the stream has ended.
    return error.kind() == Kind::absent ? error : SourceError(Kind::broken, error.what());
}

std::shared_ptr<const DeviceFd> V4l2Source::control_device() const {
    return {device_, &device_->descriptor()};
}

}  // namespace glint::zero_copy
