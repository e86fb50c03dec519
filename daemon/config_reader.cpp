#include "daemon/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace glint::config {
namespace {

std::string place(const toml::source_region& source) {
    const std::string path = source.path ? *source.path : "configuration";
    return fmt::format("{}:{}:{}", path, source.begin.line, source.begin.column);
}

/// A value as it stands in the file, short enough for a message. An array is written element by
/// element: toml++ lays whole arrays out by the decimal digits of their numbers, and that is
/// undefined for an infinite number and for the smallest integer.
std::string shown(const toml::node& node) {
    constexpr size_t longest = 60;
    std::ostringstream text;
    if (const toml::array* array = node.as_array()) {
        text << "[";
        for (const toml::node& element : *array) {
            if (static_cast<size_t>(text.tellp()) > longest) break;
            text << (&element == &array->front() ? " " : ", ") << shown(element);
        }
        text << (array->empty() ? "]" : " ]");
    } else if (node.is_table()) {
        return "a table";
    } else {
        node.visit([&](const auto& value) { text << value; });
    }
    std::string result = text.str();
    if (result.size() > longest) result = result.substr(0, longest) + "...";
    return result;
}

void merge(toml::table& into, toml::table&& from) {
    for (auto&& [key, value] : from) {
        toml::node* present = into.get(key);
        if (present != nullptr && present->is_table() && value.is_table()) {
            merge(*present->as_table(), std::move(*value.as_table()));
        } else {
            into.insert_or_assign(key, std::move(value));
        }
    }
}

/// The parser limits the nesting of values but not that of dotted keys, and a table of ten thousand
/// levels ends the stack when it is merged or destroyed. Keys stand in values, too, and may be
/// quoted, so every dot of a line counts.
void check_key_depth(const ConfigText& text) {
    constexpr ptrdiff_t most_dots = 100;
    std::istringstream lines(text.text);
    std::string line;
    for (size_t number = 1; std::getline(lines, line); ++number) {
        const size_t start = line.find_first_not_of(" \t");
        const bool comment = start != std::string::npos && line[start] == '#';
        const ptrdiff_t dots = std::ranges::count(line, '.');
        if (comment || dots <= most_dots) continue;
        throw ConfigError(fmt::format("{}:{}:1: {} dots in a line; a key has at most {} parts",
                                      text.path, number, dots, most_dots));
    }
}

}  // namespace

toml::table parse_and_merge(const std::vector<ConfigText>& texts) {
    toml::table merged;
    for (const ConfigText& text : texts) {
        check_key_depth(text);
        try {
            merge(merged, toml::parse(text.text, text.path));
        } catch (const toml::parse_error& error) {
            throw ConfigError(fmt::format("{}: {}", place(error.source()), error.description()));
        }
    }
    return merged;
}

std::string Table::name() const {
    return path_.substr(path_.rfind('.') + 1);
}

std::string Table::dotted(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

const toml::node* Table::find(std::string_view key) {
    asked_.emplace(key);
    return table_->get(key);
}

void Table::refuse(std::string_view key, std::string_view allowed) const {
    const toml::node* node = key.empty() ? table_ : table_->get(key);
    if (node == nullptr) {
        throw ConfigError(fmt::format("{}: [{}] {} is missing: {}", place(table_->source()), path_,
                                      key, allowed));
    }
    if (key.empty()) {
        throw ConfigError(fmt::format("{}: [{}]: {}", place(node->source()), path_, allowed));
    }
    throw ConfigError(fmt::format("{}: [{}] {} = {}: {}", place(node->source()), path_, key,
                                  shown(*node), allowed));
}

std::optional<std::string> Table::text(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_string()) refuse(key, "a text in quotes is expected");
    return node->as_string()->get();
}

bool Table::is_text(std::string_view key) const {
    const toml::node* node = table_->get(key);
    return node != nullptr && node->is_string();
}

std::optional<uint32_t> Table::number(std::string_view key, uint32_t least, uint32_t most) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto* value = node->as_integer();
    if (value == nullptr || value->get() < int64_t{least} || value->get() > int64_t{most}) {
        refuse(key, fmt::format("a whole number from {} to {} is expected", least, most));
    }
    return static_cast<uint32_t>(value->get());
}

std::optional<double> Table::real(std::string_view key, double least, double most) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    // Written so that NaN is refused too.
    if (!value || !(*value >= least && *value <= most)) {
        refuse(key, fmt::format("a number from {} to {} is expected", least, most));
    }
    return value;
}

