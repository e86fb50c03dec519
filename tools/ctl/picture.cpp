#include "tools/ctl/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/ctl/bins.hpp"

namespace glint::ctl {
namespace {

constexpr std::size_t eighths_per_row = 8;
constexpr std::size_t tallest_bars = 8;
constexpr std::uint64_t rate_window_nsec = 2'000'000'000;
// From here on a share of clipped samples is worth a colour.
constexpr double clipped_warning = 0.01;

// U+2581 to U+2588 are one eighth to eight eighths of a cell.
std::string block(std::size_t eighths) {
    if (eighths == 0) return " ";
    return {'\xe2', '\x96', static_cast<char>(0x80 + eighths)};
}

double height_of(double count, Scale scale) {
    return scale == Scale::logarithmic ? std::log1p(count) : count;
}

// The mean count of the bins behind one column. With fewer bins than columns a bin is repeated.
double column_count(std::span<const std::uint32_t> counts, std::size_t column,
                    std::size_t columns) {
    const std::size_t first = column * counts.size() / columns;
    const std::size_t end = std::max(first + 1, (column + 1) * counts.size() / columns);
    double sum = 0;
    for (std::size_t bin = first; bin < end; ++bin) sum += counts[bin];
    return sum / static_cast<double>(end - first);
}

// Heights in eighths of a cell.
std::vector<std::size_t> heights(std::span<const std::uint32_t> counts, std::size_t columns,
                                 std::size_t rows, Scale scale) {
    std::vector<double> values(columns);
    for (std::size_t column = 0; column < columns; ++column)
        values[column] = height_of(column_count(counts, column, columns), scale);
    const double tallest = *std::ranges::max_element(values);
    std::vector<std::size_t> eighths(columns, 0);
    for (std::size_t column = 0; column < columns; ++column) {
        if (values[column] <= 0) continue;
        const double share = values[column] / tallest * static_cast<double>(rows * eighths_per_row);
        eighths[column] = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share)));
    }
    return eighths;
}

Style style_of(std::string_view channel) {
    if (channel == "R") return Style::red;
    if (channel == "G" || channel == "Gr" || channel == "Gb") return Style::green;
    if (channel == "B") return Style::blue;
    return Style::grey;
}

std::string rate_text(const Scene& scene) {
    if (!scene.frames_per_second || !scene.results_per_second) return "";
    return fmt::format("  {:.1f} frames/s, {:.1f} results/s", *scene.frames_per_second,
                       *scene.results_per_second);
}

std::string title(const Scene& scene) {
    const CameraInfo& camera = scene.camera;
    return fmt::format("{} {}  {} {}x{}  {}{}", camera.name, scene.region, camera.pixel_format,
                       camera.width, camera.height, camera.state, rate_text(scene));
}

// Values under the bars, the smallest at the left and the largest at the right.
std::string axis(const Histogram& histogram, std::size_t columns) {
    const std::uint32_t depth = std::min<std::uint32_t>(histogram.bit_depth, 32);
    const std::string largest = fmt::format("{}", (std::uint64_t{1} << depth) - 1);
    const std::string middle = fmt::format("{}", depth == 0 ? 0 : std::uint64_t{1} << (depth - 1));
    const std::size_t half = columns / 2;
    if (half <= 1 + middle.size() || columns <= half + middle.size() + largest.size())
        return fit("0", columns);
    return fmt::format("{:<{}}{:<{}}{}", "0", half, middle, columns - half - largest.size(),
                       largest);
}

std::string measured_text(const Measured& measured) {
    std::string text =
        fmt::format("sequence {}  processing {} us  generation {}", measured.sequence,
                    measured.processing_usec, measured.generation);
    if (measured.exposure_usec >= 0)
        text += fmt::format("  exposure {} us", measured.exposure_usec);
    if (measured.gain_raw >= 0) text += fmt::format("  gain {}", measured.gain_raw);
    if (!measured.trigger_line.empty())
        text += fmt::format("  trigger {} {}", measured.trigger_line, measured.trigger_sequence);
    return text;
}

void add_channel(std::vector<Line>& lines, const Scene& scene, const ChannelBins& channel,
                 std::size_t columns, std::size_t rows) {
    const std::vector<std::uint32_t> counts = levelled(channel.bins, scene.histogram->bit_depth);
    if (!counts.empty())
        for (std::string& row : bars(counts, columns, rows, scene.scale))
            lines.push_back({std::move(row), style_of(channel.channel)});
    lines.push_back({axis(*scene.histogram, columns), Style::note});
    if (!scene.measured) return;
    for (const Figures& figures : scene.measured->figures) {
        if (figures.region != scene.region || figures.channel != channel.channel) continue;
        const bool clipped =
            figures.clipped_low >= clipped_warning || figures.clipped_high >= clipped_warning;
        lines.push_back({figures_text(figures), clipped ? Style::warning : Style::plain});
    }
}

}  // namespace

