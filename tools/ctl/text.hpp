// Words of the command line and of the output: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/ctl/model.hpp"

namespace glint::ctl {

// True for [a-z][a-z0-9_]{0,31}: what cameras and regions may be called.
bool is_name(std::string_view text);

// "name:x,y,w,h" in pixels. Throws UsageError, which quotes the text.
Region parse_region(std::string_view text);
// All of them; throws UsageError if two have one name.
std::vector<Region> parse_regions(const std::vector<std::string>& texts);
// The reverse of parse_region.
std::string region_text(const Region& region);

// Arguments of SetFilter or, with coefficients that are no whole numbers, of SetFilterFloat.
struct Filter {
    std::string name;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::variant<std::vector<std::int16_t>, std::vector<double>> coefficients;
    std::uint32_t shift = 0;
};
// size 0 means: as many as the coefficients say. Throws UsageError.
Filter parse_filter(const std::string& name, std::uint32_t size, std::uint32_t shift,
                    const std::vector<std::string>& coefficients);

// Arguments of SetMeteringGrid; no cells and no weights take the grid away.
struct MeteringGrid {
    std::uint32_t columns = 0;
    std::uint32_t rows = 0;
    std::vector<std::uint8_t> weights;  // row by row
};
// Throws UsageError for a grid of no cells, and for weights above 255 or not one for each cell.
MeteringGrid parse_metering(std::uint32_t columns, std::uint32_t rows,
                            const std::vector<std::int64_t>& weights);

// A string as JSON, with its quotes.
std::string json_string(std::string_view text);
// A number as JSON; null if it is not finite, for which JSON has no word.
std::string json_number(double value);

}  // namespace glint::ctl
