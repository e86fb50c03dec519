// Who holds a frame buffer: the source, or exactly one lease.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "zero_copy/frame_memory.hpp"
#include "zero_copy/source.hpp"

namespace glint::zero_copy {

class BufferPool;

/// The right to one filled buffer. Its destructor is the only place that gives a buffer back to the
/// source; after the stream has stopped it only frees. Loop thread only (its memory may be read
/// anywhere while the lease lives).
class Lease {
  public:
    Lease() = default;
    Lease(std::shared_ptr<BufferPool> pool, uint32_t slot) noexcept
        : pool_(std::move(pool)), slot_(slot) {}
    ~Lease() { reset(); }
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
        if (this != &other) {
            reset();
            pool_ = std::move(other.pool_);
            slot_ = other.slot_;
        }
        return *this;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    [[nodiscard]] explicit operator bool() const noexcept { return pool_ != nullptr; }
    [[nodiscard]] uint32_t slot() const noexcept { return slot_; }
    [[nodiscard]] const FrameMemory& memory() const noexcept;
    void reset() noexcept;

  private:
    std::shared_ptr<BufferPool> pool_;
    uint32_t slot_ = 0;
};

/// The buffers of one stream, from its start to the return of its last lease. A restart makes a new
/// pool, so a buffer from before can never reach the source again.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
  public:
    explicit BufferPool(std::vector<FrameMemory> buffers) noexcept : buffers_(std::move(buffers)) {}

    [[nodiscard]] std::span<const FrameMemory> buffers() const noexcept { return buffers_; }
    /// Queues every buffer with `source`, which must live until stop(). Throws as Source::start.
    void start(Source& source);
    void stop() noexcept;
    /// FrameMemory::abandon() for all of them.
    void abandon() noexcept;
    [[nodiscard]] Lease lease(uint32_t slot);
    /// Buffers that are neither with the source nor free.
    [[nodiscard]] uint32_t leased() const noexcept { return leased_; }

  private:
    friend class Lease;
    void give_back(uint32_t slot) noexcept;

    std::vector<FrameMemory> buffers_;
    Source* source_ = nullptr;  ///< not null while streaming
    uint32_t leased_ = 0;
};

}  // namespace glint::zero_copy
