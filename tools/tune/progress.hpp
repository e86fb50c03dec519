// How far the work is, and how long it will still take.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace glint::tune {

/// Counts candidates: those done and those expected. Pure.
class Estimate {
  public:
    /// Candidates expected of each job.
    explicit Estimate(std::vector<size_t> expected) : expected_(std::move(expected)) {}

    /// A job's own figure once it is known, and its end, whatever was expected.
    void expect(size_t job, size_t candidates) { expected_[job] = candidates; }
    void candidate_done() { ++done_in_job_; }
    void job_done(size_t job);
    /// Nothing was to be measured: known from an earlier run.
    void job_skipped(size_t job) { expected_[job] = 0; }

    /// 0 to 1.
    [[nodiscard]] double fraction() const;
    /// Seconds to go if all candidates take as long as those done; below 0 before the first.
    [[nodiscard]] double seconds_left(double elapsed_seconds) const;

  private:
    [[nodiscard]] double done() const;
    [[nodiscard]] double total() const;

    std::vector<size_t> expected_;
    size_t done_before_ = 0;  ///< in jobs that have ended
    size_t done_in_job_ = 0;
};

/// "1 h 05 min", "12 min", "40 s".
[[nodiscard]] std::string duration_text(double seconds);

/// On standard error: a line redrawn in place on a terminal, else a line whenever the job changes.
class Progress {
  public:
    explicit Progress(std::vector<size_t> expected);

    [[nodiscard]] Estimate& estimate() { return estimate_; }
    void show(const std::string& job);
    /// Takes the line away, for what is printed next.
    void clear();

  private:
    Estimate estimate_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    bool terminal_;
    std::string shown_job_;
};

}  // namespace glint::tune
