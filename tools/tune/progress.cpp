#include "tools/tune/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>

namespace glint::tune {
namespace {

constexpr size_t bar_cells = 12;  // with the longest title the line fits 80 columns

bool is_live_terminal() {
    const char* term = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && term != nullptr && *term != '\0' &&
           std::string_view(term) != "dumb";
}

}  // namespace

void Estimate::job_done(size_t job) {
    expected_[job] = done_in_job_;
    done_before_ += std::exchange(done_in_job_, 0);
}

double Estimate::done() const {
    return static_cast<double>(done_before_ + done_in_job_);
}

double Estimate::total() const {
    return static_cast<double>(std::accumulate(expected_.begin(), expected_.end(), size_t{0}));
}

double Estimate::fraction() const {
    return total() <= 0 ? 1 : std::min(done() / total(), 1.0);
}

double Estimate::seconds_left(double elapsed_seconds) const {
    if (done() <= 0) return -1;
    return elapsed_seconds / done() * std::max(total() - done(), 0.0);
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<uint64_t>(std::max(seconds, 0.0) + 0.5);
    constexpr uint64_t minute = 60;
    constexpr uint64_t hour = 3600;
    if (whole < 2 * minute) return fmt::format("{} s", whole);
    if (whole < 2 * hour) return fmt::format("{} min", (whole + minute / 2) / minute);
    return fmt::format("{} h {:02} min", whole / hour, whole % hour / minute);
}

Progress::Progress(std::vector<size_t> expected)
    : estimate_(std::move(expected)), terminal_(is_live_terminal()) {}

void Progress::show(const std::string& job) {
    if (!terminal_ && job == shown_job_) return;
    shown_job_ = job;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    const double left = estimate_.seconds_left(elapsed.count());
    const std::string to_go = left < 0 ? "" : fmt::format(", {} to go", duration_text(left));
    const double fraction = estimate_.fraction();
    if (!terminal_) {
        fmt::print(stderr, "{:3.0f} % {}{}\n", 100 * fraction, job, to_go);
        return;
    }
    const auto full = static_cast<size_t>(fraction * bar_cells);
    fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f} % {}{}", std::string(full, '='),
               std::string(bar_cells - full, ' '), 100 * fraction, job, to_go);
    std::fflush(stderr);
}

void Progress::clear() {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

}  // namespace glint::tune
