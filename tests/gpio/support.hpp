// What the tests of lines have in common: waiting for edges, and refusals with their kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/gpio/lines.hpp"
#include "tests/unit/expect.hpp"

namespace glint::test {

/// Input and output of a line that has no wishes.
[[nodiscard]] gpio::InputSpec input(const std::string& chip, const std::string& line);
[[nodiscard]] gpio::OutputSpec output(const std::string& chip, const std::string& line);

/// Whether the descriptor is readable, or becomes so within the time that a test may wait.
[[nodiscard]] bool becomes_readable(int fd);
/// Whether it is readable now.
[[nodiscard]] bool readable(int fd);
/// Waits for that many edges, and takes those that are waiting then. Fewer: they did not come.
[[nodiscard]] std::vector<gpio::Edge> take_edges(gpio::InputLine& line, size_t at_least);
/// Takes all that wait.
[[nodiscard]] std::vector<gpio::Edge> take_waiting(gpio::InputLine& line);
/// By their times, two at least: how many a second, and the longest time between two.
[[nodiscard]] std::string pace_of(std::span<const gpio::Edge> edges);
/// CLOCK_MONOTONIC.
[[nodiscard]] uint64_t now_nsec();
[[nodiscard]] size_t open_descriptors();

[[nodiscard]] const char* name_of(gpio::LineError::Kind kind);

/// The kind of the LineError that `action` throws, e.g. "absent"; or else what its text lacks.
template <typename Action>
[[nodiscard]] std::string refusal(Action action, std::initializer_list<std::string_view> parts) {
    try {
        action();
    } catch (const gpio::LineError& error) {
        const std::string missing = missing_in(error.what(), parts);
        return missing.empty() ? name_of(error.kind()) : missing;
    }
    return "[nothing was thrown]";
}

}  // namespace glint::test
