// The face of a fake capture driver: who is asked what, and when a descriptor is readable.
#include "tests/fakes/v4l2_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace glint::fakes::v4l2 {
namespace {

constexpr uint32_t version = (6 << 16) | (12 << 8);

template <size_t size>
void put(uint8_t (&to)[size], const std::string& text) {
    std::copy_n(text.begin(), std::min(text.size(), size - 1), to);
}

}  // namespace

Driver::Driver(Traits traits)
    : traits_(std::move(traits)),
      formats_(traits_),
      queue_(traits_),
      controls_([this](const v4l2_event& event, int file) { post(event, file); }) {}

int Driver::opened_with(int fd, int flags) {
    const std::scoped_lock lock(mutex_);
    int result = injected(open_call);
    if (result == 0 && gone_) result = -ENODEV;
    if (result == 0) handles_[fd].nonblocking = (flags & O_NONBLOCK) != 0;
    log_.add("OPEN", result);
    return result;
}

void Driver::closed(int fd) {
    const std::scoped_lock lock(mutex_);
    queue_.release(fd);
    handles_.erase(fd);
    log_.add("CLOSE", 0);
    refresh();
}

int Driver::ioctl(int fd, unsigned long request, void* argument) {
    const std::scoped_lock lock(mutex_);
    std::string text = request_text(request, argument);
    int result = gone_ ? -ENODEV : injected(request);
    if (result == 0) result = dispatch(fd, request, argument);
    if (request == VIDIOC_DQBUF && result >= 0) {
        text += fmt::format(" {}", static_cast<const v4l2_buffer*>(argument)->index);
    }
    refresh();
    log_.add(std::move(text), result);
    return result;
}

int Driver::memory_at(off_t offset, size_t bytes, off_t&) {
    const std::scoped_lock lock(mutex_);
    int memory = gone_ ? -ENODEV : injected(map_call);
    if (memory == 0) {
        const int index = queue_.memory_at(offset, bytes, memory);
        if (index >= 0) {
            log_.add(fmt::format("MMAP {}", index), 0);
            return memory;
        }
        memory = index;
    }
    log_.add("MMAP", memory);
    return memory;
}

int Driver::injected(unsigned long request) {
    const auto found = failures_.find(request);
    if (found == failures_.end()) return 0;
    const int code = found->second.code;
    if (--found->second.times == 0) failures_.erase(found);
    return -code;
}

template <typename Argument, typename Call>
int Driver::with(void* argument, Call call) {
    auto& given = *static_cast<Argument*>(argument);
    Argument copy = given;
    const int result = call(copy);
    if (result >= 0) given = copy;
    return result;
}

int Driver::dispatch(int fd, unsigned long request, void* argument) {
    switch (request) {
        case VIDIOC_QUERYCAP:
            describe(*static_cast<v4l2_capability*>(argument));
            return 0;
        case VIDIOC_ENUM_FMT:
        case VIDIOC_ENUM_FRAMESIZES:
        case VIDIOC_ENUM_FRAMEINTERVALS:
        case VIDIOC_G_FMT:
        case VIDIOC_S_FMT:
        case VIDIOC_TRY_FMT:
        case VIDIOC_G_PARM:
        case VIDIOC_S_PARM:
            return format_call(request, argument);
        case VIDIOC_QUERY_EXT_CTRL:
        case VIDIOC_QUERYMENU:
        case VIDIOC_G_EXT_CTRLS:
        case VIDIOC_S_EXT_CTRLS:
            return controls_.empty() ? -ENOTTY : control_call(fd, request, argument);
        case VIDIOC_SUBSCRIBE_EVENT:
        case VIDIOC_UNSUBSCRIBE_EVENT:
        case VIDIOC_DQEVENT:
            return event_call(fd, request, argument);
        default:
            return buffer_call(fd, request, argument);
    }
}

int Driver::buffer_call(int fd, unsigned long request, void* argument) {
    const uint32_t bytes = formats_.frame_bytes();
    switch (request) {
        case VIDIOC_REQBUFS:
            return with<v4l2_requestbuffers>(
                argument, [&](auto& asked) { return queue_.request(fd, asked, bytes); });
        case VIDIOC_CREATE_BUFS:
            return with<v4l2_create_buffers>(
                argument, [&](auto& asked) { return queue_.create(fd, asked, bytes); });
        case VIDIOC_QUERYBUF:
            return with<v4l2_buffer>(argument, [&](auto& told) { return queue_.query(told); });
        case VIDIOC_EXPBUF:
            return with<v4l2_exportbuffer>(
                argument, [&](auto& asked) { return queue_.export_buffer(fd, asked); });
        case VIDIOC_QBUF:
            return with<v4l2_buffer>(argument,
                                     [&](auto& given) { return queue_.queue(fd, given); });
        case VIDIOC_DQBUF: {
            const int result =
                with<v4l2_buffer>(argument, [&](auto& told) { return queue_.dequeue(fd, told); });
            return result == -EAGAIN && !handles_[fd].nonblocking ? -EDEADLK : result;
        }
        case VIDIOC_STREAMON:
            return queue_.stream_on(fd, static_cast<uint32_t>(*static_cast<int*>(argument)));
        case VIDIOC_STREAMOFF:
            return queue_.stream_off(fd, static_cast<uint32_t>(*static_cast<int*>(argument)));
        default:
            return -ENOTTY;
    }
}

