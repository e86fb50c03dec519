// How much memory all cameras' frame buffers and the clients' streams may take together.
#pragma once

#include <cstdint>
#include <utility>

namespace glint {

/// Loop thread only. Must outlive its shares.
class MemoryBudget {
  public:
    explicit MemoryBudget(uint64_t limit_bytes) : limit_(limit_bytes) {}

    /// Streams that run keep what they have.
    void set_limit(uint64_t limit_bytes) noexcept { limit_ = limit_bytes; }

    /// What a stream has taken; given back when it ends.
    class Share {
      public:
        Share() = default;
        ~Share() { give_back(); }
        Share(Share&& other) noexcept
            : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
        Share& operator=(Share&& other) noexcept {
            if (this != &other) {
                give_back();
                budget_ = std::exchange(other.budget_, nullptr);
                bytes_ = other.bytes_;
            }
            return *this;
        }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

      private:
        friend class MemoryBudget;
        Share(MemoryBudget& budget, uint64_t bytes) : budget_(&budget), bytes_(bytes) {
            budget.taken_ += bytes;
        }
        void give_back() noexcept {
            if (budget_ != nullptr) std::exchange(budget_, nullptr)->taken_ -= bytes_;
        }
        MemoryBudget* budget_ = nullptr;
        uint64_t bytes_ = 0;
    };

    /// Throws Failure (FormatUnsupported) with the sum when that would be over the limit.
    void check(uint32_t buffers, uint64_t bytes_each) const;
    /// As check(), and takes them.
    [[nodiscard]] Share take(uint32_t buffers, uint64_t bytes_each);

  private:
    uint64_t limit_;
    uint64_t taken_ = 0;
};

}  // namespace glint
