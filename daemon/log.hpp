// Messages to the journal with structured fields, or plain to stderr when it is not the journal.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace glint::log {

/// Syslog priorities.
enum class Level { error = 3, warning = 4, notice = 5, info = 6, debug = 7 };

struct Field {
    const char* name;  ///< one of names.hpp, upper case
    std::string value;
};

void write(Level level, std::string_view text, std::initializer_list<Field> fields = {});

inline void error(std::string_view text, std::initializer_list<Field> fields = {}) {
    write(Level::error, text, fields);
}
inline void warning(std::string_view text, std::initializer_list<Field> fields = {}) {
    write(Level::warning, text, fields);
}
inline void notice(std::string_view text, std::initializer_list<Field> fields = {}) {
    write(Level::notice, text, fields);
}
inline void info(std::string_view text, std::initializer_list<Field> fields = {}) {
    write(Level::info, text, fields);
}
inline void debug(std::string_view text, std::initializer_list<Field> fields = {}) {
    write(Level::debug, text, fields);
}

// org.freedesktop.LogControl1. Any thread may read, the loop thread sets.
enum class Target { automatic, journal, console };
void set_max_level(Level level) noexcept;
[[nodiscard]] Level max_level() noexcept;
void set_target(Target target) noexcept;
/// The target in force; never `automatic`.
[[nodiscard]] Target target() noexcept;

/// "err", "warning", "notice", "info", "debug" as LogControl1 spells them.
[[nodiscard]] std::string_view level_name(Level level) noexcept;
[[nodiscard]] bool parse_level(std::string_view name, Level& level) noexcept;

}  // namespace glint::log
