// A run compared with a saved one, row by row.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace glint::bench {

class BaselineError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What is compared of a row.
struct Figure {
    std::string name;
    double seconds = 0;
    double spread = 0;   ///< Timing::spread; 0 in files of other programs
    double x_floor = 0;  ///< seconds / those of the floor in the same rounds; 0 without a floor
};

/// One for each name, in the order of its first: the medians of its times and ratios to the floor,
/// and its largest spread.
[[nodiscard]] std::vector<Figure> merged(const std::vector<Figure>& repetitions);

/// Reads what Google Benchmark writes with --benchmark_out, in the order of the file. Rows that
/// were skipped or failed are left out; repetitions are merged, or their saved median is taken
/// where the file has nothing else. Throws BaselineError for text that is no such file.
[[nodiscard]] std::vector<Figure> parse_figures(std::string_view text);
/// As parse_figures, from a file; the path is in the text of the error.
[[nodiscard]] std::vector<Figure> read_figures(const std::string& path);

enum class Change { within_noise, faster, slower, only_then, only_now };

struct Pair {
    std::string name;
    std::optional<double> then_sec;
    std::optional<double> now_sec;
    double ratio = 0;        ///< now / then; 0 unless both are there
    double floor_ratio = 0;  ///< x_floor now / then; 0 unless both are there
    Change change = Change::within_noise;
};

/// Two medians differ beyond noise when they are farther apart than both spreads together, and
/// by more than 5 %: no closer do two runs on a shared machine agree anyway. If both have a floor,
/// so must their x_floor: where the whole machine was slower, floors were too.
[[nodiscard]] std::vector<Pair> compare(const std::vector<Figure>& then,
                                        const std::vector<Figure>& now);

/// A line for each pair, with a mark for each that is not within noise, and a line of sums.
[[nodiscard]] std::string text_of(const std::vector<Pair>& pairs);

/// How many are slower beyond noise and by more than `percent`.
[[nodiscard]] size_t count_slower_than(const std::vector<Pair>& pairs, double percent);

}  // namespace glint::bench