int Driver::format_call(unsigned long request, void* argument) {
    const auto of_type = [&](const auto& asked) { return asked.type == queue_.type(); };
    switch (request) {
        case VIDIOC_ENUM_FMT:
            return with<v4l2_fmtdesc>(argument, [&](auto& asked) {
                return of_type(asked) ? formats_.enumerate(asked) : -EINVAL;
            });
        case VIDIOC_ENUM_FRAMESIZES:
            return with<v4l2_frmsizeenum>(
                argument, [&](auto& asked) { return formats_.enumerate_sizes(asked); });
        case VIDIOC_ENUM_FRAMEINTERVALS:
            return with<v4l2_frmivalenum>(
                argument, [&](auto& asked) { return formats_.enumerate_intervals(asked); });
        case VIDIOC_G_PARM:
            return with<v4l2_streamparm>(argument, [&](auto& parm) {
                return of_type(parm) ? formats_.get_interval(parm) : -EINVAL;
            });
        case VIDIOC_S_PARM:
            return with<v4l2_streamparm>(
                argument, [&](auto& parm) { return of_type(parm) ? set_interval(parm) : -EINVAL; });
        default:
            break;
    }
    auto& format = *static_cast<v4l2_format*>(argument);
    if (!of_type(format)) return -EINVAL;
    if (request == VIDIOC_S_FMT) return set_format(format);
    if (request == VIDIOC_TRY_FMT) {
        formats_.adjust(format);
    } else {
        formats_.get(format);
    }
    return 0;
}

int Driver::set_format(v4l2_format& format) {
    if (queue_.allocated()) return -EBUSY;
    formats_.set(format);
    return 0;
}

int Driver::set_interval(v4l2_streamparm& parm) {
    if (traits_.parm_busy && queue_.streaming()) return -EBUSY;
    return formats_.set_interval(parm);
}

int Driver::control_call(int fd, unsigned long request, void* argument) {
    if (request == VIDIOC_QUERY_EXT_CTRL) {
        return controls_.query(*static_cast<v4l2_query_ext_ctrl*>(argument));
    }
    if (request == VIDIOC_QUERYMENU) {
        return controls_.query_menu(*static_cast<v4l2_querymenu*>(argument));
    }
    auto& controls = *static_cast<v4l2_ext_controls*>(argument);
    return request == VIDIOC_G_EXT_CTRLS ? controls_.get(controls) : controls_.set(fd, controls);
}

int Driver::event_call(int fd, unsigned long request, void* argument) {
    Handle& handle = handles_[fd];
    if (request == VIDIOC_DQEVENT) {
        const int result = handle.events.take(*static_cast<v4l2_event*>(argument));
        return result == -ENOENT && !handle.nonblocking ? -EDEADLK : result;
    }
    const auto& subscription = *static_cast<const v4l2_event_subscription*>(argument);
    return request == VIDIOC_SUBSCRIBE_EVENT ? subscribe(handle, subscription)
                                             : handle.events.unsubscribe(subscription);
}

int Driver::subscribe(Handle& handle, const v4l2_event_subscription& subscription) const {
    const bool source = subscription.type == V4L2_EVENT_SOURCE_CHANGE;
    const bool control = subscription.type == V4L2_EVENT_CTRL && controls_.has(subscription.id);
    if (!control && !(source && traits_.source_change_events)) return -EINVAL;
    const bool fresh = handle.events.subscribe(subscription);
    if (fresh && control && (subscription.flags & V4L2_EVENT_SUB_FL_SEND_INITIAL) != 0) {
        handle.events.post(controls_.initial_event(subscription.id), false);
    }
    return 0;
}

void Driver::describe(v4l2_capability& capability) const {
    capability = {};
    put(capability.driver, traits_.driver);
    put(capability.card, traits_.card);
    put(capability.bus_info, traits_.bus_info);
    capability.version = version;
    capability.device_caps =
        (traits_.mplane ? V4L2_CAP_VIDEO_CAPTURE_MPLANE : V4L2_CAP_VIDEO_CAPTURE) |
        V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT | traits_.more_device_caps;
    capability.capabilities =
        capability.device_caps | V4L2_CAP_DEVICE_CAPS | traits_.more_capabilities;
}

void Driver::post(const v4l2_event& event, int file) {
    for (auto& [fd, handle] : handles_) handle.events.post(event, fd == file);
}

void Driver::refresh() {
    for (auto& [fd, handle] : handles_) {
        const bool readable = gone_ || queue_.ready(fd) || handle.events.pending();
        if (std::exchange(handle.readable, readable) == readable) continue;
        uint64_t one = 1;
        [[maybe_unused]] const ssize_t done =
            readable ? ::write(fd, &one, sizeof one) : ::read(fd, &one, sizeof one);
    }
}

}  // namespace glint::fakes::v4l2
