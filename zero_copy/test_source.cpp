#include "zero_copy/test_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace glint::zero_copy {
namespace {

constexpr uint32_t checker_square = 8;
constexpr uint8_t checker_dark = 32;
constexpr uint8_t checker_bright = 224;
constexpr uint8_t neutral_chroma = 128;

/// xorshift32 (Marsaglia 2003, "Xorshift RNGs"): the same everywhere, unlike <random>.
constexpr uint32_t xorshift(uint32_t state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

constexpr size_t noise_table_size = 1 << 16;
constexpr uint32_t noise_seed = 0x9e3779b9;

/// Deviations from the mean, 0 to 63: the mean of four uniform values is close to a bell.
std::array<uint8_t, noise_table_size> make_noise_table() {
    std::array<uint8_t, noise_table_size> table{};
    uint32_t state = noise_seed;
    for (uint8_t& entry : table) {
        state = xorshift(state);
        const uint32_t sum =
            (state & 63) + (state >> 8 & 63) + (state >> 16 & 63) + (state >> 24 & 63);
        entry = static_cast<uint8_t>(sum / 4);
    }
    return table;
}

/// The lowest sample of a noise frame: a triangle wave of 256 frames between 32 and 160.
uint8_t noise_base(uint64_t number) {
    const auto phase = static_cast<uint32_t>(number % 256);
    return static_cast<uint8_t>(32 + (phase < 128 ? phase : 256 - phase));
}

void fill_noise(uint64_t number, uint32_t y, std::span<uint8_t> samples) noexcept {
    static const auto table = make_noise_table();
    const uint8_t base = noise_base(number);
    // Every row starts elsewhere in the table, so that neither rows nor frames repeat visibly.
    uint32_t at = xorshift(static_cast<uint32_t>(number) * 65537 + y + 1) % noise_table_size;
    for (size_t done = 0; done < samples.size();) {
        const size_t piece = std::min(samples.size() - done, noise_table_size - at);
        const uint8_t* deviation = table.data() + at;
        for (size_t i = 0; i < piece; ++i) {
            samples[done + i] = static_cast<uint8_t>(base + deviation[i]);
        }
        done += piece;
        at = 0;
    }
}

}  // namespace

std::optional<TestPattern> parse_pattern(std::string_view text) {
    using Kind = TestPattern::Kind;
    if (text == "gradient") return TestPattern{Kind::gradient, 0};
    if (text == "ramp") return TestPattern{Kind::ramp, 0};
    if (text == "checker") return TestPattern{Kind::checker, 0};
    if (text == "noise") return TestPattern{Kind::noise, 0};
    constexpr std::string_view flat = "flat:";
    if (!text.starts_with(flat)) return std::nullopt;
    text.remove_prefix(flat.size());
    uint8_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return TestPattern{Kind::flat, value};
}

void fill_pattern_row(const TestPattern& pattern, uint64_t number, uint32_t y,
                      std::span<uint8_t> samples) noexcept {
    const size_t width = samples.size();
    switch (pattern.kind) {
        case TestPattern::Kind::gradient:
            for (size_t x = 0; x < width; ++x) samples[x] = static_cast<uint8_t>(x * 256 / width);
            break;
        case TestPattern::Kind::ramp:
            for (size_t x = 0; x < width; ++x) samples[x] = static_cast<uint8_t>(x + y + number);
            break;
        case TestPattern::Kind::checker:
            for (size_t x = 0; x < width; ++x) {
                const bool bright = ((x / checker_square) + (y / checker_square)) % 2 != 0;
                samples[x] = bright ? checker_bright : checker_dark;
            }
            break;
        case TestPattern::Kind::flat:
            std::ranges::fill(samples, pattern.value);
            break;
        case TestPattern::Kind::noise:
            fill_noise(number, y, samples);
            break;
    }
}

TestSource::TestSource(const TestPattern& pattern, const FrameLayout& layout, double rate)
    : PacedSource(layout, rate), pattern_(pattern), row_(layout.width) {}

namespace {

/// Puts a row of 8-bit samples where a channel of the format has them, as samples of its depth.
void place_row(std::span<const uint8_t> samples, const FormatInfo& format,
               const ChannelRule& channel, uint8_t* row) {
    const uint32_t packed = format.sample.packed_log2;
    const uint32_t surplus_bits = (format.sample.left_aligned ? 16 : format.sample.bits) - 8;
    for (uint32_t x = 0; x < samples.size(); ++x) {
        const uint32_t before = packed == 0 ? 0 : x >> packed;  // bytes of low bits, which stay 0
        uint8_t* const high = row + channel.offset_bytes + x * channel.step_bytes + before;
        if (channel.low_bytes == 0) {
            *high = samples[x];
            continue;
        }
        const uint32_t sample = uint32_t{samples[x]} << surplus_bits;
        *high = static_cast<uint8_t>(sample >> 8);
        high[channel.low_bytes] = static_cast<uint8_t>(sample);
    }
}

}  // namespace

bool TestSource::read(const Captured& frame) noexcept {
    const FrameLayout& frame_layout = layout();
    const FormatInfo& format = info(frame_layout.format);
    uint8_t* const memory = pixels(frame.slot);
    for (uint32_t plane = 1; plane < frame_layout.plane_count; ++plane) {
        const PlaneLayout& chroma = frame_layout.planes[plane];
        std::memset(memory + chroma.offset_bytes, neutral_chroma,
                    size_t{chroma.stride_bytes} * chroma.rows);
    }
    const PlaneLayout& luma = frame_layout.planes[0];
    const bool contiguous = format.channel_count == 1 && format.channels[0].step_bytes == 1 &&
                            format.sample.packed_log2 == 0;
    // A mosaic has one sample in each pixel, whosever it is.
    const uint32_t channels = format.is_bayer() ? 1 : format.channel_count;
    for (uint32_t y = 0; y < frame_layout.height; ++y) {
        uint8_t* const row = memory + luma.offset_bytes + size_t{y} * luma.stride_bytes;
        if (contiguous) {
            fill_pattern_row(pattern_, frame.sequence, y, {row, frame_layout.width});
            continue;
        }
        fill_pattern_row(pattern_, frame.sequence, y, row_);
        std::memset(row, format.sample.bits > 8 ? 0 : neutral_chroma, luma.row_bytes);
        for (uint32_t c = 0; c < channels; ++c) place_row(row_, format, format.channels[c], row);
    }
    return true;
}

}  // namespace glint::zero_copy
