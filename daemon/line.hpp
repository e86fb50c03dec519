// One GPIO line of the configuration: a trigger's input, or the output of alarms.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "daemon/config.hpp"
#include "daemon/gpio/lines.hpp"
#include "daemon/loop.hpp"
#include "daemon/names.hpp"
#include "daemon/node_watch.hpp"
#include "daemon/recovery.hpp"

namespace glint {

[[nodiscard]] const char* name_of(LineRole role) noexcept;

/// Loop thread only. A line that cannot be had is tried again, when its chip comes or after a
/// while; meanwhile its edges are not seen and its level is not ours.
class Line {
  public:
    using OnEdge = std::function<void(const gpio::Edge&)>;
    struct Events {
        OnEdge edge;                    ///< after `on_edge`
        std::function<void()> changed;  ///< problem() or, of an output, active()
    };
    /// `on_edge`: every edge of a trigger, however many.
    Line(Loop& loop, LineConfig config, OnEdge on_edge);
    /// Leaves an output inactive.
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    void listen(Events events) { events_ = std::move(events); }
    void open();

    /// An alarm line is active while anybody holds it; a strobe gives a pulse when one begins to.
    void hold(const std::string& by, bool active);
    /// As hold() by a client. Throws Failure: InvalidArgs for an input, LineAbsent or LineBusy
    /// while there is no line.
    void set(bool active);

    [[nodiscard]] const LineConfig& config() const noexcept { return config_; }
    /// Logical, also of what is active low; false while the line cannot be had.
    [[nodiscard]] bool active() const noexcept;
    /// Of a trigger since the service started.
    [[nodiscard]] uint64_t edges() const noexcept;
    [[nodiscard]] uint64_t missed() const noexcept;
    /// Why the line cannot be had, or empty.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  private:
    void open_input();
    void open_output();
    void read_edges();
    void input_ended();
    void unusable(const gpio::LineError& error);
    void drive(bool active);
    void changed();

    Loop& loop_;
    LineConfig config_;
    OnEdge on_edge_;
    Events events_;
    std::string problem_ = "is not opened yet";
    const char* problem_name_ = names::error::line_absent;  ///< its error on the bus
    std::optional<gpio::InputLine> input_;
    std::optional<IoSource> io_;  ///< of the input: goes before it
    std::unique_ptr<NodeWatch> chip_watch_;
    std::optional<gpio::OutputLine> output_;
    uint64_t earlier_edges_ = 0;  ///< of inputs that have ended
    uint64_t earlier_missed_ = 0;
    std::set<std::string, std::less<>> holders_;
    Timer pulse_end_;
    Recovery recovery_;
};

}  // namespace glint
