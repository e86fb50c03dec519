#include "daemon/gpu/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace glint::gpu {
namespace {

constexpr double largest_pixel_ratio = 2;
constexpr double cpu_gain = 0.8;

/// How many times as many pixels the larger one has; at least 1.
double pixel_ratio(FrameSize a, FrameSize b) {
    return static_cast<double>(std::max(a.pixels(), b.pixels())) /
           static_cast<double>(std::min(a.pixels(), b.pixels()));
}

bool same_work(const TuningKey& key, const TuningKey& wanted) {
    return key.device == wanted.device && key.driver == wanted.driver && key.op == wanted.op &&
           key.filter_size == wanted.filter_size;
}

std::optional<FrameSize> nearest_size(const Tuning& tuning, const TuningKey& wanted) {
    std::optional<FrameSize> best;
    for (const auto& [key, figures] : tuning) {
        if (!same_work(key, wanted)) continue;
        if (key.size == wanted.size) return key.size;
        if (pixel_ratio(key.size, wanted.size) > largest_pixel_ratio) continue;
        if (!best || pixel_ratio(key.size, wanted.size) < pixel_ratio(*best, wanted.size))
            best = key.size;
    }
    return best;
}

std::string where(const Measured& measured, FrameSize wanted) {
    return fmt::format("{}{} in {}", to_string(measured.size),
                       measured.size == wanted ? "" : ", the nearest size,",
                       measured.figures->file);
}

}  // namespace

std::string to_string(FrameSize size) {
    return fmt::format("{}x{}", size.width, size.height);
}

std::optional<FrameSize> parse_frame_size(std::string_view text) {
    constexpr uint32_t largest = 65'535;
    FrameSize size;
    const char* end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, size.width);
    if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return std::nullopt;
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    if (height.ec != std::errc() || height.ptr != end) return std::nullopt;
    const bool in_range =
        std::min(size.width, size.height) >= 1 && std::max(size.width, size.height) <= largest;
    return in_range ? std::optional(size) : std::nullopt;
}

std::optional<kernels::Operator> operator_named(std::string_view name) {
    for (const kernels::Variant& variant : kernels::catalogue()) {
        if (kernels::name_of(variant.op) == name) return variant.op;
    }
    return std::nullopt;
}

std::vector<Measured> find_measured(const Tuning& tuning, const TuningKey& wanted) {
    const auto size = nearest_size(tuning, wanted);
    std::vector<Measured> result;
    for (const auto& [key, figures] : tuning) {
        if (size && key.size == *size && same_work(key, wanted))
            result.push_back({key.variant, key.size, &figures});
    }
    std::ranges::stable_sort(result, {}, [](const Measured& one) { return one.figures->ms; });
    return result;
}

std::vector<const kernels::Variant*> order_by_time(
    const std::vector<const kernels::Variant*>& ladder, kernels::Operator op,
    const std::vector<Measured>& measured) {
    std::vector<const kernels::Variant*> result;
    auto next = measured.begin();
    for (const kernels::Variant* variant : ladder) {
        const bool unknown =
            std::ranges::find(measured, variant->name, &Measured::variant) == measured.end();
        result.push_back(unknown ? variant : kernels::find(op, (next++)->variant));
    }
    for (; next != measured.end(); ++next) result.push_back(kernels::find(op, next->variant));
    return result;
}

bool cpu_is_faster(const TunedVariant& figures) {
    return figures.cpu_ms < cpu_gain * figures.wall_ms;
}

std::string tuned_reason(const Measured& measured, FrameSize wanted) {
    const TunedVariant& figures = *measured.figures;
    const std::string start = fmt::format("tuned for {}: ", where(measured, wanted));
    const double gain = 100 * (1 - figures.ms / figures.default_ms);
    if (gain <= 0) {
        return start + fmt::format("{:.3f} ms with the default values, none of which is beaten",
                                   figures.ms);
    }
    return start + fmt::format("{:.3f} ms, {:.0f} % less than the {:.3f} ms of the default values",
                               figures.ms, gain, figures.default_ms);
}

std::string cpu_reason(const Measured& measured, FrameSize wanted) {
    return fmt::format("measured for {}: {:.3f} ms against {:.3f} ms with {} on the GPU",
                       where(measured, wanted), measured.figures->cpu_ms, measured.figures->wall_ms,
                       measured.variant);
}

}  // namespace glint::gpu
