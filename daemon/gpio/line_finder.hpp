// Finds the one line that a chip's and a line's name mean, and says what there is when it cannot.
#pragma once

#include <string>

#include "daemon/gpio/library.hpp"

namespace glint::gpio {

struct FoundLine {
    library::Chip chip;
    unsigned offset = 0;
    std::string description;  ///< line "TRIGGER" (gpiochip1 5)
};

/// `chip` and `line` as in InputSpec. Throws LineError.
[[nodiscard]] FoundLine find_line(const std::string& chip, const std::string& line);

}  // namespace glint::gpio
