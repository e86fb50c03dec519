#include "zero_copy/v4l2_source.hpp"

#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>

#include "zero_copy/media_check.hpp"
#include "zero_copy/media_sensor.hpp"
#include "zero_copy/media_setup.hpp"

namespace glint::zero_copy {
namespace {

using Kind = SourceError::Kind;

/// Before the node is opened: what it can offer depends on the graph.
void set_up_media(DeviceCalls& calls, const std::optional<MediaRequest>& request) {
    if (!request) return;
    MediaSettings settings;
    try {
        for (const std::string& link : request->links) settings.links.push_back(parse_link(link));
        for (const std::string& pad : request->pads) settings.pads.push_back(parse_pad(pad));
    } catch (const MediaTextError& error) {
        throw SourceError(Kind::format, error.what());
    }
    MediaGraph graph = MediaGraph::open(calls, request->device);
    apply(graph, settings);
}

std::shared_ptr<const V4l2Device> open_node(DeviceCalls& calls, const std::string& node,
                                            const SourceRequest& request) {
    set_up_media(calls, request.media);
    return std::make_shared<const V4l2Device>(calls, find_node(node));
}

/// Of a control's value, rather than a device that fails: UVC gives EACCES for what is automatic.
bool is_refusal(int code) {
    return code == 0 || code == EINVAL || code == ERANGE || code == EACCES;
}

/// Null when it cannot be opened: frames are worth having without its controls.
std::shared_ptr<const Subdevice> open_sensor(DeviceCalls& calls, const MediaEntity& entity) {
    try {
        return std::make_shared<const Subdevice>(calls, entity);
    } catch (const SourceError&) {
        return nullptr;
    }
}

bool subscribe_to_changes(const V4l2Device& device) {
    v4l2_event_subscription subscription{};
    subscription.type = V4L2_EVENT_SOURCE_CHANGE;
    return device.call(VIDIOC_SUBSCRIBE_EVENT, &subscription) == 0;
}

}  // namespace

V4l2Source::V4l2Source(DeviceCalls& calls, const std::string& node, const SourceRequest& request)
    : device_(open_node(calls, node, request)),
      heaps_(request.heaps),
      buffers_(*device_),
      counter_(0) {
    const std::optional<BusFormat> arriving = look_at_graph();
    set_controls(request.controls);
    given_ = negotiate(*device_, request, arriving);
    counter_ = FrameCounter(given_.rate);
    has_events_ = subscribe_to_changes(*device_) || exposure_.subscribed();
}

/// Where drivers leave the sensor's settings to its own node, that has the controls; and the
/// sensor's picture says how long a line takes. A sensor without a node, as a webcam's, is none.
/// Returns what reaches the node.
std::optional<BusFormat> V4l2Source::look_at_graph() {
    uint32_t line_pixels = 0;
    std::optional<BusFormat> arriving;
    if (const auto graph = graph_of(device_->calls(), device_->path())) {
        arriving = arriving_at(*graph, device_->path());
        const MediaEntity* const entity = sensor_behind(*graph, device_->path());
        // Cameras on USB have a sensor without a node: their controls are at the video node.
        if (entity != nullptr && entity->node != NodeNumber{}) {
            BusFormat format;
            sensor_ = open_sensor(device_->calls(), *entity);
            if (sensor_ && sensor_->get_format(0, format) == 0) line_pixels = format.width;
        }
    }
    exposure_.subscribe(knobs(), line_pixels);
    return arriving;
}

const DeviceFd& V4l2Source::knobs() const noexcept {
    return sensor_ != nullptr ? sensor_->descriptor() : device_->descriptor();
}

void V4l2Source::set_controls(const std::map<std::string, int64_t>& controls) const {
    for (const auto& [name, value] : controls) {
        try {
            set_control(knobs(), name, value);
        } catch (const ControlError& error) {
            const Kind kind =
                is_refusal(error.code()) ? Kind::format : device_error(error.code(), name).kind();
            throw SourceError(kind, fmt::format("{}: {}", device_->path(), error.what()));
        }
    }
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

size_t V4l2Source::buffer_bytes() const noexcept {
    return whole_pages(std::max<size_t>(given_.size_bytes, given_.layout.size_bytes));
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
    try {
        buffers_.start(buffers);
    } catch (const SourceError& error) {
        throw with_diagnosis(error);
    }
}

/// The kernel says EPIPE, and no more, when links or formats in front of the node do not fit.
SourceError V4l2Source::with_diagnosis(const SourceError& error) const {
    if (buffers_.start_error() != EPIPE) return error;
    const std::string text = fmt::format("{} (the media graph does not fit)", error.what());
    const auto graph = graph_of(device_->calls(), device_->path());
    if (!graph) return {Kind::broken, text};
    const FrameLayout& layout = given_.layout;
    const std::string found =
        disagreement(*graph, device_->path(),
                     {v4l2_code(layout.format).value_or(0), layout.width, layout.height});
    return {
        Kind::broken,
        fmt::format("{}: {}", text,
                    found.empty() ? fmt::format("every link fits; look at the node's format and at "
                                                "other branches with `media-ctl -d {} -p`",
                                                graph->path())
                                  : found)};
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
    failure_code_ = 0;
    if (has_events_ && !drain_events(device_->descriptor())) return Dequeued::failed;
    if (sensor_ != nullptr && exposure_.subscribed()) (void)drain_events(sensor_->descriptor());
    Filled filled;
    failure_code_ = buffers_.dequeue(filled);
    if (failure_code_ == EAGAIN) return Dequeued::nothing;
    if (failure_code_ != 0) return Dequeued::failed;
    if (!refused_.empty()) requeue_refused();
    frame = describe(filled);
    return Dequeued::frame;
}

/// False: the picture that comes in has another size now, so everything must be set up anew.
bool V4l2Source::drain_events(const DeviceFd& from) noexcept {
    constexpr int most = 64;  // at once: what is left keeps the descriptor readable
    for (int i = 0; i < most; ++i) {
        v4l2_event event{};
        if (from.ioctl(VIDIOC_DQEVENT, &event) != 0) break;
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
    if (sensor_ != nullptr) return {sensor_, &sensor_->descriptor()};
    return {device_, &device_->descriptor()};
}

}  // namespace glint::zero_copy
