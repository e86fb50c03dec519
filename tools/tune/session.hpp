// What glint-tune does from its command line to its files.
#pragma once

#include <string>

#include "tools/tune/tuner.hpp"

namespace glint::tune {

struct Options {
    std::string device = "*";  ///< shell pattern over "PLATFORM/DEVICE" names
    Wanted wanted;
    size_t runs = 15;
    std::string output;
    std::string json;  ///< empty: none
    std::string plot;  ///< likewise
    bool resume = false;
    bool if_missing =
        false;  ///< measure only what no finished run has, and resume what was stopped
    size_t elements = size_t{1} << 22;  ///< of saxpy's vectors
};

/// All throw std::runtime_error, whose text has the next step. They return early, with everything
/// saved that was measured, when a signal asks to stop.
void list(const Options& options);
void run_tuning(const Options& options);
void run_saxpy(const Options& options);

}  // namespace glint::tune
