// `glintctl stream`: pictures as they come, from shared memory to standard output, for a player.
#include <fmt/format.h>
#include <glintd/stream.h>
#include <poll.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"

namespace glint::ctl {
namespace {

class Mapped {
  public:
    explicit Mapped(int memory) {
        const int result = glintd_stream_map(&stream_, memory);
        if (result == -EPROTO) wire::expect(result);
        if (result < 0)
            throw Failure(fmt::format("the stream cannot be mapped: {}", std::strerror(-result)));
        payload_.resize(stream_.header->payload_bytes);
    }
    ~Mapped() { glintd_stream_unmap(&stream_); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

    const glintd_stream_picture& picture() const { return stream_.header->picture; }
    // False when there is nothing new.
    bool read() {
        glintd_stream_entry entry;
        return glintd_stream_read(&stream_, &entry, payload_.data(), payload_.size()) == 1;
    }
    // The planes one after the other, without what pads their rows.
    std::string packed() const {
        std::string out;
        for (std::uint32_t i = 0; i < picture().plane_count; ++i) {
            const glintd_stream_plane& plane = picture().planes[i];
            for (std::uint32_t y = 0; y < plane.rows; ++y)
                out.append(
                    payload_.data() + plane.offset_bytes + std::size_t{y} * plane.stride_bytes,
                    plane.row_bytes);
        }
        return out;
    }

  private:
    glintd_stream stream_{};
    std::vector<char> payload_;
};

}  // namespace

void stream(Bus& bus, const StreamOptions& options) {
    if (isatty(STDOUT_FILENO) == 1)
        throw Failure("pictures are not for a terminal: send them to a player or a file");
    const Message reply = Camera(bus, options.camera).call("OpenStream", options.what);
    int memory = -1;  // both stay the message's
    pollfd event{.fd = -1, .events = POLLIN, .revents = 0};
    wire::expect(sd_bus_message_read(reply.get(), "hh", &memory, &event.fd));
    Mapped mapped(memory);
    complain(fmt::format("{} {} {}x{} {} range", options.what, mapped.picture().fourcc,
                         mapped.picture().width, mapped.picture().height, mapped.picture().range));
    for (std::uint64_t left = options.count.value_or(UINT64_MAX); left > 0;) {
        if (poll(&event, 1, -1) < 0) continue;  // stopped by Ctrl-Z and continued
        char bytes[64];
        // Emptied first: what comes after that wakes again.
        const bool open =
            (event.revents & POLLIN) != 0 && ::read(event.fd, bytes, sizeof bytes) > 0;
        if (mapped.read()) {
            print(mapped.packed());
            --left;
        }
        if (!open && left > 0)
            throw Failure(
                fmt::format("the stream has ended: 'glintctl status' shows what camera "
                            "'{}' does",
                            options.camera));
    }
}

}  // namespace glint::ctl
