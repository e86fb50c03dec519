// What was measured within the last so many microseconds.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace glint {

/// Keeps at most `most_kept` samples, evenly over `length`: a camera of a thousand frames a second
/// must not cost more than one of ten.
template <typename Sample>
class Window {
  public:
    explicit Window(std::chrono::microseconds length)
        : length_nsec_(static_cast<uint64_t>(length.count()) * 1000) {}

    /// The difference from a kept sample to `now` that is largest in magnitude; 0 when none is
    /// kept.
    template <typename Difference>
    [[nodiscard]] double largest(const Sample& now, uint64_t nsec, Difference difference) {
        while (!kept_.empty() && nsec - kept_.front().first > length_nsec_) kept_.pop_front();
        double largest = 0;
        for (const auto& [when, sample] : kept_) {
            const double one = difference(sample, now);
            if (std::abs(one) > std::abs(largest)) largest = one;
        }
        const bool due = kept_.empty() || nsec - kept_.back().first >= length_nsec_ / most_kept;
        if (due) kept_.emplace_back(nsec, now);
        return largest;
    }
    void clear() { kept_.clear(); }

    static constexpr size_t most_kept = 64;

  private:
    uint64_t length_nsec_;
    std::deque<std::pair<uint64_t, Sample>> kept_;
};

}  // namespace glint
