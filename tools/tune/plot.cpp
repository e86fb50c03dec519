#include "tools/tune/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/new_file.hpp"
#include "tools/png_writer.hpp"
#include "tools/tune/font.hpp"

namespace glint::tune {
namespace {

constexpr Colour white{255, 255, 255};
constexpr Colour black{0, 0, 0};
constexpr Colour grid{215, 215, 215};
constexpr Colour plain{150, 175, 205};
constexpr Colour of_default{90, 90, 90};
constexpr Colour of_chosen{60, 150, 80};

constexpr uint32_t bars_width = 700;
constexpr uint32_t margin = 16;
constexpr size_t most_rows = 16;
constexpr uint32_t dot = 2;  ///< pixels to a dot of a letter

bool is_marked(const Row& row) {
    return row.note.find("default") != std::string::npos ||
           row.note.find("chosen") != std::string::npos;
}

std::vector<Row> shown_rows(const Ranking& ranking) {
    std::vector<Row> rows;
    for (const Row& row : ranking.rows) {
        if (row.ms > 0 && (rows.size() < most_rows || is_marked(row))) rows.push_back(row);
    }
    return rows;
}

uint32_t text_width(std::string_view text) {
    return static_cast<uint32_t>(text.size()) * cell_width;
}

uint32_t panel_height(const Ranking& ranking) {
    // Title, bars, axis with its numbers.
    return (static_cast<uint32_t>(shown_rows(ranking).size()) + 2) * cell_height + 2 * margin;
}

/// Where the bars begin: right of the longest label.
uint32_t bars_left(const std::vector<Ranking>& rankings) {
    uint32_t widest = 0;
    for (const Ranking& ranking : rankings) {
        for (const Row& row : shown_rows(ranking))
            widest = std::max(widest, text_width(row.label()));
    }
    return 2 * margin + widest;
}

class Panel {
  public:
    Panel(Image& image, const Ranking& ranking, uint32_t top, uint32_t left)
        : image_(image),
          ranking_(ranking),
          rows_(shown_rows(ranking)),
          top_(top + margin),
          left_(left) {
        const auto slowest = std::ranges::max_element(rows_, {}, &Row::ms);
        if (slowest != rows_.end()) ticks_ = axis_ticks(slowest->ms);
    }

    void draw() {
        image_.text(margin, top_, ranking_.title, black);
        if (rows_.empty()) return;
        draw_axis();
        uint32_t y = top_ + cell_height;
        for (const Row& row : rows_) {
            draw_bar(row, y);
            y += cell_height;
        }
    }

  private:
    [[nodiscard]] uint32_t length(double ms) const {
        return static_cast<uint32_t>(std::lround(ms / ticks_.back() * bars_width));
    }

    void draw_axis() {
        const uint32_t below = top_ + cell_height * (static_cast<uint32_t>(rows_.size()) + 1);
        for (const double tick : ticks_) {
            const uint32_t x = left_ + length(tick);
            const std::string number = fmt::format("{:g}", tick);
            image_.rectangle(x, top_ + cell_height, 1, below - top_ - cell_height + 4, grid);
            image_.text(x - text_width(number) / 2, below + 4, number, black);
        }
        image_.rectangle(left_, below, bars_width, 1, black);
        image_.text(left_ + bars_width + 2 * cell_width, below + 4, "ms", black);
    }

    void draw_bar(const Row& row, uint32_t y) {
        const bool chosen = row.note.find("chosen") != std::string::npos;
        const Colour colour = chosen ? of_chosen : is_marked(row) ? of_default : plain;
        image_.text(margin, y, row.label(), black);
        image_.rectangle(left_, y, std::max(1U, length(row.ms)), cell_height - 4, colour);
        const std::string value = row.note.empty() ? fmt::format("{:.4f}", row.ms)
                                                   : fmt::format("{:.4f} {}", row.ms, row.note);
        image_.text(left_ + length(row.ms) + 4, y, value, black);
    }

    Image& image_;
    const Ranking& ranking_;
    std::vector<Row> rows_;
    std::vector<double> ticks_;
    uint32_t top_;
    uint32_t left_;
};

}  // namespace

Image::Image(uint32_t width, uint32_t height)
    : width_(width), height_(height), pixels_(size_t{width} * height, white) {}

void Image::rectangle(uint32_t x, uint32_t y, uint32_t width, uint32_t height, Colour colour) {
    for (uint32_t row = y; row < std::min(y + height, height_); ++row) {
        for (uint32_t column = x; column < std::min(x + width, width_); ++column)
            pixels_[index(column, row)] = colour;
    }
}

void Image::text(uint32_t x, uint32_t y, std::string_view text, Colour colour) {
    for (const char c : text) {
        for (uint32_t column = 0; column < glyph_columns; ++column) {
            for (uint32_t row = 0; row < glyph_rows; ++row) {
                if ((glyph(c)[column] >> row & 1) != 0)
                    rectangle(x + column * dot, y + row * dot, dot, dot, colour);
            }
        }
        x += cell_width;
    }
}

std::vector<double> axis_ticks(double largest) {
    constexpr double wanted = 5;
    const double power = std::pow(10, std::floor(std::log10(largest / wanted)));
    double step = power;
    for (const double factor : {2.0, 5.0, 10.0}) {
        if (step * wanted < largest) step = factor * power;
    }
    std::vector<double> ticks{0};
    // A multiple for each, not a sum: errors would add up.
    while (ticks.back() < largest) ticks.push_back(static_cast<double>(ticks.size()) * step);
    return ticks;
}

Image draw(const std::vector<Ranking>& rankings) {
    const uint32_t left = bars_left(rankings);
    const uint32_t room_for_values = 24 * cell_width;
    uint32_t height = margin;
    uint32_t width = left + bars_width + room_for_values;
    for (const Ranking& ranking : rankings) {
        height += panel_height(ranking);
        width = std::max(width, 2 * margin + text_width(ranking.title));
    }
    Image image(width, height);
    uint32_t top = 0;
    for (const Ranking& ranking : rankings) {
        Panel(image, ranking, top, left).draw();
        top += panel_height(ranking);
    }
    return image;
}

void write_png(const Image& image, const std::string& file) {
    tools::NewFile out(file);
    tools::PngWriter writer;
    writer.begin(out.stream(), tools::PngSamples::rgb8, image.width(), image.height());
    for (uint32_t y = 0; y < image.height(); ++y) writer.row(image.row(y));
    writer.end();
    out.commit();
}

}  // namespace glint::tune
