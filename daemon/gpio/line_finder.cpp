#include "daemon/gpio/line_finder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace glint::gpio {
namespace {

namespace fs = std::filesystem;
using Kind = LineError::Kind;

constexpr const char* access_hint =
    "the service's user must be in the nodes' group (gpio) and its unit allow char-gpiochip";

/// A line that has a name, for the text of a refusal.
struct Named {
    std::string name;
    std::string place;
};

struct Hit {
    unsigned offset = 0;
    std::string description;
};

/// What a search has come across.
struct Search {
    std::string chip;
    std::string line;
    std::vector<Hit> hits;
    std::optional<library::Chip> hit_chip;  ///< of the last hit
    std::vector<std::string> chips;         ///< gpiochip0 [label] with 32 lines
    std::vector<std::string> refused;       ///< nodes that could not be opened
    int refusal = 0;                        ///< the last one's errno value
    std::vector<Named> named;
};

bool denied(int code) {
    return code == EACCES || code == EPERM;
}

std::string message(int code) {
    return std::generic_category().message(code);
}

/// The nodes below /dev, without links, by which a chip would be met twice.
std::vector<std::string> chip_nodes() {
    constexpr std::string_view prefix = "gpiochip";
    std::vector<std::pair<unsigned, std::string>> numbered;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(prefix) || entry.is_symlink(ignored)) continue;
        unsigned number = 0;
        const char* const end = name.data() + name.size();
        if (std::from_chars(name.data() + prefix.size(), end, number).ptr != end) continue;
        numbered.emplace_back(number, "/dev/" + name);
    }
    std::ranges::sort(numbered);
    std::vector<std::string> paths;
    for (auto& [number, path] : numbered) paths.push_back(std::move(path));
    return paths;
}

std::optional<unsigned> offset_of(std::string_view text) {
    unsigned offset = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, offset);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    return offset;
}

std::string describe(const std::string& name, const std::string& chip, unsigned offset) {
    return name.empty() ? fmt::format("line {} of {}", offset, chip)
                        : fmt::format("line \"{}\" ({} {})", name, chip, offset);
}

library::LineInfo info_of(const library::Chip& chip, unsigned offset) {
    try {
        return chip.line(offset);
    } catch (const std::system_error& error) {
        const int code = error.code().value();
        if (code == EINVAL || code == ENOTTY) {
            throw LineError(Kind::unsupported, code,
                            fmt::format("the kernel does not tell libgpiod {} about the lines of "
                                        "{} ({}): {}",
                                        library::version(), chip.path(), message(code),
                                        library::kernel_needed));
        }
        throw LineError(
            code == ENODEV ? Kind::absent : Kind::failed, code,
            fmt::format("cannot look at line {} of {}: {}", offset, chip.path(), message(code)));
    }
}

/// Adds the chip's lines of that name, or else the one of that offset where a chip was named.
void look_at(library::Chip chip, Search& search) {
    const std::string name = chip.name();
    std::vector<unsigned> offsets;
    for (unsigned offset = 0; offset < chip.lines(); ++offset) {
        const library::LineInfo info = info_of(chip, offset);
        if (info.name.empty()) continue;
        if (info.name == search.line) offsets.push_back(offset);
        search.named.push_back({info.name, fmt::format("{} {}", name, offset)});
    }
    search.chips.push_back(fmt::format("{} [{}] with {} lines", name, chip.label(), chip.lines()));
    if (offsets.empty() && !search.chip.empty()) {
        const auto offset = offset_of(search.line);
        if (offset && *offset < chip.lines()) offsets.push_back(*offset);
    }
    for (const unsigned offset : offsets) {
        search.hits.push_back({offset, describe(info_of(chip, offset).name, name, offset)});
    }
    if (!offsets.empty()) search.hit_chip = std::move(chip);
}

std::optional<library::Chip> open_chip(const std::string& path, Search& search) {
    try {
        return library::Chip(path);
    } catch (const std::system_error& error) {
        search.refusal = error.code().value();
        search.refused.push_back(fmt::format("{} ({})", path, message(search.refusal)));
        return std::nullopt;
    }
}

/// The node that `chip` is the path or the name of; none when it can only be a label.
std::optional<std::string> node_of(const std::string& chip, const std::vector<std::string>& nodes) {
    if (chip.starts_with('/')) return chip;
    const std::string path = "/dev/" + chip;
    if (std::ranges::find(nodes, path) == nodes.end()) return std::nullopt;
    return path;
}

