// The live picture of `glintctl watch`, as lines of text: pure functions of what was measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ctl/model.hpp"

namespace glint::ctl {

enum class Scale { linear, logarithmic };

// Draws counts as bars of block characters: `rows` strings, the top row first, each of `columns`
// characters. Neighbouring bins share a column by their mean, so that a column of four bins is no
// taller than one of three; the tallest column fills the height, and a column with any count at
// all shows at least an eighth.
std::vector<std::string> bars(std::span<const std::uint32_t> counts, std::size_t columns,
                              std::size_t rows, Scale scale);

// The first `columns` characters of UTF-8 text in which every code point is one cell wide.
std::string fit(std::string_view text, std::size_t columns);

// Rates over the last two seconds of what was measured.
class RateMeter {
  public:
    void add(std::uint64_t sequence, std::uint64_t timestamp_nsec);
    // Frames that the camera made per second, measured or not; nothing before the second frame.
    std::optional<double> frames_per_second() const;
    // Results that arrived per second.
    std::optional<double> results_per_second() const;

  private:
    struct Sample {
        std::uint64_t sequence;
        std::uint64_t timestamp_nsec;
    };
    std::optional<double> seconds() const;

    std::deque<Sample> samples_;
};

enum class Style { plain, title, note, warning, grey, red, green, blue };

struct Line {
    std::string text;
    Style style = Style::plain;
};

// Everything that the picture shows.
struct Scene {
    CameraInfo camera;
    std::string region;
    std::optional<Measured> measured;
    std::optional<Histogram> histogram;
    std::optional<double> frames_per_second;
    std::optional<double> results_per_second;
    std::string notice;
    Scale scale = Scale::linear;
};

// At most `rows` lines of at most `columns` characters.
std::vector<Line> draw(const Scene& scene, std::size_t columns, std::size_t rows);

// The figures of a channel in words, as in "Y mean 118.2 stddev 40.1 ...".
std::string figures_text(const Figures& figures);
// Counters in words: where frames went, and what went wrong with them.
std::string frames_text(const CameraInfo& camera);
std::string losses_text(const CameraInfo& camera);

// Why nothing is to be seen and what helps; empty while the camera streams.
std::string waiting_text(const CameraInfo& camera);

// One result as name=value words, for a reader that is no terminal.
std::string plain_line(const Measured& measured, std::string_view region, const CameraInfo& camera);

}  // namespace glint::ctl
