// GPIO lines as the service sees them; what stands below is libgpiod 1.6 or 2, chosen when it is
// built.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "daemon/gpio/edge_counter.hpp"

namespace glint::gpio {

namespace library {
class Input;
class Output;
}  // namespace library

enum class Bias { as_is, disabled, pull_up, pull_down };
enum class Drive { push_pull, open_drain, open_source };

struct InputSpec {
    /// "gpiochip1", a path, or the chip's label; empty: the line is looked for on every chip.
    std::string chip;
    /// Its name, or its offset in decimal digits where a chip is given and no line has that name.
    std::string line;
    bool active_low = false;
    Bias bias = Bias::as_is;
    /// What lasts shorter is no edge; 0: every change is one. libgpiod 2 only, at most 4294 s.
    std::chrono::microseconds debounce{0};
};

struct OutputSpec {
    std::string chip;  ///< as above
    std::string line;
    bool active_low = false;
    Drive drive = Drive::push_pull;
    Bias bias = Bias::as_is;
    /// The line takes this level at the moment when it becomes an output: nothing in between.
    bool active_at_start = false;
};

struct Edge {
    uint64_t timestamp_nsec = 0;  ///< CLOCK_MONOTONIC, taken by the kernel
    bool rising = false;          ///< the line became active: logical, as all levels here
    /// The line's edges from 1 on, missed ones too as far as they are known.
    uint64_t sequence = 0;
};

/// The text names line and chip, who holds it, and what to do.
class LineError : public std::runtime_error {
  public:
    enum class Kind {
        absent,       ///< no such chip or line, or gone: may come with its driver or expander
        ambiguous,    ///< several lines or chips have that name: the configuration must say which
        busy,         ///< another program or a driver holds it
        unsupported,  ///< this library, kernel or chip cannot do what is asked
        denied,       ///< the service may not open the chip
        failed        ///< any other error
    };
    /// `code`: an errno value; 0 where no call failed.
    LineError(Kind kind, int code, const std::string& text)
        : std::runtime_error(text), kind_(kind), code_(code) {}
    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    [[nodiscard]] int code() const noexcept { return code_; }

  private:
    Kind kind_;
    int code_;
};

/// A line whose both edges are watched, from construction to destruction. Belongs to one thread.
class InputLine {
  public:
    /// Opens every chip at most once, some system calls for each line of it. Throws LineError.
    explicit InputLine(const InputSpec& spec);
    ~InputLine();
    InputLine(const InputLine&) = delete;
    InputLine& operator=(const InputLine&) = delete;

    /// Readable while edges wait, and, on kernels since 6.5, from the chip's removal on.
    [[nodiscard]] int fd() const noexcept;
    /// Takes waiting edges, oldest first, and returns how many; never blocks. Fewer than fit: none
    /// is left, or the line has ended.
    [[nodiscard]] size_t read(std::span<Edge> edges) noexcept;
    /// After the last edge that was read; after a loss the level then asked for.
    [[nodiscard]] bool active() const noexcept { return counter_.active(); }
    /// All of them: read and missed.
    [[nodiscard]] uint64_t edges() const noexcept { return counter_.edges(); }
    /// Noticed by the kernel and not read, because its queue was full.
    [[nodiscard]] uint64_t missed() const noexcept { return counter_.missed(); }
    /// False with libgpiod 1.6, whose edges have no numbers: missed() then is a lower bound, a pair
    /// of edges that was lost together does not show, and missed() and edges() fall by one when an
    /// edge arrives after all that only the level had shown.
    [[nodiscard]] static bool missed_is_exact() noexcept;

    /// The chip has gone or the line cannot be read: take fd() off the loop, which would be ready
    /// for ever, and destroy this object. A later one may succeed.
    [[nodiscard]] bool ended() const noexcept { return failure_code_ != 0; }
    /// Asks the kernel whether the line is still there: older kernels wake nobody when a chip goes.
    /// For when chip_path() has vanished. True: it is; false: ended().
    bool check() noexcept;
    /// Why it has ended: absent or failed.
    [[nodiscard]] LineError failure() const;

    /// E.g. "/dev/gpiochip1".
    [[nodiscard]] const std::string& chip_path() const noexcept { return chip_path_; }
    /// E.g. `line "TRIGGER" (gpiochip1 5)`.
    [[nodiscard]] const std::string& description() const noexcept { return description_; }

  private:
    [[nodiscard]] size_t take(std::span<Edge> edges) noexcept;
    /// None: ended().
    [[nodiscard]] std::optional<bool> ask_level() noexcept;

    std::string chip_path_;
    std::string description_;
    std::unique_ptr<library::Input> request_;
    EdgeCounter counter_;
    int failure_code_ = 0;
};

/// A line that is driven. Destroying it, or the end of the process, gives the line back without
/// changing it: most chips go on driving the last level (docs/architecture.md).
class OutputLine {
  public:
    /// Throws LineError.
    explicit OutputLine(const OutputSpec& spec);
    ~OutputLine();
    OutputLine(const OutputLine&) = delete;
    OutputLine& operator=(const OutputLine&) = delete;

    /// Throws LineError: absent when the chip has gone. active() then is what it was before.
    void set(bool active);
    /// What it was set to.
    [[nodiscard]] bool active() const noexcept { return active_; }

    [[nodiscard]] const std::string& chip_path() const noexcept { return chip_path_; }
    [[nodiscard]] const std::string& description() const noexcept { return description_; }

  private:
    std::string chip_path_;
    std::string description_;
    std::unique_ptr<library::Output> request_;
    bool active_ = false;
};

/// E.g. "libgpiod 1.6.3".
[[nodiscard]] std::string library_version();

}  // namespace glint::gpio
