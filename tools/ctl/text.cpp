#include "tools/ctl/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "daemon/names.hpp"
#include "tools/ctl/failure.hpp"

namespace glint::ctl {
namespace {

constexpr std::size_t longest_name = 32;

[[noreturn]] void refuse_region(std::string_view text, std::string_view why) {
    throw UsageError(fmt::format(
        "region '{}': {}; write NAME:X,Y,WIDTH,HEIGHT, as in left:0,0,64,48", text, why));
}

// Takes the number before the next comma, or before the end of the last field.
template <class Number>
std::optional<Number> take_number(std::string_view& rest, bool last) {
    const std::size_t end = last ? rest.size() : rest.find(',');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view field = rest.substr(0, end);
    Number value{};
    const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || stop != field.data() + field.size()) return std::nullopt;
    rest.remove_prefix(last ? end : end + 1);
    return value;
}

// All of the text as a number.
template <class Number>
std::optional<Number> number(std::string_view text) {
    return take_number<Number>(text, true);
}

std::vector<std::int16_t> whole_coefficients(const std::vector<std::int64_t>& given) {
    std::vector<std::int16_t> coefficients;
    for (const std::int64_t value : given) {
        if (value < std::numeric_limits<std::int16_t>::min() ||
            value > std::numeric_limits<std::int16_t>::max())
            throw UsageError(fmt::format(
                "coefficient {}: whole ones go from -32768 to 32767; with a decimal point they may "
                "be larger",
                value));
        coefficients.push_back(static_cast<std::int16_t>(value));
    }
    return coefficients;
}

std::vector<double> real_coefficients(const std::vector<std::string>& texts) {
    std::vector<double> coefficients;
    for (const std::string& text : texts) {
        const auto value = number<double>(text);
        if (!value || !std::isfinite(*value))
            throw UsageError(
                fmt::format("coefficient '{}': a number is expected, as 3, -0.25 or 1e-3", text));
        coefficients.push_back(*value);
    }
    return coefficients;
}

// Whole numbers as such, unless one is not.
std::variant<std::vector<std::int16_t>, std::vector<double>> parse_coefficients(
    const std::vector<std::string>& texts) {
    std::vector<std::int64_t> whole;
    for (const std::string& text : texts) {
        const auto value = number<std::int64_t>(text);
        if (!value) return real_coefficients(texts);
        whole.push_back(*value);
    }
    return whole_coefficients(whole);
}

}  // namespace

bool is_name(std::string_view text) {
    const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
    if (text.empty() || text.size() > longest_name || !lower(text.front())) return false;
    return std::ranges::all_of(
        text, [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

Region parse_region(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) refuse_region(text, "there is no ':' after the name");
    const std::string_view name = text.substr(0, colon);
    if (!is_name(name))
        refuse_region(text, "a name is a small letter, then up to 31 of a-z, 0-9 and _");
    if (name == names::whole_frame_region)
        refuse_region(text, "'frame' is the whole picture and always there");
    if (name == names::metering_region)
        refuse_region(text, "'metering' is the picture weighed by 'glintctl metering'");
    std::string_view rest = text.substr(colon + 1);
    const auto x = take_number<std::int32_t>(rest, false);
    const auto y = x ? take_number<std::int32_t>(rest, false) : std::nullopt;
    const auto width = y ? take_number<std::uint32_t>(rest, false) : std::nullopt;
    const auto height = width ? take_number<std::uint32_t>(rest, true) : std::nullopt;
    if (!height) refuse_region(text, "the rectangle is not four whole numbers");
    if (*x < 0 || *y < 0) refuse_region(text, "x and y start at 0");
    if (*width == 0 || *height == 0) refuse_region(text, "it holds no pixel");
    return {std::string(name), *x, *y, *width, *height};
}

std::vector<Region> parse_regions(const std::vector<std::string>& texts) {
    std::vector<Region> regions;
    for (const std::string& text : texts) {
        Region region = parse_region(text);
        if (std::ranges::find(regions, region.name, &Region::name) != regions.end())
            throw UsageError(fmt::format("region '{}' is given twice", region.name));
        regions.push_back(std::move(region));
    }
    return regions;
}

std::string region_text(const Region& region) {
    return fmt::format("{}:{},{},{},{}", region.name, region.x, region.y, region.width,
                       region.height);
}

Filter parse_filter(const std::string& name, std::uint32_t size, std::uint32_t shift,
                    const std::vector<std::string>& coefficients) {
    if (name != "custom") {
        if (size != 0 || shift != 0 || !coefficients.empty())
            throw UsageError(fmt::format(
                "filter '{}' is complete: --size, --shift and coefficients go with 'custom'",
                name));
        return {name, 0, 0, {}, 0};
    }
    constexpr std::uint32_t largest = 31;
    if (size == 0) {
        size = 3;
        while (size < largest && size * size < coefficients.size()) size += 2;
    }
    if (size < 3 || size > largest || size % 2 == 0)
        throw UsageError(
            fmt::format("--size {}: a filter has 3, 5, 7 ... or {} rows", size, largest));
    if (coefficients.size() != std::size_t{size} * size)
        throw UsageError(fmt::format("a filter of size {} has {} coefficients, here are {}", size,
                                     size * size, coefficients.size()));
    if (shift > 31) throw UsageError(fmt::format("--shift {}: it goes from 0 to 31", shift));
    Filter filter{name, size, size, parse_coefficients(coefficients), shift};
    if (shift != 0 && std::holds_alternative<std::vector<double>>(filter.coefficients))
        throw UsageError(fmt::format(
            "--shift {}: it goes with whole coefficients; divide these instead", shift));
    return filter;
}

MeteringGrid parse_metering(std::uint32_t columns, std::uint32_t rows,
                            const std::vector<std::int64_t>& weights) {
    if (columns == 0 || rows == 0)
        throw UsageError(
            fmt::format("a grid of {}x{}: it has 1 to 32 columns and rows", columns, rows));
    if (weights.size() != std::uint64_t{columns} * rows)
        throw UsageError(fmt::format("a grid of {}x{} has {} weights, here are {}", columns, rows,
                                     std::uint64_t{columns} * rows, weights.size()));
    MeteringGrid grid{columns, rows, {}};
    for (const std::int64_t weight : weights) {
        if (weight < 0 || weight > std::numeric_limits<std::uint8_t>::max())
            throw UsageError(fmt::format("weight {}: they go from 0 to 255", weight));
        grid.weights.push_back(static_cast<std::uint8_t>(weight));
    }
    return grid;
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string json_number(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace glint::ctl
