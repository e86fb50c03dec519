// What the lines need of libgpiod, in terms that both of its versions have. gpiod_v1.cpp and
// gpiod_v2.cpp implement it; CMake takes the one for the library that is there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "daemon/gpio/lines.hpp"

namespace glint::gpio::library {

inline constexpr const char* consumer = "glintd";

struct LineInfo {
    std::string name;      ///< empty: it has none
    std::string consumer;  ///< who holds it; may be empty even then
};

/// An open chip.
class Chip {
  public:
    /// Throws std::system_error.
    explicit Chip(std::string path);
    ~Chip();
    Chip(Chip&&) noexcept;
    Chip& operator=(Chip&&) noexcept;
    Chip(const Chip&) = delete;
    Chip& operator=(const Chip&) = delete;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::string label() const;
    [[nodiscard]] unsigned lines() const;
    /// Throws std::system_error.
    [[nodiscard]] LineInfo line(unsigned offset) const;

  private:
    friend class Input;
    friend class Output;
    struct Handle;
    std::string path_;
    std::unique_ptr<Handle> handle_;
};

struct Event {
    uint64_t timestamp_nsec = 0;  ///< CLOCK_MONOTONIC
    bool rising = false;
    uint32_t number = 0;  ///< the line's, from 1 on; 0 where edges are not numbered
};

/// A requested line that gives events of both edges.
class Input {
  public:
    /// Throws std::system_error.
    Input(Chip chip, unsigned offset, const InputSpec& spec);
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    [[nodiscard]] int fd() const noexcept;
    /// How many were waiting and have been taken, or -errno: -EAGAIN when none waits.
    [[nodiscard]] int read(std::span<Event> events) noexcept;
    /// 0 or 1, logical, or -errno.
    [[nodiscard]] int level() const noexcept;

  private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

/// A requested line that is driven.
class Output {
  public:
    /// Throws std::system_error.
    Output(Chip chip, unsigned offset, const OutputSpec& spec);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// 0 or -errno.
    [[nodiscard]] int set(bool active) noexcept;

  private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

/// Whether events have numbers, and lines can be debounced.
extern const bool numbers_events;
extern const bool debounces;
/// The kernel's words for "I do not have the interface that this library speaks", and what to do.
extern const char* const kernel_needed;

/// E.g. "1.6.3".
[[nodiscard]] std::string version();

}  // namespace glint::gpio::library
