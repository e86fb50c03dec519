// A ring buffer in memory that clients map and cannot write; its layout is glintd_stream.h.
#pragma once

#include <cstdint>
#include <span>

#include "daemon/glintd_stream.h"
#include "zero_copy/unique_fd.hpp"

namespace glint {

/// What an entry says of its frame.
struct RingEntry {
    uint64_t sequence = 0;
    uint64_t timestamp_nsec = 0;
    uint32_t generation = 0;
};

class SharedRing {
  public:
    /// The newest entry, one that a reader copies meanwhile, and one that is written.
    static constexpr uint32_t slot_count = 3;

    /// `shape` says what entries are: kind, payload_bytes, generation and the kind's own part; the
    /// rest is filled in. Throws std::system_error.
    explicit SharedRing(const glintd_stream_header& shape);
    ~SharedRing();
    SharedRing(const SharedRing&) = delete;
    SharedRing& operator=(const SharedRing&) = delete;

    /// Bytes of one slot for entries of this size.
    [[nodiscard]] static uint32_t slot_bytes(uint32_t payload_bytes);
    [[nodiscard]] const glintd_stream_header& header() const noexcept { return *header_; }
    /// A descriptor for a client. Throws std::system_error.
    [[nodiscard]] zero_copy::UniqueFd open_read_only() const;

    /// Writes payload_bytes into the next slot, where nobody sees them before publish(). Any
    /// thread, one at a time.
    void write(const RingEntry& entry, std::span<const uint8_t> payload) noexcept;
    /// What was written last is the newest entry from now on.
    void publish() noexcept;
    void end() noexcept;

  private:
    [[nodiscard]] uint32_t next_number() const noexcept {
        return newest_ + 1 == 0 ? 1 : newest_ + 1;
    }

    zero_copy::UniqueFd memory_;
    size_t mapped_bytes_ = 0;
    glintd_stream_header* header_ = nullptr;
    uint32_t newest_ = 0;
};

}  // namespace glint
