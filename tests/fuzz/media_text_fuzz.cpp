// Texts in media-ctl's syntax: refused with words that can be printed, or understood.
#include <algorithm>
#include <limits>
#include <string>

#include "tests/fuzz/input.hpp"
#include "zero_copy/formats.hpp"
#include "zero_copy/media_codes.hpp"
#include "zero_copy/media_text.hpp"

using namespace glint::zero_copy;
using glint::fuzz::require;

namespace {

void check_refusal(const MediaTextError& error) {
    const std::string_view text = error.what();
    require(text.starts_with("column "), "a refusal names the column");
    require(std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }),
            "a refusal can be printed");
}

void check_pad(const PadName& pad) {
    require(!pad.entity.empty(), "a pad has an entity");
    require(pad.pad <= std::numeric_limits<uint16_t>::max(), "a pad's number is the kernel's");
}

bool same(const PadName& one, const PadName& other) {
    return one.entity == other.entity && one.pad == other.pad;
}

/// Names with a double quote are written in single ones, which text_of() does not know.
bool can_be_written(const PadName& pad) {
    return pad.entity.find('"') == std::string::npos;
}

void try_link(std::string_view text) {
    try {
        const LinkSetting link = parse_link(text);
        check_pad(link.source);
        check_pad(link.sink);
        if (!can_be_written(link.source) || !can_be_written(link.sink)) return;
        const LinkSetting again = parse_link(text_of(link));
        require(same(again.source, link.source) && same(again.sink, link.sink) &&
                    again.enabled == link.enabled,
                "a link is read back as it was written");
    } catch (const MediaTextError& error) {
        check_refusal(error);
    }
}

void try_pad(std::string_view text) {
    try {
        const PadSetting setting = parse_pad(text);
        check_pad(setting.pad);
        const BusFormat& format = setting.format;
        require(format.width >= 1 && format.width <= max_dimension && format.height >= 1 &&
                    format.height <= max_dimension,
                "a size is in its limits");
        if (setting.interval) {
            require(setting.interval->numerator != 0 && setting.interval->denominator != 0,
                    "an interval is a time");
        }
        if (!can_be_written(setting.pad)) return;
        const PadSetting again =
            parse_pad(text_of(setting.pad) + " [" + text_of(setting.format) + "]");
        require(same(again.pad, setting.pad) && again.format.code == format.code &&
                    again.format.width == format.width && again.format.height == format.height &&
                    again.format.field == format.field,
                "a format is read back as it was written");
    } catch (const MediaTextError& error) {
        check_refusal(error);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text = glint::fuzz::Input(data, size).rest_text();
    try_link(text);
    try_pad(text);
    return 0;
}
