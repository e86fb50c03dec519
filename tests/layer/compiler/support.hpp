// What the compiler's tests share. Include before TestHarness.h.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/layer/compiler/known_limits.hpp"

namespace glint::layer::test {

inline CompilerLimits gc2000() {
    return *known_limits("gc2000");
}
inline CompilerLimits gc7000l() {
    return *known_limits("gc7000l");
}

/// Empty if the program builds, else all that was said; "unchecked" if clang did not run.
inline std::string refusals(const std::string& source, const CompilerLimits& limits,
                            const std::string& options = "") {
    const CompilerVerdict verdict = check_program(source, options, limits);
    if (!verdict.checked) return "unchecked: " + verdict.log;
    std::string all;
    for (const std::string& problem : verdict.problems) all += problem + '\n';
    return all;
}

/// Empty if exactly one problem was found and it says `part`; else what was found.
inline std::string other_than(std::string_view part, const std::string& found) {
    const bool one = std::ranges::count(found, '\n') == 1;
    return one && found.find(part) != std::string::npos ? "" : "[" + found + "]";
}

}  // namespace glint::layer::test
