// A view of a TOML table that checks what it hands out and remembers what was asked for.
#pragma once

// The library asserts what a text can break ("[?"), and says what is wrong with the text when it
// goes on.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/config.hpp"

namespace glint::config {

/// A word of a closed set and what it stands for.
template <typename T>
struct Choice {
    std::string_view word;
    T value;
};

/// Every text as TOML, later tables over earlier ones key by key. Throws ConfigError.
[[nodiscard]] toml::table parse_and_merge(const std::vector<ConfigText>& texts);

/// Reading a key twice is harmless. Every reader returns nothing for an absent key and throws
/// ConfigError, through refuse(), for a bad value.
class Table {
  public:
    /// `path` is the dotted name of the table, for messages.
    Table(const toml::table& table, std::string path, std::vector<std::string>& warnings)
        : table_(&table), path_(std::move(path)), warnings_(&warnings) {}

    /// The last part of the table's dotted name.
    [[nodiscard]] std::string name() const;

    [[nodiscard]] std::optional<std::string> text(std::string_view key);
    [[nodiscard]] bool is_text(std::string_view key) const;
    [[nodiscard]] std::optional<uint32_t> number(std::string_view key, uint32_t least,
                                                 uint32_t most);
    [[nodiscard]] std::optional<double> real(std::string_view key, double least, double most);
    [[nodiscard]] std::optional<bool> flag(std::string_view key);
    /// Two numbers, the first not above the second.
    [[nodiscard]] std::optional<std::pair<double, double>> interval(std::string_view key,
                                                                    double least, double most);
    [[nodiscard]] std::optional<std::vector<std::string>> text_list(std::string_view key);
    [[nodiscard]] std::optional<std::vector<int16_t>> int16_list(std::string_view key,
                                                                 int16_t least = INT16_MIN,
                                                                 int16_t most = INT16_MAX);
    /// Numbers of either kind. What they may be is the caller's to say: infinite ones come too.
    [[nodiscard]] std::optional<std::vector<double>> real_list(std::string_view key);
    /// Whether the key is a list in which at least one number is written as a real one.
    [[nodiscard]] bool lists_reals(std::string_view key) const;
    [[nodiscard]] std::string required_text(std::string_view key);
    [[nodiscard]] uint32_t required_number(std::string_view key, uint32_t least, uint32_t most);

    template <typename T, size_t N>
    [[nodiscard]] std::optional<T> choice(std::string_view key,
                                          const std::array<Choice<T>, N>& choices) {
        const auto word = text(key);
        if (!word) return std::nullopt;
        std::string allowed;
        for (const Choice<T>& entry : choices) {
            if (entry.word == *word) return entry.value;
            allowed += (allowed.empty() ? "\"" : ", \"") + std::string(entry.word) + '"';
        }
        refuse(key, "allowed are " + allowed);
    }

    /// Every key of this table; a value that is no whole number (or true or false: 1 or 0) is
    /// refused.
    [[nodiscard]] std::map<std::string, int64_t> integers();

    /// The sub-table of that name, as a list of none or one.
    [[nodiscard]] std::vector<Table> tables(std::string_view key);
    /// Every sub-table; any other key is refused.
    [[nodiscard]] std::vector<Table> named_tables();

    /// Adds a warning for each key that nothing asked for.
    void warn_unknown();
    /// Throws with the place, the key, its value and what is allowed. An empty key means the table.
    [[noreturn]] void refuse(std::string_view key, std::string_view allowed) const;

  private:
    [[nodiscard]] const toml::node* find(std::string_view key);
    [[nodiscard]] std::string dotted(std::string_view key) const;

    const toml::table* table_;
    std::string path_;
    std::vector<std::string>* warnings_;
    std::set<std::string, std::less<>> asked_;
};

}  // namespace glint::config
