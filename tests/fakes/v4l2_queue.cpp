// Who may do what with a queue, and when: after drivers/media/common/videobuf2.
#include "tests/fakes/v4l2_queue.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "tests/fakes/dma_bufs.hpp"
#include "zero_copy/formats.hpp"
#include "zero_copy/frame_memory.hpp"

namespace glint::fakes::v4l2 {
namespace {

using zero_copy::align_up;
using zero_copy::page_bytes;

constexpr uint32_t most_buffers = VIDEO_MAX_FRAME;

}  // namespace

uint32_t Queue::type() const {
    return traits_.mplane ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

bool Queue::busy(int file) const {
    return owned_elsewhere_ || (owner_ && *owner_ != file);
}

uint32_t Queue::capabilities() const {
    if (!traits_.reports_capabilities) return 0;
    return (traits_.mmap ? V4L2_BUF_CAP_SUPPORTS_MMAP : 0U) |
           (traits_.userptr ? V4L2_BUF_CAP_SUPPORTS_USERPTR : 0U) |
           (traits_.dmabuf ? V4L2_BUF_CAP_SUPPORTS_DMABUF : 0U) |
           (traits_.orphans ? V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS : 0U) |
           (traits_.cache_hints ? V4L2_BUF_CAP_SUPPORTS_MMAP_CACHE_HINTS : 0U);
}

int Queue::refusal(uint32_t memory, uint32_t asked_type) const {
    const bool known =
        (memory == V4L2_MEMORY_MMAP && traits_.mmap) ||
        (memory == V4L2_MEMORY_USERPTR && traits_.userptr && !traits_.userptr_refused) ||
        (memory == V4L2_MEMORY_DMABUF && traits_.dmabuf);
    return known && asked_type == type() ? 0 : -EINVAL;
}

int Queue::request(int file, v4l2_requestbuffers& asked, uint32_t frame_bytes) {
    if (const int refused = refusal(asked.memory, asked.type); refused < 0) return refused;
    if (busy(file) || streaming_) return -EBUSY;
    if (!traits_.orphans && memory_ == V4L2_MEMORY_MMAP &&
        std::any_of(buffers_.begin(), buffers_.end(),
                    [](const Buffer& buffer) { return used_elsewhere(buffer.memory.get()); })) {
        return -EBUSY;
    }
    cancel();
    free();
    asked.capabilities = capabilities();
    const bool hints = traits_.cache_hints && asked.memory == V4L2_MEMORY_MMAP;
    asked.flags = hints ? asked.flags & V4L2_MEMORY_FLAG_NON_COHERENT : uint8_t{0};
    if (asked.count == 0) {
        owner_.reset();
        return 0;
    }
    const uint32_t wanted = std::min(std::max(asked.count, traits_.min_buffers), most_buffers);
    memory_ = asked.memory;
    const uint32_t got = allocate(wanted, frame_bytes);
    if (got == 0 || got < traits_.min_buffers) {
        free();
        return -ENOMEM;
    }
    asked.count = got;
    owner_ = file;
    return 0;
}

int Queue::create(int file, v4l2_create_buffers& asked, uint32_t frame_bytes) {
    if (!traits_.creates_buffers) return -ENOTTY;
    if (const int refused = refusal(asked.memory, asked.format.type); refused < 0) return refused;
    asked.index = static_cast<uint32_t>(buffers_.size());
    asked.capabilities = capabilities();
    if (asked.count == 0) return 0;
    if (busy(file)) return -EBUSY;
    const uint32_t bytes = traits_.mplane ? asked.format.fmt.pix_mp.plane_fmt[0].sizeimage
                                          : asked.format.fmt.pix.sizeimage;
    if (bytes < frame_bytes) return -EINVAL;
    if (buffers_.size() == most_buffers) return -ENOBUFS;
    if (!buffers_.empty() && memory_ != asked.memory) return -EINVAL;
    memory_ = asked.memory;
    asked.count = allocate(std::min(asked.count, most_buffers - asked.index), bytes);
    if (asked.count == 0) return -ENOMEM;
    owner_ = file;
    return 0;
}

uint32_t Queue::allocate(uint32_t count, uint32_t bytes) {
    uint32_t made = 0;
    for (; made < count; ++made) {
        if (memory_ == V4L2_MEMORY_MMAP && buffers_.size() >= traits_.max_buffers) break;
        Buffer buffer;
        buffer.least_bytes = buffer.length = bytes;
        if (memory_ == V4L2_MEMORY_MMAP) buffer.memory = make_memory("fake-v4l2", bytes);
        if (!buffers_.empty()) {
            const Buffer& last = buffers_.back();
            buffer.offset = last.offset + static_cast<uint32_t>(align_up(last.length, page_bytes));
        }
        buffers_.push_back(std::move(buffer));
    }
    return made;
}

int Queue::query(v4l2_buffer& told) const {
    if (told.type != type() || told.index >= buffers_.size()) return -EINVAL;
    if (!planes_fit(told)) return -EINVAL;
    describe(told.index, told);
    const Buffer& buffer = buffers_[told.index];
    if (memory_ == V4L2_MEMORY_MMAP && used_elsewhere(buffer.memory.get())) {
        told.flags |= V4L2_BUF_FLAG_MAPPED;  // dequeue() leaves it out: /proc is slow to read
    }
    return 0;
}

int Queue::export_buffer(int file, v4l2_exportbuffer& asked) const {
    if (busy(file)) return -EBUSY;
    if (memory_ != V4L2_MEMORY_MMAP || !traits_.exports) return -EINVAL;
    if ((asked.flags & ~static_cast<uint32_t>(O_CLOEXEC | O_ACCMODE)) != 0) return -EINVAL;
    if (asked.type != type() || asked.index >= buffers_.size() || asked.plane != 0) return -EINVAL;
    const int fd = export_memory(buffers_[asked.index].memory.get(), static_cast<int>(asked.flags));
    if (fd < 0) return fd;
    asked.fd = fd;
    return 0;
}

bool Queue::planes_fit(const v4l2_buffer& buffer) const {
    if (!traits_.mplane) return true;
    return buffer.m.planes != nullptr && buffer.length >= 1 && buffer.length <= VIDEO_MAX_PLANES;
}

int Queue::queue(int file, v4l2_buffer& given) {
    if (busy(file)) return -EBUSY;
    if (given.type != type() || given.index >= buffers_.size()) return -EINVAL;
    if (given.memory != memory_ || !planes_fit(given)) return -EINVAL;
    if ((given.flags & V4L2_BUF_FLAG_REQUEST_FD) != 0) return -EBADR;
    if (failed_) return -EIO;
    Buffer& buffer = buffers_[given.index];
    if (buffer.state != State::dequeued) return -EINVAL;
    if (const int result = prepare(buffer, plane_of(given)); result < 0) return result;
    buffer.state = State::queued;
    queued_.push_back(given.index);
    if (streaming_ && !started_ && queued_.size() >= traits_.min_queued) {
        if (const int result = start(); result < 0) {
            queued_.pop_back();
            buffer.state = State::dequeued;
            return result;
        }
    }
    describe(given.index, given);
    return 0;
}

int Queue::dequeue(int file, v4l2_buffer& told) {
    if (busy(file)) return -EBUSY;
    if (told.type != type() || !streaming_) return -EINVAL;
    if (failed_) return -EIO;
    if (done_.empty()) return -EAGAIN;
    if (!planes_fit(told)) return -EINVAL;  // and the frame waits on
    const uint32_t index = done_.front();
    done_.pop_front();
    describe(index, told);
    told.flags &= ~static_cast<uint32_t>(V4L2_BUF_FLAG_DONE);
    buffers_[index].state = State::dequeued;
    return 0;
}

int Queue::stream_on(int file, uint32_t asked_type) {
    if (busy(file)) return -EBUSY;
    if (asked_type != type()) return -EINVAL;
    if (streaming_) return 0;
    if (buffers_.empty() || buffers_.size() < traits_.min_queued) return -EINVAL;
    if (queued_.size() >= traits_.min_queued) {
        if (const int result = start(); result < 0) return result;
    }
    streaming_ = true;
    return 0;
}

int Queue::start() {
    if (graph_broken_) return -EPIPE;  // what is queued stays queued
    started_ = true;
    sequence_ = 0;
    return 0;
}

int Queue::stream_off(int file, uint32_t asked_type) {
    if (busy(file)) return -EBUSY;
    if (asked_type != type()) return -EINVAL;
    if (streaming_ || !traits_.streamoff_needs_stream) cancel();
    return 0;
}

void Queue::cancel() {
    streaming_ = started_ = failed_ = false;
    queued_.clear();
    done_.clear();
    for (Buffer& buffer : buffers_) buffer.state = State::dequeued;
}

void Queue::free() {
    buffers_.clear();
    memory_ = 0;
}

void Queue::release(int file) {
    if (owner_ != file) return;
    cancel();
    free();
    owner_.reset();
}

bool Queue::ready(int file) const {
    return streaming_ && !busy(file) && (failed_ || !done_.empty());
}

int Queue::memory_at(off_t offset, size_t bytes, int& memory) const {
    if (memory_ != V4L2_MEMORY_MMAP) return -EINVAL;
    for (size_t index = 0; index < buffers_.size(); ++index) {
        const Buffer& buffer = buffers_[index];
        if (static_cast<off_t>(buffer.offset) != offset) continue;
        if (align_up(bytes, page_bytes) > align_up(buffer.length, page_bytes)) return -EINVAL;
        memory = buffer.memory.get();
        return static_cast<int>(index);
    }
    return -EINVAL;
}

}  // namespace glint::fakes::v4l2
