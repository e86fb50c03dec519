// The rows of the table: what Google Benchmark runs, in a form that knows nothing of it.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "tools/bench/timing.hpp"

namespace glint::bench {

/// One row.
struct Result {
    Timing timing;
    std::map<std::string, double> counters;
    std::string label;
};

/// Thrown by a row that this device, or this machine, cannot have: the text says why.
class Skip : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// `body` runs when the row's turn comes. Its Skip is reported as "skipped: ...", any other
/// exception as "failed: ...".
void add_row(const std::string& name, std::function<Result()> body);

/// Whether --benchmark_filter lets the row of this name run: add_row()'s name, or the one in a
/// saved run, which Google Benchmark makes longer. After benchmark::Initialize().
[[nodiscard]] bool is_asked_for(const std::string& name);

/// Rows that ended with an exception other than Skip.
[[nodiscard]] size_t failed_rows();

}  // namespace glint::bench
