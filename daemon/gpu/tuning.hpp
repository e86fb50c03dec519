// The tuning file: what glint-tune has measured, by device, driver and frame size. Pure: text in,
// figures out, and the answers to "which variant, which values, or rather the CPU?".
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/gpu/tunable_values.hpp"
#include "kernels/catalogue.hpp"

namespace glint::gpu {

/// In pixels.
struct FrameSize {
    uint32_t width = 0;
    uint32_t height = 0;

    auto operator<=>(const FrameSize&) const = default;
    [[nodiscard]] uint64_t pixels() const { return uint64_t{width} * height; }
};

/// "1920x1080", and back; nothing unless both are 1 to 65535.
[[nodiscard]] std::string to_string(FrameSize size);
[[nodiscard]] std::optional<FrameSize> parse_frame_size(std::string_view text);

/// The operator of that name, if the catalogue has a variant of it.
[[nodiscard]] std::optional<kernels::Operator> operator_named(std::string_view name);

/// What was measured.
struct TuningKey {
    std::string device;  ///< CL_DEVICE_NAME
    std::string driver;  ///< CL_DRIVER_VERSION
    FrameSize size;
    kernels::Operator op = kernels::Operator::histogram;
    uint32_t filter_size = 0;  ///< rows of the filter; 0: the operator has none
    std::string variant;

    auto operator<=>(const TuningKey&) const = default;
};

/// Medians in milliseconds, all of one run.
struct TunedVariant {
    TunableValues tunables;
    double ms = 0;          ///< device time with these tunables
    double default_ms = 0;  ///< device time with the default ones
    double wall_ms = 0;  ///< from giving the frame to the device to having it and the result back
    double cpu_ms = 0;   ///< the cpu variant on the same work, one thread
    std::string file;    ///< where it was read; not part of the text
};

using Tuning = std::map<TuningKey, TunedVariant>;

/// Throws ConfigError ("FILE:LINE:COLUMN: ...") for text that is no TOML or of another shape, for
/// operators, variants and tunables that do not exist, and for values that are not among a
/// tunable's candidates: for others the kernels promise nothing. Unknown keys are passed over.
[[nodiscard]] Tuning parse_tuning(const std::string& text, const std::string& path);

/// The text that parse_tuning() reads, with a comment that says what it is.
[[nodiscard]] std::string format_tuning(const Tuning& tuning);

/// Every file that exists, later ones over earlier ones entry by entry. One that cannot be used
/// adds a line to `problems` and no entry; the others serve.
[[nodiscard]] Tuning load_tuning(const std::vector<std::filesystem::path>& files,
                                 std::vector<std::string>& problems);

/// A variant as it was measured at one frame size.
struct Measured {
    std::string_view variant;
    FrameSize size;
    const TunedVariant* figures = nullptr;  ///< the tuning's own
};

/// All variants measured for the device, driver, operator and filter size of `wanted` (its variant
/// does not count), the fastest first: at the very frame size, or else at the nearest one. Nearest
/// means the smallest ratio of pixels, which may not pass 2: candidates are a factor of 2 apart, so
/// up to there the best value is at most one step away. Empty when nothing is that near.
[[nodiscard]] std::vector<Measured> find_measured(const Tuning& tuning, const TuningKey& wanted);

/// The ladder with its measured variants in order of time: they compete for the places that
/// measured ones have in it, and the others, of which nothing is known, keep theirs. Measured ones
/// that the ladder does not have take part; the last of all that are left over go to its end.
[[nodiscard]] std::vector<const kernels::Variant*> order_by_time(
    const std::vector<const kernels::Variant*>& ladder, kernels::Operator op,
    const std::vector<Measured>& measured);

/// Whether the cpu variant is clearly faster than this one. It must need a fifth less time: what it
/// takes of the CPU is taken from every other program on the board, and the worker's queue costs
/// it some more.
[[nodiscard]] bool cpu_is_faster(const TunedVariant& figures);

/// Why the values, or the CPU, were chosen: file, size and figures, for people.
[[nodiscard]] std::string tuned_reason(const Measured& measured, FrameSize wanted);
[[nodiscard]] std::string cpu_reason(const Measured& measured, FrameSize wanted);

}  // namespace glint::gpu
