#include "daemon/line.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <array>
#include <system_error>

#include "daemon/failure.hpp"
#include "daemon/log.hpp"
#include "daemon/names.hpp"

namespace glint {
namespace {

using gpio::LineError;

/// Where a chip that is awaited will appear.
std::string awaited_node(const std::string& chip) {
    return chip.starts_with('/') ? chip : "/dev/" + (chip.empty() ? "gpiochip" : chip);
}

}  // namespace

const char* name_of(LineRole role) noexcept {
    constexpr std::array names{"trigger", "alarm", "strobe"};
    return names[static_cast<size_t>(role)];
}

Line::Line(Loop& loop, LineConfig config, OnEdge on_edge)
    : loop_(loop),
      config_(std::move(config)),
      on_edge_(std::move(on_edge)),
      pulse_end_(loop, [this] { drive(false); }),
      recovery_(loop, [this] { open(); }) {}

Line::~Line() {
    events_ = {};  // nobody is told any more
    if (output_ && output_->active()) drive(false);
}

bool Line::active() const noexcept {
    if (input_) return input_->active();
    return output_ && output_->active();
}

uint64_t Line::edges() const noexcept {
    return earlier_edges_ + (input_ ? input_->edges() : 0);
}

uint64_t Line::missed() const noexcept {
    return earlier_missed_ + (input_ ? input_->missed() : 0);
}

void Line::open() {
    try {
        config_.role == LineRole::trigger ? open_input() : open_output();
    } catch (const LineError& error) {
        return unusable(error);
    }
    if (!problem_.empty()) {
        log::info(fmt::format("line {} is ready, {}", config_.name,
                              input_ ? input_->description() : output_->description()),
                  {{names::field_line, config_.name}});
    }
    problem_.clear();
    recovery_.streaming();
    changed();
}

void Line::open_input() {
    input_.emplace(gpio::InputSpec{.chip = config_.chip,
                                   .line = config_.line,
                                   .active_low = config_.active_low,
                                   .bias = config_.bias,
                                   .debounce = microseconds(config_.debounce_us)});
    // Before frames: an edge must be known when a frame that came after it is looked at.
    io_.emplace(
        loop_, input_->fd(), EPOLLIN, [this](uint32_t) { read_edges(); }, IoSource::first);
    try {
        // Kernels before 6.5 wake nobody when a chip goes.
        chip_watch_ = std::make_unique<NodeWatch>(loop_, input_->chip_path(), [this] {
            if (input_ && !input_->check()) input_ended();
        });
    } catch (const std::system_error& error) {
        log::debug(fmt::format("line {}: {} cannot be watched: {}", config_.name,
                               input_->chip_path(), error.what()));
    }
}

void Line::open_output() {
    output_.emplace(
        gpio::OutputSpec{.chip = config_.chip,
                         .line = config_.line,
                         .active_low = config_.active_low,
                         .drive = config_.drive,
                         .bias = config_.bias,
                         .active_at_start = config_.role == LineRole::alarm && !holders_.empty()});
}

void Line::read_edges() {
    std::array<gpio::Edge, 64> edges;
    size_t count = 0;
    do {
        count = input_->read(edges);
        for (gpio::Edge& edge : std::span(edges).first(count)) {
            edge.sequence += earlier_edges_;
            on_edge_(edge);
            if (events_.edge) events_.edge(edge);
        }
    } while (count == edges.size());
    if (input_->ended()) input_ended();
}

void Line::input_ended() {
    const LineError error = input_->failure();
    io_.reset();
    earlier_edges_ = edges();
    earlier_missed_ = missed();
    input_.reset();
    unusable(error);
}

/// What waiting cannot mend is left until the configuration changes.
void Line::unusable(const LineError& error) {
    const bool news = problem_ != error.what();
    problem_ = error.what();
    problem_name_ =
        error.kind() == LineError::Kind::busy ? names::error::line_busy : names::error::line_absent;
    if (news) {
        log::warning(fmt::format("line {}: {}", config_.name, error.what()),
                     {{names::field_line, config_.name}});
        changed();
    }
    switch (error.kind()) {
        case LineError::Kind::ambiguous:
        case LineError::Kind::unsupported:
            return recovery_.cancel();
        case LineError::Kind::absent:
            return recovery_.wait_for(awaited_node(config_.chip));
        case LineError::Kind::busy:
        case LineError::Kind::denied:
        case LineError::Kind::failed:
            break;
    }
    // The first try is meant to be made at once, for streams; whoever holds a line keeps it longer.
    while (recovery_.failed().count() == 0) continue;
}

void Line::hold(const std::string& by, bool active) {
    const bool begins = active && holders_.insert(by).second;
    if (!active) holders_.erase(by);
    if (config_.role == LineRole::alarm) return drive(!holders_.empty());
    if (!begins) return;
    drive(true);
    pulse_end_.arm(microseconds(config_.pulse_us));
}

void Line::set(bool active) {
    if (config_.role == LineRole::trigger) {
        throw Failure("org.freedesktop.DBus.Error.InvalidArgs",
                      fmt::format("line {} is a trigger, which is an input", config_.name));
    }
    if (!output_) throw Failure(problem_name_, fmt::format("line {}: {}", config_.name, problem_));
    const std::string client = "a client";
    if (config_.role == LineRole::strobe) hold(client, false);  // each call is a pulse
    hold(client, active);
}

void Line::drive(bool active) {
    if (!output_ || output_->active() == active) return;
    try {
        output_->set(active);
        changed();
    } catch (const LineError& error) {
        output_.reset();
        unusable(error);
    }
}

void Line::changed() {
    if (events_.changed) events_.changed();
}

}  // namespace glint
