// Finding the best of many candidates with few measurements, and not being fooled by noise. Pure:
// how a candidate is measured is the caller's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/tune/candidates.hpp"

namespace glint::tune {

/// The middle of several runs, and how far chance may have moved it.
struct Sample {
    double median = 0;
    double error = 0;  ///< standard error of the median
};

/// Of at least one value. The error is 1.2533 s / sqrt(n), right for normally distributed times,
/// with s estimated as 1.4826 times the median distance from the median, which a few runs that
/// something else disturbed do not spoil.
[[nodiscard]] Sample sample_of(std::vector<double> values);

/// Whether `candidate` takes so much less time than `base` that it is worth leaving the default: a
/// difference of three standard errors, which chance reaches once in 700 comparisons, and 5 %. The
/// same program twice was seen to differ by up to 3.6 % (docs/performance.md).
[[nodiscard]] bool clearly_better(const Sample& candidate, const Sample& base);

/// One candidate as it was measured beside the default, in turn with it.
struct Trial {
    TunableValues values;
    double ms = 0;
    double default_ms = 0;
    std::string wrong;  ///< why it is out: not built, or a result that differs

    [[nodiscard]] double relative() const { return ms / default_ms; }
};

struct Space {
    TunableValues defaults;
    std::vector<Coordinate> coordinates;
    std::function<bool(const TunableValues&)> allowed;
};

/// Up to here every candidate is tried.
inline constexpr size_t exhaustive_limit = 24;

/// Candidates that are measured together. The result has one trial for each, in any order, or is
/// shorter when the measurement was stopped: then the search ends too.
using Measure = std::function<std::vector<Trial>(const std::vector<TunableValues>&)>;

/// Tries every allowed candidate when there are few. Otherwise goes along one coordinate after the
/// other, always from the best so far, and round a second time: on a board each build takes the
/// compiler seconds, so that the product of a hundred would cost an hour where the sum of twenty
/// costs minutes. `known` are trials of an earlier search in the same space, which are not measured
/// again. Returns all trials, the known ones first.
[[nodiscard]] std::vector<Trial> search(const Space& space, std::vector<Trial> known,
                                        const Measure& measure);

/// About how many candidates search() will measure.
[[nodiscard]] size_t expected_trials(const Space& space);

/// The trial that took least time beside the default; null if all are wrong, or none.
[[nodiscard]] const Trial* best_of(const std::vector<Trial>& trials);

}  // namespace glint::tune
