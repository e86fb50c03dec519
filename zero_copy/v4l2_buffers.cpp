#include "zero_copy/v4l2_buffers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "zero_copy/dma_heap.hpp"

namespace glint::zero_copy {
namespace {

constexpr int64_t nsec_per_sec = 1'000'000'000;
constexpr int64_t nsec_per_usec = 1'000;

uint32_t kind_of(Transport transport) {
    switch (transport) {
        case Transport::dmabuf:
            return V4L2_MEMORY_DMABUF;
        case Transport::userptr:
            return V4L2_MEMORY_USERPTR;
        default:
            return V4L2_MEMORY_MMAP;
    }
}

/// 0, which no frame has, for a time that is none.
int64_t nsec_of(const timeval& time) {
    constexpr int64_t most_sec = std::numeric_limits<int64_t>::max() / nsec_per_sec - 1;
    const int64_t sec = time.tv_sec;
    const int64_t usec = time.tv_usec;
    if (sec < 0 || sec > most_sec || usec < 0 || usec >= nsec_per_sec / nsec_per_usec) return 0;
    return sec * nsec_per_sec + usec * nsec_per_usec;
}

/// A buffer as the ioctls take it: of one memory plane, whichever API the driver has.
struct BufferArgument {
    BufferArgument(const V4l2Device& device, uint32_t kind) : multi_planar(device.multi_planar()) {
        buffer.type = device.buffer_type();
        buffer.memory = kind;
        if (!multi_planar) return;
        buffer.m.planes = &plane;
        buffer.length = 1;
    }
    BufferArgument(const BufferArgument&) = delete;
    BufferArgument& operator=(const BufferArgument&) = delete;

    void set_memory(const FrameMemory& memory) {
        const auto length = static_cast<uint32_t>(memory.size());
        const auto address = reinterpret_cast<unsigned long>(memory.data());
        const int fd = memory.dmabuf().get();
        if (multi_planar) {
            plane.length = length;
            if (buffer.memory == V4L2_MEMORY_USERPTR) plane.m.userptr = address;
            if (buffer.memory == V4L2_MEMORY_DMABUF) plane.m.fd = fd;
        } else {
            buffer.length = length;
            if (buffer.memory == V4L2_MEMORY_USERPTR) buffer.m.userptr = address;
            if (buffer.memory == V4L2_MEMORY_DMABUF) buffer.m.fd = fd;
        }
    }

    [[nodiscard]] uint32_t length() const { return multi_planar ? plane.length : buffer.length; }
    [[nodiscard]] uint32_t map_offset() const {
        return multi_planar ? plane.m.mem_offset : buffer.m.offset;
    }
    [[nodiscard]] Filled filled() const {
        return {.slot = buffer.index,
                .bytes_used = multi_planar ? plane.bytesused : buffer.bytesused,
                .offset_bytes = multi_planar ? plane.data_offset : 0,
                .flags = buffer.flags,
                .sequence = buffer.sequence,
                .timestamp_nsec = nsec_of(buffer.timestamp)};
    }

