// Checks on exceptions: the type and what the text has to say. Include before TestHarness.h.
#pragma once

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>

namespace glint::test {

/// The text of the Error that `action` throws; a note in brackets when it throws none or another.
template <typename Error, typename Action>
[[nodiscard]] std::string text_thrown(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        return std::string("[another exception] ") + error.what();
    }
    return "[nothing was thrown]";
}

/// Empty when `text` holds every part, else what is missing and where.
[[nodiscard]] inline std::string missing_in(std::string_view text,
                                            std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
        if (text.find(part) != std::string_view::npos) continue;
        return '"' + std::string(part) + "\" is missing in: " + std::string(text);
    }
    return {};
}

}  // namespace glint::test
