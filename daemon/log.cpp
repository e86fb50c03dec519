#include "daemon/log.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "daemon/names.hpp"

namespace glint::log {
namespace {

struct LevelName {
    Level level;
    std::string_view name;
};
constexpr std::array<LevelName, 5> level_names{{{Level::error, "err"},
                                                {Level::warning, "warning"},
                                                {Level::notice, "notice"},
                                                {Level::info, "info"},
                                                {Level::debug, "debug"}}};

/// systemd sets JOURNAL_STREAM to the device and inode of the journal's socket (systemd.exec); they
/// must be stderr's, since a shell started by a service inherits the variable but not the stream.
bool stderr_is_journal() {
    const char* stream = std::getenv("JOURNAL_STREAM");
    struct stat status {};
    if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
    return fmt::format("{}:{}", status.st_dev, status.st_ino) == stream;
}

std::atomic<Level> level_limit{Level::info};
std::atomic<Target> current_target{Target::automatic};

void write_journal(Level level, std::string_view text, std::initializer_list<Field> fields) {
    std::vector<std::string> lines;
    lines.reserve(fields.size() + 3);
    lines.push_back(fmt::format("MESSAGE={}", text));
    lines.push_back(fmt::format("PRIORITY={}", static_cast<int>(level)));
    lines.push_back(fmt::format("SYSLOG_IDENTIFIER={}", names::syslog_identifier));
    for (const Field& field : fields)
        lines.push_back(fmt::format("{}={}", field.name, field.value));
    std::vector<iovec> parts;
    parts.reserve(lines.size());
    for (std::string& line : lines) parts.push_back({line.data(), line.size()});
    sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

void write_console(Level level, std::string_view text, std::initializer_list<Field> fields) {
    std::string line = fmt::format("glintd: {}: {}", level_name(level), text);
    for (const Field& field : fields) line += fmt::format(" [{}={}]", field.name, field.value);
    line += '\n';
    std::fputs(line.c_str(), stderr);
}

}  // namespace

void write(Level level, std::string_view text, std::initializer_list<Field> fields) {
    if (level > max_level()) return;
    if (target() == Target::journal) {
        write_journal(level, text, fields);
    } else {
        write_console(level, text, fields);
    }
}

void set_max_level(Level level) noexcept {
    level_limit = level;
}
Level max_level() noexcept {
    return level_limit;
}

void set_target(Target target) noexcept {
    current_target = target;
}

Target target() noexcept {
    if (current_target != Target::automatic) return current_target;
    static const Target found = stderr_is_journal() ? Target::journal : Target::console;
    return found;
}

std::string_view level_name(Level level) noexcept {
    for (const LevelName& entry : level_names) {
        if (entry.level == level) return entry.name;
    }
    return "info";
}

bool parse_level(std::string_view name, Level& level) noexcept {
    for (const LevelName& entry : level_names) {
        if (entry.name != name) continue;
        level = entry.level;
        return true;
    }
    return false;
}

}  // namespace glint::log
