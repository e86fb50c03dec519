#include "daemon/gpio/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "daemon/gpio/library.hpp"
#include "daemon/gpio/line_finder.hpp"

namespace glint::gpio {
namespace {

using Kind = LineError::Kind;

std::string message(int code) {
    return std::generic_category().message(code);
}

/// What to do when a chip cannot do what a request asks beyond the direction.
std::string advice(Bias bias, Drive drive, std::chrono::microseconds debounce) {
    std::string text;
    if (bias != Bias::as_is) text += ", bias (Linux 5.5)";
    if (drive != Drive::push_pull) text += ", drive";
    if (debounce.count() != 0) text += ", debounce_us";
    if (text.empty()) return ": take another line";
    return fmt::format("; it may be the {}: take that out, or another line", text.substr(2));
}

/// Who holds the line now, as a chip that may have gone meanwhile tells.
std::string holder(const std::string& chip_path, unsigned offset) noexcept try {
    const std::string consumer = library::Chip(chip_path).line(offset).consumer;
    return consumer.empty() ? std::string("a program or driver that gives no name")
                            : fmt::format("\"{}\"", consumer);
} catch (const std::exception&) {
    return "somebody";
}

bool is_there(const std::string& chip_path) noexcept try {
    return library::Chip(chip_path).lines() > 0;
} catch (const std::exception&) {
    return false;
}

/// What was asked of a line that the finder has found, for the text of a refusal.
struct Asked {
    std::string chip_path;
    unsigned offset;
    std::string description;
    bool input;
    std::string advice;  ///< for what the chip cannot do
};

LineError gone(int code, const std::string& description) {
    return {Kind::absent, code,
            fmt::format("{}: its chip has gone; it comes back with its driver", description)};
}

LineError request_error(int code, const Asked& asked) {
    const std::string refused = fmt::format("{} cannot be taken as an {} ({})", asked.description,
                                            asked.input ? "input" : "output", message(code));
    switch (code) {
        case EBUSY:
            return {Kind::busy, code,
                    fmt::format("{} is held by {}: end that, or take another line",
                                asked.description, holder(asked.chip_path, asked.offset))};
        case ENODEV:
        case ENXIO:
            if (!is_there(asked.chip_path)) return gone(code, asked.description);
            if (!asked.input) break;
            return {Kind::unsupported, code,
                    fmt::format("{} gives no interrupts ({}): take a line that does",
                                asked.description, message(code))};
        case EACCES:
        case EPERM:
            return {Kind::denied, code,
                    fmt::format("{}: its chip keeps it; take another line", refused)};
        case EINVAL:
        case ENOTSUP:
        case 524:  // ENOTSUPP, which only the kernel knows
            return {Kind::unsupported, code, refused + asked.advice};
        default:
            break;
    }
    return {Kind::failed, code, fmt::format("{}; `gpioinfo` shows the line", refused)};
}

LineError use_error(int code, const std::string& description, std::string_view action) {
    if (code == ENODEV) return gone(code, description);
    return {Kind::failed, code,
            fmt::format("{} cannot be {}: {}; `gpioinfo` shows the line", description, action,
                        message(code))};
}

void check_debounce(const InputSpec& spec) {
    const auto period = spec.debounce.count();
    if (period != 0 && !library::debounces) {
        throw LineError(Kind::unsupported, 0,
                        fmt::format("debounce_us = {} of line \"{}\" needs libgpiod 2, this is {}: "
                                    "take it out or filter in hardware",
                                    period, spec.line, library::version()));
    }
    if (period < 0 || period > std::numeric_limits<uint32_t>::max()) {
        throw LineError(Kind::unsupported, 0,
                        fmt::format("debounce_us = {} of line \"{}\" is not 0 to {}", period,
                                    spec.line, std::numeric_limits<uint32_t>::max()));
    }
}

}  // namespace

InputLine::InputLine(const InputSpec& spec) : counter_(library::numbers_events, false) {
    check_debounce(spec);
    FoundLine found = find_line(spec.chip, spec.line);
    chip_path_ = found.chip.path();
    description_ = found.description;
    try {
        request_ = std::make_unique<library::Input>(std::move(found.chip), found.offset, spec);
    } catch (const std::system_error& error) {
        throw request_error(error.code().value(),
                            {chip_path_, found.offset, description_, true,
                             advice(spec.bias, Drive::push_pull, spec.debounce)});
    }
    const int level = request_->level();
    if (level < 0) throw use_error(-level, description_, "read");
    counter_ = EdgeCounter(library::numbers_events, level != 0);
}

InputLine::~InputLine() = default;

int InputLine::fd() const noexcept {
    return request_->fd();
}

size_t InputLine::read(std::span<Edge> edges) noexcept {
    size_t taken = 0;
    std::optional<bool> level;
    while (taken < edges.size() && !ended()) {
        const std::span<Edge> room = edges.subspan(taken);
        const size_t got = take(room);
        taken += got;
        if (got > 0) {
            level.reset();
        } else if (!counter_.level_wanted()) {
            counter_.settle();
            break;
        } else if (level) {
            counter_.settle(*level);
            break;
        } else {
            // Then the queue again: an edge from before the level was read would explain it.
            level = ask_level();
        }
    }
    return taken;
}

size_t InputLine::take(std::span<Edge> edges) noexcept {
    std::array<library::Event, 64> events;
    const int got = request_->read(std::span(events).first(std::min(edges.size(), events.size())));
    if (got < 0 && got != -EAGAIN) failure_code_ = -got;
    if (got <= 0) return 0;
    const auto taken = static_cast<size_t>(got);
    for (size_t at = 0; at < taken; ++at) {
        const library::Event& event = events[at];
        edges[at] = {event.timestamp_nsec, event.rising,
                     counter_.count(event.rising, event.number)};
    }
    return taken;
}

std::optional<bool> InputLine::ask_level() noexcept {
    const int level = request_->level();
    if (level >= 0) return level != 0;
    failure_code_ = -level;
    return std::nullopt;
}

bool InputLine::missed_is_exact() noexcept {
    return library::numbers_events;
}

bool InputLine::check() noexcept {
    return !ended() && ask_level().has_value();
}

LineError InputLine::failure() const {
    return use_error(failure_code_, description_, "read");
}

OutputLine::OutputLine(const OutputSpec& spec) : active_(spec.active_at_start) {
    FoundLine found = find_line(spec.chip, spec.line);
    chip_path_ = found.chip.path();
    description_ = found.description;
    try {
        request_ = std::make_unique<library::Output>(std::move(found.chip), found.offset, spec);
    } catch (const std::system_error& error) {
        throw request_error(error.code().value(),
                            {chip_path_, found.offset, description_, false,
                             advice(spec.bias, spec.drive, std::chrono::microseconds{0})});
    }
}

OutputLine::~OutputLine() = default;

void OutputLine::set(bool active) {
    const int result = request_->set(active);
    if (result < 0) throw use_error(-result, description_, "driven");
    active_ = active;
}

std::string library_version() {
    return "libgpiod " + library::version();
}

}  // namespace glint::gpio
