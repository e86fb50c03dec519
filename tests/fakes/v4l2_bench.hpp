// The ioctls of a capture program, one line each, for tests of the fake driver itself.
#pragma once

#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "tests/fakes/fake_machine.hpp"
#include "tests/fakes/v4l2_driver.hpp"

namespace glint::fakes::v4l2 {

/// A driver behind a node, opened; calls give 0 or the errno.
struct Bench {
    explicit Bench(const Traits& traits)
        : driver(std::make_shared<Driver>(traits)), mplane(traits.mplane) {
        machine.add("/dev/video0", driver);
        fd = machine.open("/dev/video0", O_RDWR | O_NONBLOCK);
    }
    ~Bench() { close(); }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    void close() {
        if (fd >= 0) machine.close(fd);
        fd = -1;
    }
    int call(unsigned long request, void* argument) {
        return machine.ioctl(fd, request, argument) < 0 ? errno : 0;
    }
    [[nodiscard]] uint32_t type() const {
        return mplane ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE;
    }
    int set_format(uint32_t fourcc, uint32_t width, uint32_t height) {
        format = {};
        format.type = type();
        if (mplane) {
            format.fmt.pix_mp.width = width;
            format.fmt.pix_mp.height = height;
            format.fmt.pix_mp.pixelformat = fourcc;
        } else {
            format.fmt.pix.width = width;
            format.fmt.pix.height = height;
            format.fmt.pix.pixelformat = fourcc;
        }
        return call(VIDIOC_S_FMT, &format);
    }
    int request(uint32_t memory, uint32_t count) {
        requested = {};
        requested.count = count;
        requested.type = type();
        requested.memory = memory;
        return call(VIDIOC_REQBUFS, &requested);
    }
    void prepare(uint32_t index, uint32_t memory = V4L2_MEMORY_MMAP) {
        buffer = {};
        plane = {};
        buffer.index = index;
        buffer.type = type();
        buffer.memory = memory;
        if (!mplane) return;
        buffer.m.planes = &plane;
        buffer.length = 1;
    }
    int queue(uint32_t index) {
        prepare(index);
        return call(VIDIOC_QBUF, &buffer);
    }
    int queue_memory(uint32_t index, const void* at, size_t bytes) {
        prepare(index, V4L2_MEMORY_USERPTR);
        (mplane ? plane.m.userptr : buffer.m.userptr) = reinterpret_cast<unsigned long>(at);
        (mplane ? plane.length : buffer.length) = static_cast<uint32_t>(bytes);
        return call(VIDIOC_QBUF, &buffer);
    }
    int queue_dma_buf(uint32_t index, int memory) {
        prepare(index, V4L2_MEMORY_DMABUF);
        (mplane ? plane.m.fd : buffer.m.fd) = memory;
        return call(VIDIOC_QBUF, &buffer);
    }
    int query(uint32_t index) {
        prepare(index);
        return call(VIDIOC_QUERYBUF, &buffer);
    }
    int dequeue(uint32_t memory = V4L2_MEMORY_MMAP) {
        prepare(0, memory);
        return call(VIDIOC_DQBUF, &buffer);
    }
    int stream(bool on) {
        int stream_type = static_cast<int>(type());
        return call(on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &stream_type);
    }
    int export_buffer(uint32_t index, uint32_t flags) {
        exported = {};
        exported.type = type();
        exported.index = index;
        exported.flags = flags;
        return call(VIDIOC_EXPBUF, &exported);
    }
    /// MMAP buffers, all queued, and the stream on; false when one of the calls failed.
    [[nodiscard]] bool run(uint32_t count) {
        if (request(V4L2_MEMORY_MMAP, count) != 0) return false;
        for (uint32_t i = 0; i < requested.count; ++i) {
            if (queue(i) != 0) return false;
        }
        return stream(true) == 0;
    }
    /// Maps what query() told; null and errno on failure.
    [[nodiscard]] uint8_t* map(size_t bytes) {
        const auto offset = static_cast<off_t>(mplane ? plane.m.mem_offset : buffer.m.offset);
        void* const at = machine.map(bytes, fd, offset);
        return at == MAP_FAILED ? nullptr : static_cast<uint8_t*>(at);
    }
    [[nodiscard]] bool readable() const {
        pollfd polled{fd, POLLIN, 0};
        return ::poll(&polled, 1, 0) == 1;
    }

    FakeMachine machine;
    std::shared_ptr<Driver> driver;
    bool mplane;
    int fd = -1;
    v4l2_format format{};
    v4l2_requestbuffers requested{};
    v4l2_buffer buffer{};
    v4l2_plane plane{};
    v4l2_exportbuffer exported{};
};

}  // namespace glint::fakes::v4l2