    bool multi_planar;
    v4l2_buffer buffer{};
    v4l2_plane plane{};
};

/// A refusal costs a rung, unless no rung can help.
[[noreturn]] void refuse(int code, const std::string& what) {
    const SourceError error = device_error(code, what);
    if (error.kind() == SourceError::Kind::absent || error.kind() == SourceError::Kind::busy) {
        throw error;
    }
    throw TransportRefused(error.what());
}

}  // namespace

std::vector<FrameMemory> V4l2Buffers::allocate(Transport transport, uint32_t count,
                                               size_t size_bytes,
                                               std::span<const std::string> heaps) {
    release();
    transport_ = transport;
    capabilities_ = ask_capabilities();
    if (transport != Transport::dmabuf) return allocate_from("", count, size_bytes);
    // A heap may be empty, or give scattered pages to a driver that takes contiguous ones only.
    std::string refusals;
    for (const std::string& heap : heaps) {
        try {
            return allocate_from(heap, count, size_bytes);
        } catch (const TransportRefused& refusal) {
            refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", heap, refusal.what());
        }
    }
    throw TransportRefused(refusals.empty() ? "no heap is configured" : refusals);
}

std::vector<FrameMemory> V4l2Buffers::allocate_from(const std::string& heap, uint32_t count,
                                                    size_t size_bytes) {
    const uint32_t given = request(count);
    memory_kind_ = kind_of(transport_);
    std::vector<FrameMemory> buffers;
    try {
        for (uint32_t slot = 0; slot < given; ++slot) {
            buffers.push_back(memory_for(slot, size_bytes, heap));
        }
        buffers_ = buffers;
        try_out();
        return buffers;
    } catch (const std::system_error& error) {
        buffers.clear();  // a driver does not free what is mapped
        release();
        throw TransportRefused(error.what());
    } catch (...) {
        buffers.clear();
        release();
        throw;
    }
}

/// A request for no buffers at all: refused by drivers that do not know this kind of memory.
uint32_t V4l2Buffers::ask_capabilities() const {
    v4l2_requestbuffers none{};
    none.type = device_.buffer_type();
    none.memory = kind_of(transport_);
    const int code = device_.call(VIDIOC_REQBUFS, &none);
    if (code != 0) refuse(code, fmt::format("VIDIOC_REQBUFS for {}", name_of(transport_)));
    return none.capabilities;
}

/// As many as there is memory for. Cached pages are asked for where the driver knows the
/// difference: the CPU reads uncached ones ten times slower.
uint32_t V4l2Buffers::request(uint32_t count) {
    v4l2_requestbuffers wanted{};
    int code = 0;
    const bool hints = (capabilities_ & V4L2_BUF_CAP_SUPPORTS_MMAP_CACHE_HINTS) != 0;
    for (uint32_t tried = count; tried >= min_buffers; --tried) {
        wanted = {};
        wanted.type = device_.buffer_type();
        wanted.memory = kind_of(transport_);
        wanted.count = tried;
        if (hints && transport_ == Transport::mmap) wanted.flags = V4L2_MEMORY_FLAG_NON_COHERENT;
        code = device_.call(VIDIOC_REQBUFS, &wanted);
        if (code != ENOMEM) break;
    }
    if (code != 0) refuse(code, fmt::format("VIDIOC_REQBUFS for {}", name_of(transport_)));
    if (wanted.count >= min_buffers && wanted.count <= max_buffers) return wanted.count;
    memory_kind_ = kind_of(transport_);
    release();
    throw TransportRefused(fmt::format("the driver gives {} buffers; {} to {} are needed",
                                       wanted.count, min_buffers, max_buffers));
}

FrameMemory V4l2Buffers::memory_for(uint32_t slot, size_t size_bytes, const std::string& heap) {
    switch (transport_) {
        case Transport::dmabuf:
            return allocate_dmabuf(device_.calls(), heap, size_bytes);
        case Transport::userptr:
            return FrameMemory(size_bytes);
        default:
            return mapped(slot, size_bytes);
    }
}

/// The driver's pages; as a dma-buf too where it exports them, so that CPU access can be announced.
FrameMemory V4l2Buffers::mapped(uint32_t slot, size_t size_bytes) {
    BufferArgument argument(device_, memory_kind_);
    argument.buffer.index = slot;
    if (const int code = device_.call(VIDIOC_QUERYBUF, &argument.buffer); code != 0) {
        refuse(code, "VIDIOC_QUERYBUF");
    }
    if (argument.length() < size_bytes) {  // reading past the mapping's end kills the process
        throw TransportRefused(fmt::format("the driver's buffer {} has {} bytes, a frame {}", slot,
                                           argument.length(), size_bytes));
    }
    FrameMemory memory(device_.calls(), device_.fd(), argument.map_offset(), argument.length());
    v4l2_exportbuffer exported{};
    exported.type = device_.buffer_type();
    exported.index = slot;
    exported.flags = O_RDWR | O_CLOEXEC;
    if (device_.call(VIDIOC_EXPBUF, &exported) == 0) {
        memory.attach(DeviceFd(device_.calls(), exported.fd));
    }
    return memory;
}

/// Some drivers advertise a kind of memory and refuse it when the first buffer comes.
void V4l2Buffers::try_out() {
    const int code = queue(0);
    stop();
    if (code != 0)
        refuse(code, fmt::format("VIDIOC_QBUF of the first {} buffer", name_of(transport_)));
}

void V4l2Buffers::release() noexcept {
    buffers_ = {};
    if (memory_kind_ == 0) return;
    v4l2_requestbuffers none{};
    none.type = device_.buffer_type();
    none.memory = memory_kind_;
    (void)device_.call(VIDIOC_REQBUFS, &none);
    memory_kind_ = 0;
}

void V4l2Buffers::start(std::span<const FrameMemory> buffers) {
    buffers_ = buffers;
    start_error_ = 0;
    for (uint32_t slot = 0; slot < buffers.size(); ++slot) {
        if (const int code = queue(slot); code != 0 && !is_queued(slot)) {
            stop();
            throw stream_error(code, fmt::format("VIDIOC_QBUF on {}", device_.path()));
        }
    }
    int type = static_cast<int>(device_.buffer_type());
    start_error_ = device_.call(VIDIOC_STREAMON, &type);
    if (start_error_ != 0) {
        stop();
        throw stream_error(start_error_, fmt::format("VIDIOC_STREAMON on {}", device_.path()));
    }
}

/// Drivers older than videobuf2 keep the buffer that was tried out: to them a stream that has not
/// begun has no end.
bool V4l2Buffers::is_queued(uint32_t slot) const noexcept {
    BufferArgument argument(device_, memory_kind_);
    argument.buffer.index = slot;
    return device_.call(VIDIOC_QUERYBUF, &argument.buffer) == 0 &&
           (argument.buffer.flags & V4L2_BUF_FLAG_QUEUED) != 0;
}

void V4l2Buffers::stop() noexcept {
    int type = static_cast<int>(device_.buffer_type());
    (void)device_.call(VIDIOC_STREAMOFF, &type);
}

int V4l2Buffers::queue(uint32_t slot) noexcept {
    BufferArgument argument(device_, memory_kind_);
    argument.buffer.index = slot;
    argument.set_memory(buffers_[slot]);
    return device_.call(VIDIOC_QBUF, &argument.buffer);
}

int V4l2Buffers::dequeue(Filled& filled) noexcept {
    BufferArgument argument(device_, memory_kind_);
    const int code = device_.call(VIDIOC_DQBUF, &argument.buffer);
    if (code != 0) return code;
    if (argument.buffer.index >= buffers_.size()) return EBADSLT;
    filled = argument.filled();
    return 0;
}

}  // namespace glint::zero_copy