std::vector<std::string> bars(std::span<const std::uint32_t> counts, std::size_t columns,
                              std::size_t rows, Scale scale) {
    std::vector<std::string> out(rows);
    if (columns == 0 || rows == 0) return out;
    if (counts.empty()) {
        std::ranges::fill(out, std::string(columns, ' '));
        return out;
    }
    const std::vector<std::size_t> eighths = heights(counts, columns, rows, scale);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t below = (rows - 1 - row) * eighths_per_row;
        for (const std::size_t height : eighths)
            out[row] += block(height > below ? std::min(height - below, eighths_per_row) : 0);
    }
    return out;
}

std::string fit(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
        if (starts && seen++ == columns) break;
    }
    return std::string(text.substr(0, end));
}

void RateMeter::add(std::uint64_t sequence, std::uint64_t timestamp_nsec) {
    // A stream that was restarted counts from 0 again.
    if (!samples_.empty() &&
        (sequence <= samples_.back().sequence || timestamp_nsec <= samples_.back().timestamp_nsec))
        samples_.clear();
    samples_.push_back({sequence, timestamp_nsec});
    while (samples_.size() > 2 &&
           timestamp_nsec - samples_.front().timestamp_nsec > rate_window_nsec)
        samples_.pop_front();
}

std::optional<double> RateMeter::seconds() const {
    if (samples_.size() < 2) return std::nullopt;
    const std::uint64_t nsec = samples_.back().timestamp_nsec - samples_.front().timestamp_nsec;
    return static_cast<double>(nsec) * 1e-9;
}

std::optional<double> RateMeter::frames_per_second() const {
    const std::optional<double> span = seconds();
    if (!span) return std::nullopt;
    return static_cast<double>(samples_.back().sequence - samples_.front().sequence) / *span;
}

std::optional<double> RateMeter::results_per_second() const {
    const std::optional<double> span = seconds();
    if (!span) return std::nullopt;
    return static_cast<double>(samples_.size() - 1) / *span;
}

std::vector<Line> draw(const Scene& scene, std::size_t columns, std::size_t rows) {
    std::vector<Line> lines{{title(scene), Style::title}};
    if (scene.histogram && !scene.histogram->channels.empty()) {
        const std::size_t channels = scene.histogram->channels.size();
        // Title, three lines of figures and a notice; per channel its axis and its figures.
        const std::size_t words = 5 + 2 * channels;
        const std::size_t room = rows > words ? (rows - words) / channels : 0;
        const std::size_t tall = std::clamp<std::size_t>(room, 1, tallest_bars);
        for (const ChannelBins& channel : scene.histogram->channels)
            add_channel(lines, scene, channel, columns, tall);
    }
    if (scene.measured) lines.push_back({measured_text(*scene.measured), Style::plain});
    lines.push_back({frames_text(scene.camera), Style::plain});
    lines.push_back({losses_text(scene.camera), Style::plain});
    if (!scene.notice.empty()) lines.push_back({scene.notice, Style::warning});
    if (lines.size() > rows) lines.resize(rows);
    for (Line& line : lines) line.text = fit(line.text, columns);
    return lines;
}

std::string figures_text(const Figures& figures) {
    return fmt::format("{} mean {:.2f} stddev {:.2f} clipped {:.2f}% low {:.2f}% high",
                       figures.channel, figures.mean, figures.stddev, figures.clipped_low * 100,
                       figures.clipped_high * 100);
}

std::string frames_text(const CameraInfo& camera) {
    return fmt::format("captured {} processed {} dropped {} merged {}", camera.captured,
                       camera.processed, camera.dropped, camera.merged);
}

std::string losses_text(const CameraInfo& camera) {
    return fmt::format("lost {}{} corrupt {} rejected {}", camera.lost,
                       camera.lost_estimated ? " (estimated)" : "", camera.corrupt,
                       camera.rejected);
}

std::string waiting_text(const CameraInfo& camera) {
    if (camera.state == "streaming" || camera.state == "starting") return "";
    return fmt::format("camera '{0}' is {1}: waiting; 'glintctl start {0}' starts it", camera.name,
                       camera.state);
}

std::string plain_line(const Measured& measured, std::string_view region,
                       const CameraInfo& camera) {
    std::string out = fmt::format("sequence={} timestamp_nsec={} processing_usec={} generation={}",
                                  measured.sequence, measured.timestamp_nsec,
                                  measured.processing_usec, measured.generation);
    for (const Figures& figures : measured.figures) {
        if (figures.region != region) continue;
        out += fmt::format(
            " {0}.mean={1:.3f} {0}.stddev={2:.3f} {0}.clipped_low={3:.6f}"
            " {0}.clipped_high={4:.6f}",
            figures.channel, figures.mean, figures.stddev, figures.clipped_low,
            figures.clipped_high);
    }
    return out +
           fmt::format(
               " captured={} processed={} dropped={} lost={} corrupt={} merged={} rejected={}",
               camera.captured, camera.processed, camera.dropped, camera.lost, camera.corrupt,
               camera.merged, camera.rejected);
}

}  // namespace glint::ctl
