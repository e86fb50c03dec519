#include "zero_copy/picture_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

namespace glint::zero_copy {
namespace {

constexpr std::string_view y4m_magic = "YUV4MPEG2";
constexpr std::string_view y4m_frame_magic = "FRAME";
constexpr std::string_view pgm_magic = "P5";

/// Text from a file, made fit for a message: short and printable.
std::string quoted(std::string_view text) {
    constexpr size_t longest = 32;
    std::string result = "\"";
    for (const char c : text.substr(0, longest)) result += c >= 0x20 && c < 0x7f ? c : '?';
    return result + (text.size() > longest ? "...\"" : "\"");
}

uint32_t parse_number(std::string_view text, std::string_view what, uint32_t least, uint32_t most) {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
        throw PictureFileError(
            fmt::format("{} is {}, allowed is {} to {}", what, quoted(text), least, most));
    }
    return value;
}

double parse_ratio(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        throw PictureFileError(fmt::format("frame rate is {}, expected NUM:DEN", quoted(text)));
    }
    constexpr uint32_t most = 1'000'000'000;
    const uint32_t numerator = parse_number(text.substr(0, colon), "frame rate numerator", 0, most);
    const uint32_t denominator =
        parse_number(text.substr(colon + 1), "frame rate denominator", 0, most);
    return numerator == 0 || denominator == 0 ? 0 : double{1} * numerator / denominator;
}

struct ColourSpace {
    std::string_view name;
    PixelFormat format;
    Range range;
};

// "420jpeg" says where the chroma sites are, and by custom that the range is full.
constexpr std::array<ColourSpace, 7> colour_spaces{{
    {"420", PixelFormat::yuv420, Range::limited},
    {"420jpeg", PixelFormat::yuv420, Range::full},
    {"420mpeg2", PixelFormat::yuv420, Range::limited},
    {"420paldv", PixelFormat::yuv420, Range::limited},
    {"422", PixelFormat::yuv422, Range::limited},
    {"444", PixelFormat::yuv444, Range::limited},
    {"mono", PixelFormat::grey, Range::limited},
}};

const ColourSpace& parse_colour_space(std::string_view text) {
    for (const ColourSpace& space : colour_spaces) {
        if (space.name == text) return space;
    }
    throw PictureFileError(fmt::format(
        "colour space is {}, supported are 420, 420jpeg, 420mpeg2, 420paldv, 422, 444, mono",
        quoted(text)));
}

/// Walks over netpbm header text: numbers apart by white space, comments from '#' to line end.
class PgmTokens {
  public:
    explicit PgmTokens(std::string_view text) : text_(text) {}

    std::string_view next() {
        skip_blanks();
        const size_t start = at_;
        while (at_ < text_.size() && !blank(text_[at_]) && text_[at_] != '#') ++at_;
        return text_.substr(start, at_ - start);
    }
    /// The single white-space character that ends the header.
    size_t end() {
        if (at_ >= text_.size() || !blank(text_[at_])) {
            throw PictureFileError("the PGM header does not end in white space");
        }
        return at_ + 1;
    }

  private:
    static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    void skip_blanks() {
        while (at_ < text_.size() && (blank(text_[at_]) || text_[at_] == '#')) {
            if (text_[at_] == '#') {
                const size_t line_end = text_.find('\n', at_);
                at_ = line_end == std::string_view::npos ? text_.size() : line_end;
            } else {
                ++at_;
            }
        }
    }

    std::string_view text_;
    size_t at_ = 0;
};

FrameLayout layout_or_error(PixelFormat format, uint32_t width, uint32_t height) {
    try {
        return make_layout(format, width, height);
    } catch (const LayoutError& error) {
        throw PictureFileError(error.what());
    }
}

}  // namespace

bool looks_like_y4m(std::string_view start) {
    return start.starts_with(y4m_magic);
}

bool looks_like_pgm(std::string_view start) {
    return start.starts_with(pgm_magic);
}

PictureHeader parse_y4m(std::string_view start) {
    const size_t line_end = start.substr(0, max_header_bytes).find('\n');
    if (!looks_like_y4m(start) || line_end == std::string_view::npos) {
        throw PictureFileError("no complete YUV4MPEG2 header line");
    }
    std::string_view line = start.substr(y4m_magic.size(), line_end - y4m_magic.size());
    uint32_t width = 0;
    uint32_t height = 0;
    double rate = 0;
    ColourSpace space = colour_spaces[0];
    std::optional<Range> range;
    while (!line.empty()) {
        const size_t first = line.find_first_not_of(' ');
        if (first == std::string_view::npos) break;
        line.remove_prefix(first);
        const std::string_view token = line.substr(0, line.find(' '));
        line.remove_prefix(token.size());
        const std::string_view value = token.substr(1);
        switch (token[0]) {
            case 'W':
                width = parse_number(value, "width", 1, max_dimension);
                break;
            case 'H':
                height = parse_number(value, "height", 1, max_dimension);
                break;
            case 'F':
                rate = parse_ratio(value);
                break;
            case 'C':
                space = parse_colour_space(value);
                break;
            case 'X':
                if (value == "COLORRANGE=FULL") range = Range::full;
                if (value == "COLORRANGE=LIMITED") range = Range::limited;
                break;
            default:
                break;  // interlacing and pixel aspect do not change where samples lie
        }
    }
    if (width == 0 || height == 0)
        throw PictureFileError("the YUV4MPEG2 header gives no W or no H");
    PictureHeader header{.layout = layout_or_error(space.format, width, height),
                         .rate = rate,
                         .header_bytes = line_end + 1,
                         .frame_headers = true};
    header.layout.range = range.value_or(space.range);
    return header;
}

PictureHeader parse_pgm(std::string_view start) {
    start = start.substr(0, max_header_bytes);
    PgmTokens tokens(start);
    if (tokens.next() != pgm_magic) throw PictureFileError("no binary PGM (P5) header");
    const uint32_t width = parse_number(tokens.next(), "width", 1, max_dimension);
    const uint32_t height = parse_number(tokens.next(), "height", 1, max_dimension);
    const uint32_t maximum = parse_number(tokens.next(), "maximum value", 1, 65535);
    PictureHeader header;
    header.header_bytes = tokens.end();
    const bool wide = maximum > 255;
    header.layout = layout_or_error(wide ? PixelFormat::y16_be : PixelFormat::grey, width, height);
    if (wide) header.layout.bit_depth = static_cast<uint32_t>(std::bit_width(maximum));
    return header;
}

size_t y4m_frame_header_bytes(std::string_view text) {
    if (!text.starts_with(y4m_frame_magic)) return 0;
    const std::string_view after = text.substr(y4m_frame_magic.size());
    if (!after.starts_with(' ') && !after.starts_with('\n')) return 0;
    const size_t line_end = text.find('\n');
    return line_end == std::string_view::npos ? 0 : line_end + 1;
}

}  // namespace glint::zero_copy
