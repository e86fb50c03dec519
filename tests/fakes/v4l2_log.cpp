// The texts of a fake capture driver's log.
#include "tests/fakes/v4l2_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cstring>

namespace glint::fakes::v4l2 {
namespace {

const char* memory_text(uint32_t memory) {
    switch (memory) {
        case V4L2_MEMORY_MMAP:
            return "mmap";
        case V4L2_MEMORY_USERPTR:
            return "userptr";
        case V4L2_MEMORY_DMABUF:
            return "dmabuf";
        default:
            return "unknown-memory";
    }
}

std::string picture_text(const v4l2_format& format) {
    const bool mplane = format.type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
    if (mplane) {
        const v4l2_pix_format_mplane& pix = format.fmt.pix_mp;
        return fmt::format("{} {}x{}", fourcc_text(pix.pixelformat), uint32_t{pix.width},
                           uint32_t{pix.height});
    }
    const v4l2_pix_format& pix = format.fmt.pix;
    return fmt::format("{} {}x{}", fourcc_text(pix.pixelformat), pix.width, pix.height);
}

std::string controls_text(const v4l2_ext_controls& controls, bool with_values) {
    std::string text;
    for (uint32_t i = 0; i < controls.count; ++i) {
        text += fmt::format(" {:#010x}", uint32_t{controls.controls[i].id});
        if (with_values) text += fmt::format("={}", int32_t{controls.controls[i].value});
    }
    return text;
}

template <typename Argument>
const Argument& as(const void* argument) {
    return *static_cast<const Argument*>(argument);
}

std::string buffers_text(unsigned long request, const void* argument) {
    if (request == VIDIOC_REQBUFS) {
        const auto& asked = as<v4l2_requestbuffers>(argument);
        return fmt::format("REQBUFS {} {}", memory_text(asked.memory), asked.count);
    }
    const auto& asked = as<v4l2_create_buffers>(argument);
    return fmt::format("CREATE_BUFS {} {}", memory_text(asked.memory), asked.count);
}

}  // namespace

std::string fourcc_text(uint32_t fourcc) {
    std::string text;
    for (int shift = 0; shift < 32; shift += 8) {
        text += static_cast<char>((fourcc >> shift) & 0x7f);
    }
    text.erase(text.find_last_not_of(std::string_view(" \0", 2)) + 1);
    return text;
}

std::string request_text(unsigned long request, const void* argument) {
    switch (request) {
        case VIDIOC_QUERYCAP:
            return "QUERYCAP";
        case VIDIOC_ENUM_FMT:
            return "ENUM_FMT";
        case VIDIOC_ENUM_FRAMESIZES:
            return "ENUM_FRAMESIZES";
        case VIDIOC_ENUM_FRAMEINTERVALS:
            return "ENUM_FRAMEINTERVALS";
        case VIDIOC_G_FMT:
            return "G_FMT";
        case VIDIOC_S_FMT:
            return "S_FMT " + picture_text(as<v4l2_format>(argument));
        case VIDIOC_TRY_FMT:
            return "TRY_FMT " + picture_text(as<v4l2_format>(argument));
        case VIDIOC_G_PARM:
            return "G_PARM";
        case VIDIOC_S_PARM: {
            const v4l2_fract& time = as<v4l2_streamparm>(argument).parm.capture.timeperframe;
            return fmt::format("S_PARM {}/{}", time.numerator, time.denominator);
        }
        case VIDIOC_REQBUFS:
        case VIDIOC_CREATE_BUFS:
            return buffers_text(request, argument);
        case VIDIOC_QUERYBUF:
            return fmt::format("QUERYBUF {}", as<v4l2_buffer>(argument).index);
        case VIDIOC_EXPBUF:
            return fmt::format("EXPBUF {}", as<v4l2_exportbuffer>(argument).index);
        case VIDIOC_QBUF:
            return fmt::format("QBUF {}", as<v4l2_buffer>(argument).index);
        case VIDIOC_DQBUF:
            return "DQBUF";
        case VIDIOC_STREAMON:
            return "STREAMON";
        case VIDIOC_STREAMOFF:
            return "STREAMOFF";
        case VIDIOC_SUBSCRIBE_EVENT:
            return fmt::format("SUBSCRIBE_EVENT {}", as<v4l2_event_subscription>(argument).type);
        case VIDIOC_UNSUBSCRIBE_EVENT:
            return fmt::format("UNSUBSCRIBE_EVENT {}", as<v4l2_event_subscription>(argument).type);
        case VIDIOC_DQEVENT:
            return "DQEVENT";
        case VIDIOC_QUERY_EXT_CTRL:
            return "QUERY_EXT_CTRL";
        case VIDIOC_QUERYMENU:
            return "QUERYMENU";
        case VIDIOC_G_EXT_CTRLS:
            return "G_EXT_CTRLS" + controls_text(as<v4l2_ext_controls>(argument), false);
        case VIDIOC_S_EXT_CTRLS:
            return "S_EXT_CTRLS" + controls_text(as<v4l2_ext_controls>(argument), true);
        default:
            return fmt::format("{:#x}", request);
    }
}

void Log::add(std::string text, int result) {
    if (result < 0) {
        const char* const name = ::strerrorname_np(-result);
        text += fmt::format(": {}", name != nullptr ? name : "unknown errno");
    }
    entries_.push_back(text);
    if (on_event) on_event(text);
}

size_t Log::times(std::string_view text) const {
    return static_cast<size_t>(
        std::count_if(entries_.begin(), entries_.end(), [&](const std::string& entry) {
            if (entry == text) return true;
            return entry.starts_with(text) && entry[text.size()] == ' ' &&
                   entry.find(": E") == std::string::npos;
        }));
}

std::string Log::missing_in_order(std::initializer_list<std::string_view> texts) const {
    auto from = entries_.begin();
    for (const std::string_view text : texts) {
        from = std::find(from, entries_.end(), text);
        if (from == entries_.end()) {
            return fmt::format("\"{}\" is missing in that order in: {}", text,
                               fmt::join(entries_, ", "));
        }
        ++from;
    }
    return {};
}

}  // namespace glint::fakes::v4l2
