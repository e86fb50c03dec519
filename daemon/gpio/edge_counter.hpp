// Counts a line's edges and finds those that the kernel had no room for.
#pragma once

#include <cstdint>

namespace glint::gpio {

/// Fed with every event in turn, and with the level when a queue that may have run over is empty.
/// Where events have numbers, a gap in these is a loss. Where they have none, an edge is known to
/// be missing when two in a row go the same way, or when the level is not what the last edge made
/// it; only where the queue was full, since a pulse shorter than the kernel's answer to its
/// interrupt makes two edges of the same direction too.
class EdgeCounter {
  public:
    /// Events that a kernel keeps which does not number them.
    static constexpr unsigned queue_length = 16;

    EdgeCounter(bool numbered, bool active) noexcept : numbered_(numbered), active_(active) {}

    /// Takes the next event of the queue and returns its sequence.
    uint64_t count(bool rising, uint32_t number) noexcept;
    /// Edges may have been lost since the queue was last settled: the level has to be looked at.
    [[nodiscard]] bool level_wanted() const noexcept { return loss_possible_; }
    /// The queue is empty, and nothing was lost.
    void settle() noexcept;
    /// The queue is empty, and still was after this level had been read.
    void settle(bool level) noexcept;

    [[nodiscard]] bool active() const noexcept { return active_; }
    [[nodiscard]] uint64_t edges() const noexcept { return edges_; }
    [[nodiscard]] uint64_t missed() const noexcept { return missed_; }

  private:
    void miss(uint32_t count) noexcept;
    void count_unnumbered(bool rising) noexcept;

    bool numbered_;
    bool active_;
    bool loss_possible_ = false;
    bool told_by_level_ = false;  ///< the last one missed is known from the level alone
    unsigned waited_ = 0;         ///< events since the queue was last empty, up to its length
    uint32_t last_number_ = 0;
    uint64_t edges_ = 0;
    uint64_t missed_ = 0;
};

}  // namespace glint::gpio