std::optional<bool> Table::flag(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_boolean()) refuse(key, "true or false is expected");
    return node->as_boolean()->get();
}

std::optional<std::pair<double, double>> Table::interval(std::string_view key, double least,
                                                         double most) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    std::vector<double> ends;
    if (const toml::array* array = node->as_array()) {
        for (const toml::node& entry : *array) {
            // NaN is none of the numbers that are kept.
            const auto value = entry.is_number() ? entry.value<double>() : std::nullopt;
            if (value && *value >= least && *value <= most) ends.push_back(*value);
        }
        if (ends.size() == 2 && array->size() == 2 && ends[0] <= ends[1]) {
            return std::pair(ends[0], ends[1]);
        }
    }
    refuse(key, fmt::format("two numbers from {} to {} are expected, the smaller one first", least,
                            most));
}

std::optional<std::vector<std::string>> Table::text_list(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    std::vector<std::string> result;
    if (!node->is_array()) refuse(key, "a list of texts is expected");
    for (const toml::node& entry : *node->as_array()) {
        if (!entry.is_string()) refuse(key, "a list of texts is expected");
        result.push_back(entry.as_string()->get());
    }
    return result;
}

std::optional<std::vector<int16_t>> Table::int16_list(std::string_view key, int16_t least,
                                                      int16_t most) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    std::vector<int16_t> result;
    if (!node->is_array()) refuse(key, "a list of whole numbers is expected");
    for (const toml::node& entry : *node->as_array()) {
        const auto* value = entry.as_integer();
        if (value == nullptr || value->get() < least || value->get() > most) {
            refuse(key, fmt::format("whole numbers from {} to {} are expected", least, most));
        }
        result.push_back(static_cast<int16_t>(value->get()));
    }
    return result;
}

std::optional<std::vector<double>> Table::real_list(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    std::vector<double> result;
    if (!node->is_array()) refuse(key, "a list of numbers is expected");
    for (const toml::node& entry : *node->as_array()) {
        const auto value = entry.is_number() ? entry.value<double>() : std::nullopt;
        if (!value) refuse(key, "a list of numbers is expected");
        result.push_back(*value);
    }
    return result;
}

bool Table::lists_reals(std::string_view key) const {
    const toml::node* node = table_->get(key);
    return node != nullptr && node->is_array() &&
           std::ranges::any_of(*node->as_array(), &toml::node::is_floating_point);
}

std::string Table::required_text(std::string_view key) {
    const auto value = text(key);
    if (!value) refuse(key, "a text in quotes is expected");
    return *value;
}

uint32_t Table::required_number(std::string_view key, uint32_t least, uint32_t most) {
    const auto value = number(key, least, most);
    if (!value) refuse(key, fmt::format("a whole number from {} to {} is expected", least, most));
    return *value;
}

std::map<std::string, int64_t> Table::integers() {
    std::map<std::string, int64_t> result;
    for (const auto& [key, value] : *table_) {
        const toml::node* node = find(key.str());
        if (const auto* number = node->as_integer()) {
            result.emplace(key.str(), number->get());
        } else if (const auto* truth = node->as_boolean()) {
            result.emplace(key.str(), truth->get() ? 1 : 0);
        } else {
            refuse(key.str(), "a whole number, true or false is expected");
        }
    }
    return result;
}

std::vector<Table> Table::tables(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    if (!node->is_table()) refuse(key, fmt::format("a table [{}] is expected", dotted(key)));
    return {Table(*node->as_table(), dotted(key), *warnings_)};
}

std::vector<Table> Table::named_tables() {
    std::vector<Table> result;
    for (const auto& [key, value] : *table_) {
        for (Table& table : tables(key.str())) result.push_back(std::move(table));
    }
    return result;
}

void Table::warn_unknown() {
    for (const auto& [key, value] : *table_) {
        if (asked_.contains(key.str())) continue;
        warnings_->push_back(
            fmt::format("{}: unknown key {} is ignored", place(key.source()), dotted(key.str())));
    }
}

}  // namespace glint::config

namespace glint {

ConfigText read_config(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const auto refuse = [&](std::string_view why) {
        return ConfigError(fmt::format("{}: {}", path.string(), why));
    };
    if (!file) throw refuse(std::generic_category().message(errno));
    std::string text(max_config_bytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) throw refuse("cannot be read (is it a directory?)");
    text.resize(static_cast<size_t>(file.gcount()));
    if (text.size() > max_config_bytes) {
        throw refuse(fmt::format("is larger than {} bytes", max_config_bytes));
    }
    return {path.string(), std::move(text)};
}

}  // namespace glint
