// A reader of OpenStream, mapped; tests/bus/camera_client.hpp opens it.
#pragma once

#include <fmt/format.h>
#include <glintd/stream.h>
#include <poll.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/bus/camera_client.hpp"

namespace glint::test {

class StreamReader {
  public:
    /// Throws BusError, and std::runtime_error when what comes is no stream.
    StreamReader(const CameraClient& camera, const std::string& what)
        : opened_(camera.open_stream(what)) {
        if (opened_.layout_version != GLINTD_STREAM_LAYOUT_VERSION) {
            throw std::runtime_error(fmt::format("layout {}", opened_.layout_version));
        }
        const int result = glintd_stream_map(&stream_, opened_.memory.get());
        if (result != 0) throw std::runtime_error(fmt::format("map gives {}", result));
        payload_.resize(stream_.header->payload_bytes);
    }
    ~StreamReader() { glintd_stream_unmap(&stream_); }
    StreamReader(const StreamReader&) = delete;
    StreamReader& operator=(const StreamReader&) = delete;

    /// The next entry; false when none comes in time, or the stream has ended without one.
    [[nodiscard]] bool next(milliseconds at_most = seconds(20)) {
        const milliseconds end = now() + at_most;
        while (now() < end) {
            const short events = wait(end - now());
            if (read() == 1) return true;
            if ((events & POLLHUP) != 0) return false;
        }
        return false;
    }
    [[nodiscard]] int read() {
        return glintd_stream_read(&stream_, &entry_, payload_.data(), payload_.size());
    }
    /// Whether the event hangs up in time; what comes before is thrown away.
    [[nodiscard]] bool hangs_up(milliseconds at_most = seconds(20)) {
        const milliseconds end = now() + at_most;
        while (now() < end) {
            if ((wait(end - now()) & (POLLHUP | POLLIN)) == POLLHUP) return true;
        }
        return false;
    }
    [[nodiscard]] bool ended() const { return glintd_stream_ended(&stream_) != 0; }
    [[nodiscard]] int memory() const noexcept { return opened_.memory.get(); }
    [[nodiscard]] int event() const noexcept { return opened_.event.get(); }
    [[nodiscard]] const glintd_stream_header& header() const noexcept { return *stream_.header; }
    [[nodiscard]] const glintd_stream_entry& entry() const noexcept { return entry_; }
    [[nodiscard]] const std::vector<uint8_t>& payload() const noexcept { return payload_; }
    [[nodiscard]] const uint32_t* bins(uint32_t region, uint32_t channel) const {
        return glintd_stream_bins(&stream_, payload_.data(), region, channel);
    }

  private:
    /// What poll() says, with the event emptied.
    short wait(milliseconds at_most) {
        pollfd ready{.fd = opened_.event.get(), .events = POLLIN, .revents = 0};
        ::poll(&ready, 1, static_cast<int>(at_most.count()));
        char some[64];
        while (::read(opened_.event.get(), some, sizeof some) > 0) {
        }
        return ready.revents;
    }

    StreamReply opened_;
    glintd_stream stream_{};
    glintd_stream_entry entry_{};
    std::vector<uint8_t> payload_;
};

}  // namespace glint::test
