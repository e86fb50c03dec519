// What the random driver answers as a capture device, and how it lies.
#include "tests/fuzz/random_driver.hpp"

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/media.h>
#include <linux/udmabuf.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <optional>

#include "tests/fakes/dma_bufs.hpp"
#include "zero_copy/formats.hpp"
#include "zero_copy/v4l2_format.hpp"

namespace glint::fuzz {
namespace {

namespace zc = zero_copy;

constexpr size_t largest_mapping = size_t{16} << 20;
constexpr std::array offered{V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_GREY, V4L2_PIX_FMT_NV12,
                             V4L2_PIX_FMT_Y10P, V4L2_PIX_FMT_MJPEG};

/// Of 64 bits: what a driver says of its size may be all of 32.
uint64_t page_aligned(uint64_t bytes) {
    return zc::align_up(bytes, zc::page_bytes);
}

}  // namespace

RandomDriver::Mood RandomDriver::take_mood() {
    const auto byte = take<uint8_t>();
    if (byte < 0xC0) return Mood::sound;
    return byte < 0xE0 ? Mood::refusing : Mood::lying;
}

int RandomDriver::take_errno() {
    constexpr std::array likely{EINVAL, ENODEV, EBUSY,  ENOMEM, EAGAIN,
                                EPIPE,  EIO,    ENOTTY, ENOENT, EACCES};
    const auto byte = take<uint8_t>();
    constexpr int all = 133;  // EHWPOISON, the last
    return byte < 0x80 ? likely.at(byte % likely.size()) : 1 + byte % all;
}

int RandomDriver::new_handle(uint64_t bytes) {
    handles_[next_handle_] = bytes;
    return next_handle_++;
}

int RandomDriver::open(const char* path, int) noexcept {
    const std::string_view name = path;
    const bool media = name.starts_with("/dev/media");
    if (take_mood() == Mood::refusing) {
        errno = take_errno();
        return -1;
    }
    if (media && name != "/dev/media0") {
        errno = ENOENT;
        return -1;
    }
    return new_handle(0);
}

void RandomDriver::close(int fd) noexcept {
    require(handles_.erase(fd) == 1, "what is closed is open");
}

std::string RandomDriver::node_path(zc::NodeNumber) {
    return take_mood() == Mood::sound ? "/dev/v4l-subdev0" : "";
}

std::optional<zc::NodeNumber> RandomDriver::node_number(const std::string& path) {
    if (take_mood() != Mood::sound) return std::nullopt;
    if (path == "/dev/video0") return zc::NodeNumber{81, 0};
    if (path == "/dev/media0" && take<uint8_t>() % 2 == 1) return zc::NodeNumber{240, 0};
    return std::nullopt;
}

void* RandomDriver::map(size_t bytes, int fd, off_t) noexcept {
    const auto handle = handles_.find(fd);
    require(handle != handles_.end(), "what is mapped is open");
    const bool beyond = handle->second != 0 && bytes > handle->second;
    int code = take_mood() == Mood::refusing ? take_errno() : 0;
    if (code == 0 && (bytes == 0 || beyond)) code = EINVAL;
    if (code == 0 && bytes > largest_mapping) code = ENOMEM;
    if (code != 0) {
        errno = code;
        return MAP_FAILED;
    }
    has_mapped_ = true;
    const zc::UniqueFd memory = fakes::make_memory(memory_name, bytes);
    return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
}

int RandomDriver::ioctl(int fd, unsigned long request, void* argument) noexcept {
    require(handles_.contains(fd), "what is asked is open");
    const Mood mood = take_mood();
    int result = mood == Mood::refusing ? -take_errno() : answer(request, argument);
    // The caller waits for as long as the kernel says this, and the kernel says it once.
    if (request == DMA_BUF_IOCTL_SYNC && result == -EAGAIN) result = -EIO;
    if (result < 0) {
        errno = -result;
        return -1;
    }
    if (mood == Mood::lying) lie(request, argument);
    if (request == VIDIOC_S_FMT) note_asked(*static_cast<const v4l2_format*>(argument));
    return result;
}

int RandomDriver::answer(unsigned long request, void* argument) {
    switch (request) {
        case VIDIOC_QUERYCAP:
            return describe(*static_cast<v4l2_capability*>(argument));
        case VIDIOC_ENUM_FMT:
            return list_format(*static_cast<v4l2_fmtdesc*>(argument));
        case VIDIOC_G_FMT:
        case VIDIOC_S_FMT:
            return format(*static_cast<v4l2_format*>(argument), request == VIDIOC_S_FMT);
        case VIDIOC_G_PARM:
        case VIDIOC_S_PARM:
            return interval(*static_cast<v4l2_streamparm*>(argument));
        case VIDIOC_REQBUFS:
            return request_buffers(*static_cast<v4l2_requestbuffers*>(argument));
        case VIDIOC_CREATE_BUFS:
            return create_buffer(*static_cast<v4l2_create_buffers*>(argument));
        case VIDIOC_QUERYBUF:
            return describe_buffer(*static_cast<v4l2_buffer*>(argument));
        case VIDIOC_QBUF:
            return queue(*static_cast<const v4l2_buffer*>(argument));
        case VIDIOC_DQBUF:
            return dequeue(*static_cast<v4l2_buffer*>(argument));
        case VIDIOC_STREAMON:
            streaming_ = true;
            return 0;
        case VIDIOC_STREAMOFF:
            streaming_ = false;
            queued_.clear();
            return 0;
        case VIDIOC_SUBSCRIBE_EVENT:
            return 0;
        case VIDIOC_DQEVENT:
            return event(*static_cast<v4l2_event*>(argument));
        case VIDIOC_QUERY_EXT_CTRL:
        case VIDIOC_QUERYMENU:
        case VIDIOC_G_EXT_CTRLS:
        case VIDIOC_S_EXT_CTRLS:
            return control_answer(request, argument);
        case VIDIOC_EXPBUF:
        case DMA_HEAP_IOCTL_ALLOC:
        case UDMABUF_CREATE:
        case DMA_BUF_IOCTL_SYNC:
            return memory_answer(request, argument);
        default:
            return media_answer(request, argument);
    }
}

int RandomDriver::describe(v4l2_capability& capability) {
    const auto byte = take<uint8_t>();
    multi_planar_ = byte % 2 == 1;
    const char* const name = byte % 4 < 2 ? "mxc" : "uvcvideo";
    std::memcpy(capability.driver, name, std::strlen(name));
    capability.device_caps = V4L2_CAP_STREAMING | (multi_planar_ ? V4L2_CAP_VIDEO_CAPTURE_MPLANE
                                                                 : V4L2_CAP_VIDEO_CAPTURE);
    capability.capabilities = capability.device_caps | V4L2_CAP_DEVICE_CAPS;
    return 0;
}

int RandomDriver::list_format(v4l2_fmtdesc& description) const {
    if (description.index >= offered.size()) return -EINVAL;
    description.pixelformat = offered.at(description.index);
    return 0;
}

int RandomDriver::format(v4l2_format& format, bool set) {
    v4l2_pix_format_mplane& planes = format.fmt.pix_mp;
    if (set) {
        format_.pixelformat = multi_planar_ ? planes.pixelformat : format.fmt.pix.pixelformat;
        format_.width = multi_planar_ ? planes.width : format.fmt.pix.width;
        format_.height = multi_planar_ ? planes.height : format.fmt.pix.height;
    }
    format_.width = std::clamp(format_.width, 1U, most_width);
    format_.height = std::clamp(format_.height, 1U, most_height);
    const auto known = zc::format_from_v4l2(format_.pixelformat);
    const auto layout =
        zc::make_layout(known.value_or(zc::PixelFormat::grey), format_.width, format_.height);
    format_.bytesperline = layout.planes[0].stride_bytes;
    format_.sizeimage = layout.size_bytes;
    format_.field = V4L2_FIELD_NONE;
    if (!multi_planar_) {
        format.fmt.pix = format_;
        return 0;
    }
    planes = {};
    planes.width = format_.width;
    planes.height = format_.height;
    planes.pixelformat = format_.pixelformat;
    planes.field = V4L2_FIELD_NONE;
    planes.num_planes = 1;
    planes.plane_fmt[0].bytesperline = format_.bytesperline;
    planes.plane_fmt[0].sizeimage = format_.sizeimage;
    return 0;
}

int RandomDriver::interval(v4l2_streamparm& parameters) const {
    parameters.parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    if (parameters.parm.capture.timeperframe.denominator == 0) {
        parameters.parm.capture.timeperframe = {1, 30};
    }
    return 0;
}

int RandomDriver::request_buffers(v4l2_requestbuffers& request) {
    request.count = std::min<uint32_t>(request.count, VIDEO_MAX_FRAME);
    request.capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP_CACHE_HINTS;
    buffers_ = request.count;
    queued_.clear();
    return 0;
}

int RandomDriver::create_buffer(v4l2_create_buffers& request) {
    request.index = 0;
    // What EXPBUF gives has this size then.
    format_.sizeimage = multi_planar_ ? request.format.fmt.pix_mp.plane_fmt[0].sizeimage
                                      : request.format.fmt.pix.sizeimage;
    return 0;
}

bool RandomDriver::multi_planar_argument(const v4l2_buffer& buffer) {
    return buffer.type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
}

int RandomDriver::describe_buffer(v4l2_buffer& buffer) const {
    if (buffer.index >= buffers_) return -EINVAL;
    const auto length = static_cast<uint32_t>(page_aligned(format_.sizeimage));
    if (multi_planar_argument(buffer)) {
        buffer.m.planes[0].length = length;
        buffer.m.planes[0].m.mem_offset = buffer.index * length;
    } else {
        buffer.length = length;
        buffer.m.offset = buffer.index * length;
    }
    return 0;
}

/// As the hardware would, this touches the first and the last byte that it was promised.
int RandomDriver::queue(const v4l2_buffer& buffer) {
    if (buffer.index >= buffers_) return -EINVAL;
    const bool planes = multi_planar_argument(buffer);
    const uint32_t length = planes ? buffer.m.planes[0].length : buffer.length;
    if (length < format_.sizeimage) return -EINVAL;
    if (buffer.memory == V4L2_MEMORY_USERPTR) {
        auto* const at = reinterpret_cast<volatile uint8_t*>(planes ? buffer.m.planes[0].m.userptr
                                                                    : buffer.m.userptr);
        at[0] = 1;
        at[length - 1] = 1;
    }
    if (buffer.memory == V4L2_MEMORY_DMABUF) {
        const auto handle = handles_.find(planes ? buffer.m.planes[0].m.fd : buffer.m.fd);
        require(handle != handles_.end(), "a dma-buf that is queued is open");
        require(length <= handle->second, "a dma-buf is as long as it is said to be");
    }
    queued_.insert(buffer.index);
    return 0;
}

int RandomDriver::dequeue(v4l2_buffer& buffer) {
    if (!streaming_ || queued_.empty()) return -EAGAIN;
    buffer.index = *queued_.begin();
    queued_.erase(queued_.begin());
    buffer.sequence = sequence_++;
    buffer.flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    const uint32_t used = format_.sizeimage;
    (multi_planar_argument(buffer) ? buffer.m.planes[0].bytesused : buffer.bytesused) = used;
    return 0;
}

int RandomDriver::event(v4l2_event& event) {
    constexpr std::array told{V4L2_CID_EXPOSURE_ABSOLUTE, V4L2_CID_EXPOSURE, V4L2_CID_HBLANK,
                              V4L2_CID_PIXEL_RATE, V4L2_CID_GAIN};
    const auto byte = take<uint8_t>();
    if (byte % 2 == 0) return -ENOENT;
    event.type = byte == UINT8_MAX ? V4L2_EVENT_SOURCE_CHANGE : V4L2_EVENT_CTRL;
    event.id = static_cast<uint32_t>(told.at(byte / 2 % told.size()));
    event.u.ctrl.type = V4L2_CTRL_TYPE_INTEGER64;
    event.u.ctrl.value64 = take<int64_t>();
    return 0;
}

int RandomDriver::memory_answer(unsigned long request, void* argument) {
    switch (request) {
        case VIDIOC_EXPBUF:
            static_cast<v4l2_exportbuffer*>(argument)->fd =
                new_handle(page_aligned(format_.sizeimage));
            return 0;
        case DMA_HEAP_IOCTL_ALLOC: {
            auto& wanted = *static_cast<dma_heap_allocation_data*>(argument);
            wanted.fd = static_cast<uint32_t>(new_handle(wanted.len));
            return 0;
        }
        case UDMABUF_CREATE:
            return new_handle(static_cast<const udmabuf_create*>(argument)->size);
        default:
            return 0;
    }
}

void RandomDriver::change_words(void* at, size_t bytes) {
    auto* const first = static_cast<uint8_t*>(at);
    const size_t words = bytes / sizeof(uint32_t);
    const size_t changes = 1 + take<uint8_t>() % 4;
    for (size_t i = 0; i < changes && words != 0; ++i) {
        const size_t word = take<uint8_t>() % words;
        const auto value = take<uint32_t>();
        std::memcpy(first + word * sizeof value, &value, sizeof value);
    }
}

/// Changes what the kernel leaves to the driver: no descriptor, and no pointer into the caller.
void RandomDriver::lie(unsigned long request, void* argument) {
    const size_t bytes = _IOC_SIZE(request);
    switch (request) {
        case VIDIOC_EXPBUF:
        case DMA_HEAP_IOCTL_ALLOC:
        case UDMABUF_CREATE:
            return;
        case VIDIOC_QUERYBUF:
        case VIDIOC_QBUF:
        case VIDIOC_DQBUF: {
            auto& buffer = *static_cast<v4l2_buffer*>(argument);
            if (!multi_planar_argument(buffer)) return change_words(argument, bytes);
            v4l2_plane* const plane = buffer.m.planes;
            change_words(plane, sizeof *plane);
            change_words(argument, bytes);
            buffer.m.planes = plane;
            return;
        }
        case VIDIOC_G_EXT_CTRLS:
        case VIDIOC_S_EXT_CTRLS:
            return change_words(static_cast<v4l2_ext_controls*>(argument)->controls,
                                sizeof(v4l2_ext_control));
        case MEDIA_IOC_ENUM_LINKS: {
            auto& request_of = *static_cast<media_links_enum*>(argument);
            change_words(request_of.pads, sizeof(media_pad_desc));
            return change_words(request_of.links, sizeof(media_link_desc));
        }
        default:
            return change_words(argument, bytes);
    }
}

void RandomDriver::note_asked(const v4l2_format& format) {
    asked_bytes_ =
        multi_planar_ ? format.fmt.pix_mp.plane_fmt[0].sizeimage : format.fmt.pix.sizeimage;
}

}  // namespace glint::fuzz
