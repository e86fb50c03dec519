#include "daemon/client_stream.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "daemon/memfd.hpp"

namespace glint {

using zero_copy::UniqueFd;

ClientStream::Reader::Reader(Loop& loop, UniqueFd own_end, const std::function<void()>& left)
    : event(std::move(own_end)), io(loop, event.get(), EPOLLERR, [this, &left](uint32_t) {
          // Said once: it comes again until the descriptor is closed.
          if (!std::exchange(gone, true)) left();
      }) {}

ClientStream::ClientStream(Loop& loop, const glintd_stream_header& shape,
                           std::function<void()> reader_left)
    : loop_(loop), shape_(shape), ring_(shape), reader_left_(std::move(reader_left)) {}

OpenedStream ClientStream::add_reader() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw_errno("pipe2");
    UniqueFd theirs(ends[0]);
    UniqueFd ours(ends[1]);
    // A byte that is not read is as good as a thousand; where a page is refused there are more.
    constexpr int page_bytes = 4096;
    (void)::fcntl(ours.get(), F_SETPIPE_SZ, page_bytes);
    OpenedStream opened{ring_.open_read_only(), std::move(theirs)};
    readers_.emplace_back(loop_, std::move(ours), reader_left_);
    return opened;
}

void ClientStream::forget_gone() {
    std::erase_if(readers_, [](const Reader& reader) { return reader.gone; });
}

bool ClientStream::has_shape(const glintd_stream_header& shape) const noexcept {
    glintd_stream_header wanted = shape;
    wanted.generation = shape_.generation;
    return std::memcmp(&wanted, &shape_, sizeof wanted) == 0;
}

void ClientStream::publish() noexcept {
    if (ended_) return;
    ring_.publish();
    for (const Reader& reader : readers_) {
        // Fails when the pipe is full, and then its reader has been told, or when it has left.
        const uint8_t one = 1;
        [[maybe_unused]] const ssize_t put = ::write(reader.event.get(), &one, sizeof one);
    }
}

void ClientStream::end() noexcept {
    ended_ = true;
    ring_.end();
    readers_.clear();
}

}  // namespace glint
