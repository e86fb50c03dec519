// Times of things that are to be compared: run in turn, so that all see the same machine.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <vector>

namespace glint::bench {

/// The middle of several values, the upper one of an even number: a mean would count the other
/// programs on the machine. `values` may not be empty.
[[nodiscard]] double median(std::vector<double> values);

struct Timing {
    double seconds = 0;  ///< the median run
    double spread = 0;   ///< half the distance between the quartiles, as a fraction of the median
    size_t runs = 0;
};

/// `times` may not be empty.
[[nodiscard]] Timing summary(std::span<const double> times);

/// One run; returns its seconds.
using Contender = std::function<double()>;

/// How long a comparison may go on. Warm-up runs come on top: a fifth of `most_runs`, or what fits
/// into a tenth of `seconds`, but one at least.
struct Budget {
    size_t least_runs = 11;
    size_t most_runs = 51;
    double seconds = 1;  ///< beyond this no further round begins, once `least_runs` are done
};

/// Rounds in which each contender runs once. One Timing each, in their order.
[[nodiscard]] std::vector<Timing> in_turn(std::span<const Contender> contenders,
                                          const Budget& budget = {});

/// Seconds on the monotonic clock that one call takes.
template <typename Call>
double time_of(Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace glint::bench
