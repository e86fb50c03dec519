// What is in a buffer of a fake capture driver: its memory, its pixels, and what is told of it.
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <span>
#include <system_error>
#include <utility>

#include "tests/fakes/dma_bufs.hpp"
#include "tests/fakes/v4l2_queue.hpp"
#include "zero_copy/formats.hpp"
#include "zero_copy/frame_memory.hpp"

namespace glint::fakes::v4l2 {
namespace {

using zero_copy::align_up;
using zero_copy::page_bytes;
using zero_copy::UniqueFd;

bool is_mapped(unsigned long address, size_t bytes) {
    const unsigned long first = address & ~static_cast<unsigned long>(page_bytes - 1);
    const auto size = static_cast<size_t>(align_up(address + bytes, page_bytes) - first);
    std::vector<unsigned char> pages(size / page_bytes);
    return ::mincore(reinterpret_cast<void*>(first), size, pages.data()) == 0;
}

/// Memory of a descriptor, mapped for as long as a frame is written.
class Mapped {
  public:
    Mapped(int memory, size_t bytes)
        : bytes_(bytes),
          at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)) {
        if (at_ == MAP_FAILED) {
            throw std::system_error(errno, std::generic_category(), "a frame's memory");
        }
    }
    ~Mapped() { ::munmap(at_, bytes_); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    [[nodiscard]] std::span<uint8_t> bytes() const { return {static_cast<uint8_t*>(at_), bytes_}; }

  private:
    size_t bytes_;
    void* at_;
};

void write_frame(std::span<uint8_t> to, const Frame& frame, uint32_t sequence) {
    if (frame.bytes) {
        std::copy_n(frame.bytes->begin(), std::min(frame.bytes->size(), to.size()), to.begin());
        return;
    }
    for (size_t i = 0; i < to.size(); ++i) to[i] = pattern(sequence, i);
}

}  // namespace

Queue::Plane Queue::plane_of(const v4l2_buffer& buffer) const {
    if (!traits_.mplane) return {buffer.m.userptr, buffer.m.fd, buffer.length};
    const v4l2_plane& plane = buffer.m.planes[0];
    return {plane.m.userptr, plane.m.fd, plane.length};
}

int Queue::prepare(Buffer& buffer, const Plane& plane) const {
    if (memory_ == V4L2_MEMORY_USERPTR) return prepare_userptr(buffer, plane);
    if (memory_ == V4L2_MEMORY_DMABUF) return prepare_dmabuf(buffer, plane);
    return 0;
}

int Queue::prepare_userptr(Buffer& buffer, const Plane& plane) const {
    if (plane.length < buffer.least_bytes) return -EINVAL;
    if (traits_.userptr_faults) return -EFAULT;
    if ((plane.address | plane.length) % traits_.userptr_alignment != 0) return -EINVAL;
    if (!is_mapped(plane.address, plane.length)) return -EFAULT;
    buffer.address = plane.address;
    buffer.length = plane.length;
    return 0;
}

int Queue::prepare_dmabuf(Buffer& buffer, const Plane& plane) {
    if (!is_dma_buf(plane.fd)) return -EINVAL;
    const uint64_t size = memory_bytes(plane.fd);
    const auto length = plane.length != 0 ? plane.length : static_cast<uint32_t>(size);
    if (length < buffer.least_bytes) return -EINVAL;
    if (length > size) return -EFAULT;
    UniqueFd reference(::fcntl(plane.fd, F_DUPFD_CLOEXEC, 0));
    if (!reference.valid()) return -EINVAL;
    buffer.memory = std::move(reference);
    buffer.fd = plane.fd;
    buffer.length = length;
    return 0;
}

void Queue::describe(uint32_t index, v4l2_buffer& told) const {
    const Buffer& buffer = buffers_[index];
    v4l2_plane* const planes = told.m.planes;
    told = {};
    told.index = index;
    told.type = type();
    told.memory = memory_;
    told.field = buffer.field;
    told.timestamp = buffer.timestamp;
    told.sequence = buffer.sequence;
    told.flags = buffer.flags | traits_.timestamp_flags;
    if (buffer.state == State::queued) told.flags |= V4L2_BUF_FLAG_QUEUED;
    if (buffer.state == State::done) told.flags |= V4L2_BUF_FLAG_DONE;
    if (buffer.state == State::error) told.flags |= V4L2_BUF_FLAG_DONE | V4L2_BUF_FLAG_ERROR;
    const auto place = [&](auto& m, uint32_t& offset) {
        if (memory_ == V4L2_MEMORY_MMAP) offset = buffer.offset;
        if (memory_ == V4L2_MEMORY_USERPTR) m.userptr = buffer.address;
        if (memory_ == V4L2_MEMORY_DMABUF) m.fd = buffer.fd;
    };
    if (!traits_.mplane) {
        told.bytesused = buffer.bytesused;
        told.length = buffer.length;
        place(told.m, told.m.offset);
        return;
    }
    told.length = 1;
    told.m.planes = planes;
    planes[0] = {};
    planes[0].bytesused = buffer.bytesused;
    planes[0].length = buffer.length;
    planes[0].data_offset = buffer.data_offset;
    place(planes[0].m, planes[0].m.mem_offset);
}

timeval Queue::now() const {
    timespec time{};
    ::clock_gettime(traits_.realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, &time);
    timeval stamp{};
    stamp.tv_sec = time.tv_sec;
    stamp.tv_usec = time.tv_nsec / 1000;
    return stamp;
}

std::optional<uint32_t> Queue::fill(const Frame& frame) {
    if (!started_ || failed_) return std::nullopt;
    sequence_ += frame.skipped;
    const uint32_t sequence = sequence_++;
    if (queued_.empty()) {
        ++lost_;
        return std::nullopt;
    }
    const uint32_t index = queued_.front();
    queued_.pop_front();
    Buffer& buffer = buffers_[index];
    buffer.sequence = traits_.sequence_stuck ? 0 : sequence;
    buffer.timestamp = frame.timestamp.value_or(now());
    buffer.flags = frame.flags & ~static_cast<uint32_t>(V4L2_BUF_FLAG_ERROR);
    buffer.data_offset = traits_.mplane ? frame.data_offset : 0;
    const uint64_t whole = uint64_t{buffer.least_bytes} + buffer.data_offset;
    buffer.bytesused =
        frame.bytesused.value_or(static_cast<uint32_t>(std::min<uint64_t>(whole, buffer.length)));
    write_pixels(buffer, frame, sequence);
    const bool bad = (frame.flags & V4L2_BUF_FLAG_ERROR) != 0;
    buffer.state = bad ? State::error : State::done;
    done_.push_back(index);
    return index;
}

void Queue::write_pixels(const Buffer& buffer, const Frame& frame, uint32_t sequence) const {
    // A truncated frame leaves what was in the rest.
    const size_t end = std::min(buffer.bytesused, buffer.length);
    const size_t begin = std::min<size_t>(buffer.data_offset, end);
    if (memory_ == V4L2_MEMORY_USERPTR) {
        auto* const at = reinterpret_cast<uint8_t*>(buffer.address);
        write_frame({at + begin, end - begin}, frame, sequence);
        return;
    }
    const Mapped memory(buffer.memory.get(), buffer.length);
    write_frame(memory.bytes().subspan(begin, end - begin), frame, sequence);
}

}  // namespace glint::fakes::v4l2
