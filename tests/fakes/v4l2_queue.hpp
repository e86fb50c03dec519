// The buffers of a fake capture driver, with the states and errors of the kernel's videobuf2.
#pragma once

#include <linux/videodev2.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tests/fakes/v4l2_traits.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint::fakes::v4l2 {

/// The byte at `offset` of frame `sequence`, when the test gives no bytes.
[[nodiscard]] constexpr uint8_t pattern(uint32_t sequence, size_t offset) {
    return static_cast<uint8_t>(sequence * 37 + offset + offset / 251);
}

/// A frame as the hardware delivers it; what is left out is as a healthy driver would have it.
struct Frame {
    std::optional<std::vector<uint8_t>> bytes{};  ///< as far as they fit; else pattern()
    uint32_t flags = 0;                           ///< V4L2_BUF_FLAG_ERROR, for instance
    std::optional<uint32_t> bytesused{};          ///< said, whatever was written
    uint32_t data_offset = 0;                     ///< multi-planar only; the bytes begin there
    std::optional<timeval> timestamp{};
    uint32_t skipped = 0;  ///< sequence numbers that are left out before this frame
};

/// Results are 0 (or what the call returns) or a negative errno value. `file` stands for who calls.
class Queue {
  public:
    explicit Queue(const Traits& traits) : traits_(traits) {}

    [[nodiscard]] uint32_t type() const;
    int request(int file, v4l2_requestbuffers& asked, uint32_t frame_bytes);
    int create(int file, v4l2_create_buffers& asked, uint32_t frame_bytes);
    int query(v4l2_buffer& told) const;
    int export_buffer(int file, v4l2_exportbuffer& asked) const;
    int queue(int file, v4l2_buffer& given);
    int dequeue(int file, v4l2_buffer& told);
    int stream_on(int file, uint32_t type);
    int stream_off(int file, uint32_t type);
    /// The index of the buffer that lies at `offset`.
    int memory_at(off_t offset, size_t bytes, int& memory) const;
    /// `file` was closed.
    void release(int file);

    /// The index of the buffer that the frame went to. None when there was no buffer for it, or no
    /// stream that it could be part of.
    std::optional<uint32_t> fill(const Frame& frame);
    void fail() { failed_ = true; }
    void own_elsewhere(bool owned) { owned_elsewhere_ = owned; }
    void break_graph(bool broken) { graph_broken_ = broken; }

    /// Whether dequeue() by `file` has something to say.
    [[nodiscard]] bool ready(int file) const;
    [[nodiscard]] bool allocated() const { return owned_elsewhere_ || !buffers_.empty(); }
    [[nodiscard]] bool streaming() const { return streaming_; }
    [[nodiscard]] size_t size() const { return buffers_.size(); }
    [[nodiscard]] size_t queued() const { return queued_.size(); }
    [[nodiscard]] uint32_t lost() const { return lost_; }

  private:
    enum class State { dequeued, queued, done, error };
    struct Buffer {
        State state = State::dequeued;
        uint32_t least_bytes = 0;  ///< that a frame needs
        uint32_t length = 0;
        uint32_t offset = 0;         ///< for mmap
        unsigned long address = 0;   ///< USERPTR
        int fd = 0;                  ///< DMABUF, as it was given
        zero_copy::UniqueFd memory;  ///< MMAP; of DMABUF the reference that a driver holds
        uint32_t flags = 0;
        uint32_t field = V4L2_FIELD_NONE;
        uint32_t bytesused = 0;
        uint32_t data_offset = 0;
        uint32_t sequence = 0;
        timeval timestamp{};
    };
    /// Where the fields are that the two APIs have in different places.
    struct Plane {
        unsigned long address;
        int fd;
        uint32_t length;
    };

    [[nodiscard]] bool busy(int file) const;
    [[nodiscard]] uint32_t capabilities() const;
    [[nodiscard]] int refusal(uint32_t memory, uint32_t type) const;
    [[nodiscard]] bool planes_fit(const v4l2_buffer& buffer) const;
    [[nodiscard]] Plane plane_of(const v4l2_buffer& buffer) const;
    [[nodiscard]] uint32_t allocate(uint32_t count, uint32_t bytes);
    [[nodiscard]] int prepare(Buffer& buffer, const Plane& plane) const;
    [[nodiscard]] int prepare_userptr(Buffer& buffer, const Plane& plane) const;
    [[nodiscard]] static int prepare_dmabuf(Buffer& buffer, const Plane& plane);
    [[nodiscard]] int start();
    void cancel();
    void free();
    void describe(uint32_t index, v4l2_buffer& told) const;
    void write_pixels(const Buffer& buffer, const Frame& frame, uint32_t sequence) const;
    [[nodiscard]] timeval now() const;

    const Traits& traits_;
    std::vector<Buffer> buffers_;
    std::deque<uint32_t> queued_;  ///< oldest first
    std::deque<uint32_t> done_;
    uint32_t memory_ = 0;  ///< V4L2_MEMORY_...; 0: none yet
    bool streaming_ = false;
    bool started_ = false;  ///< the hardware, which waits for min_queued buffers
    bool failed_ = false;
    bool owned_elsewhere_ = false;
    bool graph_broken_ = false;
    std::optional<int> owner_;
    uint32_t sequence_ = 0;  ///< of the next frame
    uint32_t lost_ = 0;
};

}  // namespace glint::fakes::v4l2
