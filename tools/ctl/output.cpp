#include "tools/ctl/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tools/ctl/failure.hpp"

namespace glint::ctl {
namespace {

constexpr std::string_view hide_cursor = "\x1b[?25l";
constexpr std::string_view show_cursor = "\x1b[?25h";
constexpr std::string_view clear_screen = "\x1b[H\x1b[2J";
constexpr std::string_view clear_below = "\x1b[J";
constexpr std::string_view end_line = "\x1b[K\n";
constexpr std::string_view no_style = "\x1b[0m";

std::string_view escape_for(Style style) {
    switch (style) {
        case Style::title:
            return "\x1b[1m";
        case Style::note:
            return "\x1b[2m";
        case Style::warning:
            return "\x1b[33m";
        case Style::grey:
            return "\x1b[36m";
        case Style::red:
            return "\x1b[31m";
        case Style::green:
            return "\x1b[32m";
        case Style::blue:
            return "\x1b[34m";
        case Style::plain:
            break;
    }
    return "";
}

// See no-color.org: any value but an empty one.
bool colours_wanted() {
    const char* refused = std::getenv("NO_COLOR");
    return refused == nullptr || *refused == '\0';
}

// Serial consoles report no size; COLUMNS and LINES then speak for them.
std::size_t size_from(unsigned short reported, const char* variable, std::size_t otherwise) {
    if (reported > 0) return reported;
    const char* text = std::getenv(variable);
    const unsigned long value = text != nullptr ? std::strtoul(text, nullptr, 10) : 0;
    return value > 0 && value < 10000 ? value : otherwise;
}

}  // namespace

void print(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            throw ReaderGone{};
        } else if (errno != EINTR) {
            throw Failure(
                fmt::format("standard output cannot be written: {}", std::strerror(errno)));
        }
    }
}

void complain(std::string_view text) {
    fmt::print(stderr, "glintctl: {}\n", text);
}

bool is_live_terminal() {
    const char* term = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && term != nullptr && *term != '\0' &&
           std::string_view(term) != "dumb";
}

Screen::Screen() : colours_(colours_wanted()) {
    measure();
    print(hide_cursor);
}

Screen::~Screen() {
    try {
        release();
    } catch (...) {
        // The terminal is gone, and its cursor with it.
    }
}

void Screen::measure() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
    // The last column stays free: text that ends there leaves the cursor between two lines, where
    // terminals disagree about what clearing the rest of the line clears.
    columns_ = std::max<std::size_t>(size_from(size.ws_col, "COLUMNS", 80), 2) - 1;
    const std::size_t rows = size_from(size.ws_row, "LINES", 24);
    rows_ = rows > 1 ? rows - 1 : 1;
}

void Screen::show(const std::vector<Line>& lines) {
    std::string out;
    if (stale_)
        out += clear_screen;
    else if (drawn_ > 0)
        out += fmt::format("\r\x1b[{}A", drawn_);
    for (const Line& line : lines) {
        const std::string_view escape = colours_ ? escape_for(line.style) : "";
        out += escape;
        out += line.text;
        if (!escape.empty()) out += no_style;
        out += end_line;
    }
    out += clear_below;
    // One write, so that no half picture is seen.
    print(out);
    drawn_ = lines.size();
    stale_ = false;
}

void Screen::resized() {
    measure();
    stale_ = true;
}

void Screen::release() {
    print(show_cursor);
}

void Screen::resume() {
    measure();
    // The shell has written below the old picture: draw a new one under that.
    drawn_ = 0;
    print(hide_cursor);
}

}  // namespace glint::ctl
