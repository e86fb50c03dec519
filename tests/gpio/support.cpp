#include "tests/gpio/support.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>

namespace glint::test {
namespace {

constexpr int limit_msec = 10'000;

bool poll_readable(int fd, int timeout_msec) {
    pollfd asked{fd, POLLIN, 0};
    return ::poll(&asked, 1, timeout_msec) == 1;
}

}  // namespace

gpio::InputSpec input(const std::string& chip, const std::string& line) {
    return {.chip = chip, .line = line};
}

gpio::OutputSpec output(const std::string& chip, const std::string& line) {
    return {.chip = chip, .line = line};
}

bool becomes_readable(int fd) {
    return poll_readable(fd, limit_msec);
}

bool readable(int fd) {
    return poll_readable(fd, 0);
}

std::vector<gpio::Edge> take_waiting(gpio::InputLine& line) {
    std::vector<gpio::Edge> edges;
    std::array<gpio::Edge, 100> some;
    size_t got = 0;
    do {
        got = line.read(some);
        edges.insert(edges.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(got));
    } while (got == some.size());
    return edges;
}

std::vector<gpio::Edge> take_edges(gpio::InputLine& line, size_t at_least) {
    std::vector<gpio::Edge> edges;
    while (edges.size() < at_least && !line.ended() && becomes_readable(line.fd())) {
        const std::vector<gpio::Edge> more = take_waiting(line);
        edges.insert(edges.end(), more.begin(), more.end());
    }
    return edges;
}

std::string pace_of(std::span<const gpio::Edge> edges) {
    uint64_t longest_nsec = 0;
    for (size_t at = 1; at < edges.size(); ++at) {
        longest_nsec =
            std::max(longest_nsec, edges[at].timestamp_nsec - edges[at - 1].timestamp_nsec);
    }
    const auto nsec =
        static_cast<double>(edges.back().timestamp_nsec - edges.front().timestamp_nsec);
    return fmt::format("{} edges, {:.0f} a second, at most {:.1f} ms apart", edges.size(),
                       static_cast<double>(edges.size() - 1) / nsec * 1e9,
                       static_cast<double>(longest_nsec) / 1e6);
}

uint64_t now_nsec() {
    // steady_clock is CLOCK_MONOTONIC with both compilers' libraries.
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
}

size_t open_descriptors() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                                             std::filesystem::directory_iterator()));
}

const char* name_of(gpio::LineError::Kind kind) {
    switch (kind) {
        case gpio::LineError::Kind::absent:
            return "absent";
        case gpio::LineError::Kind::ambiguous:
            return "ambiguous";
        case gpio::LineError::Kind::busy:
            return "busy";
        case gpio::LineError::Kind::unsupported:
            return "unsupported";
        case gpio::LineError::Kind::denied:
            return "denied";
        case gpio::LineError::Kind::failed:
            return "failed";
    }
    return "[unknown]";
}

}  // namespace glint::test
