// Standard output: plain text that notices a reader gone away, and a terminal redrawn in place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ctl/picture.hpp"

namespace glint::ctl {

// Nobody reads standard output any more. No error: the program ends quietly.
struct ReaderGone {};

// Writes all of it to standard output at once. Throws ReaderGone or Failure.
void print(std::string_view text);
// One line "glintctl: ..." on standard error.
void complain(std::string_view text);

// True if standard output is a terminal that moves its cursor on request.
bool is_live_terminal();

// Redraws lines in place at the end of the terminal's text, and leaves the last ones there.
class Screen {
  public:
    Screen();
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    // What a picture may fill: one less than the terminal has, either way.
    std::size_t columns() const { return columns_; }
    std::size_t rows() const { return rows_; }

    void show(const std::vector<Line>& lines);
    // The terminal has another size: what it did to the old picture is unknown, so start over.
    void resized();
    // Around a stop by Ctrl-Z.
    void release();
    void resume();

  private:
    void measure();

    std::size_t columns_ = 79;
    std::size_t rows_ = 23;
    std::size_t drawn_ = 0;
    bool colours_ = false;
    bool stale_ = false;
};

}  // namespace glint::ctl
