// A client's side of a stream, in the test's own process.
#pragma once

#include <glintd/stream.h>
#include <poll.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "daemon/client_stream.hpp"

namespace glint::fakes {

/// What poll() says of the event now.
inline short events_of(const OpenedStream& opened) {
    pollfd event{.fd = opened.event.get(), .events = POLLIN, .revents = 0};
    ::poll(&event, 1, 0);
    return event.revents;
}

/// An opened stream, mapped.
struct Reader {
    explicit Reader(OpenedStream opened_stream) : opened(std::move(opened_stream)) {
        mapped = glintd_stream_map(&stream, opened.memory.get()) == 0;
        if (mapped) payload.resize(stream.header->payload_bytes);
    }
    ~Reader() {
        if (mapped) glintd_stream_unmap(&stream);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    [[nodiscard]] bool read() {
        return glintd_stream_read(&stream, &entry, payload.data(), payload.size()) == 1;
    }

    OpenedStream opened;
    glintd_stream stream{};
    bool mapped = false;
    glintd_stream_entry entry{};
    std::vector<uint8_t> payload;
};

}  // namespace glint::fakes
