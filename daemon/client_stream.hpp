// One ring buffer and those who read it: an entry wakes them, and the last one to leave is noticed.
#pragma once

#include <functional>
#include <list>
#include <span>

#include "daemon/loop.hpp"
#include "daemon/shared_ring.hpp"
#include "zero_copy/unique_fd.hpp"

namespace glint {

/// A reader's two descriptors, as on the bus.
struct OpenedStream {
    zero_copy::UniqueFd memory;
    zero_copy::UniqueFd event;
};

/// Loop thread only, but for write(). Each reader has a pipe: a byte in it says that there is a new
/// entry, its closed end that there will be none; and when the reader has closed its own end, or
/// died, our end says so. SIGPIPE must be ignored.
class ClientStream {
  public:
    /// `reader_left` is called within the loop's own calls: nothing may be destroyed in it.
    ClientStream(Loop& loop, const glintd_stream_header& shape, std::function<void()> reader_left);
    ~ClientStream() { end(); }
    ClientStream(const ClientStream&) = delete;
    ClientStream& operator=(const ClientStream&) = delete;

    /// Throws std::system_error.
    [[nodiscard]] OpenedStream add_reader();
    [[nodiscard]] size_t readers() const noexcept { return readers_.size(); }
    /// Lets go of readers that have left.
    void forget_gone();
    /// Whether entries of this shape can go on here, whatever their generation.
    [[nodiscard]] bool has_shape(const glintd_stream_header& shape) const noexcept;

    /// As SharedRing::write().
    void write(const RingEntry& entry, std::span<const uint8_t> payload) noexcept {
        ring_.write(entry, payload);
    }
    /// Shows what was written last and wakes every reader; does nothing after end().
    void publish() noexcept;
    /// Tells every reader that no further entry comes, and lets go of all.
    void end() noexcept;

  private:
    struct Reader {
        Reader(Loop& loop, zero_copy::UniqueFd event, const std::function<void()>& left);
        zero_copy::UniqueFd event;
        bool gone = false;
        IoSource io;
    };

    Loop& loop_;
    glintd_stream_header shape_;
    SharedRing ring_;
    std::function<void()> reader_left_;
    std::list<Reader> readers_;
    bool ended_ = false;
};

}  // namespace glint