Search search_for(const std::string& chip, const std::string& line) {
    Search search;
    search.chip = chip;
    search.line = line;
    const std::vector<std::string> nodes = chip_nodes();
    const auto node = chip.empty() ? std::nullopt : node_of(chip, nodes);
    for (const std::string& path : node ? std::vector{*node} : nodes) {
        auto opened = open_chip(path, search);
        if (!opened) continue;
        if (!chip.empty() && !node && opened->label() != chip) {
            search.chips.push_back(fmt::format("{} [{}]", opened->name(), opened->label()));
            continue;
        }
        try {
            look_at(std::move(*opened), search);
        } catch (const LineError& error) {
            if (error.kind() != Kind::absent) throw;  // it was unplugged meanwhile
            search.refusal = error.code();
            search.refused.push_back(fmt::format("{} ({})", path, message(search.refusal)));
        }
    }
    return search;
}

/// How many letters have to be changed, added or left out; capitals do not count.
size_t distance(std::string_view left, std::string_view right) {
    const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
    std::vector<size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t l = 0; l < left.size(); ++l) {
        size_t diagonal = std::exchange(row[0], l + 1);
        for (size_t r = 0; r < right.size(); ++r) {
            const size_t changed = diagonal + (lower(left[l]) == lower(right[r]) ? 0 : 1);
            diagonal = row[r + 1];
            row[r + 1] = std::min({changed, row[r] + 1, diagonal + 1});
        }
    }
    return row.back();
}

/// The names most like the one asked for, at most four.
std::string nearest_names(Search& search) {
    std::ranges::stable_sort(search.named, {},
                             [&](const Named& named) { return distance(named.name, search.line); });
    std::vector<std::string> texts;
    for (const Named& named : search.named) {
        if (texts.size() == 4) break;
        texts.push_back(fmt::format("\"{}\" ({})", named.name, named.place));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string known_chips(const Search& search) {
    return search.chips.empty() ? std::string("there is no GPIO chip")
                                : fmt::format("there are {}", fmt::join(search.chips, ", "));
}

struct Refusal {
    Kind kind;
    const char* next;
};

Refusal meaning_of(int code) {
    switch (code) {
        case EACCES:
        case EPERM:
            return {Kind::denied, access_hint};
        case ENOENT:
        case ENODEV:
        case ENXIO:
            return {Kind::absent,
                    "it comes with its driver; `gpiodetect` shows those that are there"};
        case ENOTTY:
            return {Kind::unsupported, "that is no GPIO chip; `gpiodetect` shows those there are"};
        default:
            return {Kind::failed, "`gpiodetect` shows the chips"};
    }
}

[[noreturn]] void refuse_chips(const Search& search) {
    const Refusal refusal = meaning_of(search.refusal);
    throw LineError(refusal.kind, search.refusal,
                    fmt::format("line \"{}\" cannot be looked for on {}: {}", search.line,
                                fmt::join(search.refused, ", "), refusal.next));
}

/// No line was found on the chips that could be opened.
[[noreturn]] void refuse_absent(Search& search) {
    if (!search.refused.empty() && (search.chips.empty() || denied(search.refusal))) {
        refuse_chips(search);
    }
    const std::string where =
        search.chip.empty() ? std::string() : fmt::format(" on chip \"{}\"", search.chip);
    const std::string names =
        search.named.empty()
            ? "; no line there has a name: name the chip, and the line by its offset"
            : fmt::format("; most like it: {}", nearest_names(search));
    throw LineError(Kind::absent, 0,
                    fmt::format("no line is called \"{}\"{}: {}{}", search.line, where,
                                known_chips(search), search.chips.empty() ? "" : names));
}

}  // namespace

FoundLine find_line(const std::string& chip, const std::string& line) {
    Search search = search_for(chip, line);
    if (search.hits.empty()) refuse_absent(search);
    if (search.hits.size() == 1) {
        Hit& hit = search.hits.front();
        return {std::move(*search.hit_chip), hit.offset, std::move(hit.description)};
    }
    std::vector<std::string> places;
    for (const Hit& hit : search.hits) places.push_back(hit.description);
    throw LineError(Kind::ambiguous, 0,
                    fmt::format("\"{}\" can mean {}: say which by chip and offset", line,
                                fmt::join(places, " or ")));
}

}  // namespace glint::gpio
