#include "zero_copy/media_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "zero_copy/formats.hpp"
#include "zero_copy/kernel_text.hpp"

namespace glint::zero_copy {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view digits = "0123456789";

/// Walks over the text from token to token, and knows where it stands when one is wrong.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : text_(text) {}

    /// Complains about what stands at `at`, by default where the cursor is.
    [[noreturn]] void refuse(std::string_view expected, size_t at = std::string_view::npos) const {
        if (at == std::string_view::npos) at = at_;
        throw MediaTextError(fmt::format("column {}: {} where {} is expected, in: {}", at + 1,
                                         shown(at), expected, printable(text_)));
    }
    [[nodiscard]] size_t at() const { return at_; }
    [[nodiscard]] bool ended() const { return at_ == text_.size(); }

    void skip_blanks() { at_ += span_of(blanks).size(); }
    [[nodiscard]] bool take(std::string_view token) {
        if (!text_.substr(at_).starts_with(token)) return false;
        at_ += token.size();
        return true;
    }
    void need(std::string_view token) {
        if (!take(token)) refuse(fmt::format("\"{}\"", token));
    }
    /// Up to one of `ends` or the end of the text.
    std::string_view until(std::string_view ends) {
        const size_t length = text_.substr(at_).find_first_of(ends);
        const std::string_view word = text_.substr(at_, length);
        at_ += word.size();
        return word;
    }
    uint32_t number(std::string_view what, uint32_t least, uint32_t most) {
        const size_t start = at_;
        const std::string_view word = span_of(digits);
        uint32_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (word.empty() || error != std::errc{} || value < least || value > most) {
            refuse(fmt::format("{} from {} to {}", what, least, most), start);
        }
        at_ += word.size();
        return value;
    }

  private:
    [[nodiscard]] std::string_view span_of(std::string_view characters) const {
        const std::string_view rest = text_.substr(at_);
        return rest.substr(0, rest.find_first_not_of(characters));
    }
    [[nodiscard]] std::string shown(size_t at) const {
        constexpr size_t longest = 32;
        const std::string_view rest = text_.substr(at);
        if (rest.empty()) return "the end of the text";
        const std::string_view word = rest.substr(0, std::max<size_t>(1, rest.find_first_of(" ]")));
        return '"' + printable(word.substr(0, longest)) + '"';
    }

    std::string_view text_;
    size_t at_ = 0;
};

std::string take_entity(Cursor& cursor) {
    const size_t start = cursor.at();
    for (const std::string_view quote : {"\"", "'"}) {
        if (!cursor.take(quote)) continue;
        const std::string name(cursor.until(quote));
        if (name.empty()) cursor.refuse("an entity's name between the quotes", start);
        if (!cursor.take(quote)) cursor.refuse(fmt::format("the closing quote {}", quote));
        return name;
    }
    const std::string_view word = cursor.until(": \t->[");
    if (word.empty() || word.find_first_not_of(digits) != std::string_view::npos) {
        cursor.refuse("an entity's name in quotes, or its number", start);
    }
    return std::string(word);
}

PadName take_pad(Cursor& cursor) {
    cursor.skip_blanks();
    PadName pad{.entity = take_entity(cursor)};
    cursor.skip_blanks();
    cursor.need(":");
    cursor.skip_blanks();
    constexpr uint32_t most_pads = std::numeric_limits<uint16_t>::max();  // as the kernel counts
    pad.pad = cursor.number("a pad's number", 0, most_pads);
    cursor.skip_blanks();
    return pad;
}

void need_end(Cursor& cursor) {
    cursor.skip_blanks();
    if (!cursor.ended()) cursor.refuse("the end of the text (one setting in each)");
}

FrameInterval take_interval(Cursor& cursor) {
    constexpr uint32_t most = std::numeric_limits<uint32_t>::max();
    FrameInterval interval;
    interval.numerator = cursor.number("a numerator", 1, most);
    cursor.need("/");
    interval.denominator = cursor.number("a denominator", 1, most);
    return interval;
}

BusFormat take_format(Cursor& cursor) {
    if (!cursor.take("fmt:")) cursor.refuse("fmt:CODE/WIDTHxHEIGHT");
    const size_t start = cursor.at();
    const std::optional<uint32_t> code = bus_code_from_name(cursor.until("/ ]@"));
    if (!code) {
        cursor.refuse(
            "a media bus code such as UYVY8_1X16, Y8_1X8 or SRGGB10_1X10 "
            "(media-ctl --known-mbus-fmts lists them)",
            start);
    }
    BusFormat format{.code = *code};
    cursor.need("/");
    format.width = cursor.number("a width", 1, max_dimension);
    cursor.need("x");
    format.height = cursor.number("a height", 1, max_dimension);
    return format;
}

uint32_t take_field(Cursor& cursor) {
    const size_t start = cursor.at();
    const std::optional<uint32_t> field = field_from_name(cursor.until(" ]@"));
    if (field) return *field;
    std::string names;
    for (const MediaName& row : fields())
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    cursor.refuse("one of " + names, start);
}

}  // namespace

LinkSetting parse_link(std::string_view text) {
    Cursor cursor(text);
    LinkSetting link;
    link.source = take_pad(cursor);
    cursor.need("->");
    link.sink = take_pad(cursor);
    cursor.need("[");
    cursor.skip_blanks();
    link.enabled = cursor.number("1 (enabled) or 0: a number", 0, 1) == 1;
    cursor.skip_blanks();
    cursor.need("]");
    need_end(cursor);
    return link;
}

PadSetting parse_pad(std::string_view text) {
    Cursor cursor(text);
    PadSetting setting;
    setting.pad = take_pad(cursor);
    cursor.need("[");
    cursor.skip_blanks();
    setting.format = take_format(cursor);
    for (;;) {
        cursor.skip_blanks();
        if (cursor.take("field:")) {
            setting.format.field = take_field(cursor);
        } else if (cursor.take("@")) {
            setting.interval = take_interval(cursor);
        } else {
            break;
        }
    }
    if (!cursor.take("]")) cursor.refuse("field:NAME, @NUMERATOR/DENOMINATOR or \"]\"");
    need_end(cursor);
    return setting;
}

std::string text_of(const PadName& pad) {
    return fmt::format("\"{}\":{}", pad.entity, pad.pad);
}

std::string text_of(const LinkSetting& link) {
    return fmt::format("{} -> {} [{}]", text_of(link.source), text_of(link.sink),
                       link.enabled ? 1 : 0);
}

std::string text_of(const FrameInterval& interval) {
    return fmt::format("{}/{}", interval.numerator, interval.denominator);
}

}  // namespace glint::zero_copy
