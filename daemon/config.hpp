// The configuration as plain data: TOML text in, values and warnings out, nothing touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/alarm_rule.hpp"
#include "daemon/gpio/lines.hpp"
#include "daemon/gpu/any_filter.hpp"
#include "daemon/gpu/operators.hpp"
#include "daemon/plan.hpp"
#include "zero_copy/formats.hpp"
#include "zero_copy/source.hpp"

namespace glint {

/// Text for the user: "FILE:LINE:COLUMN: [table] key = value: what is allowed".
class ConfigError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class KernelSet { automatic, ep, fp, cpu };

struct GpuConfig {
    std::string device = "*";  ///< shell pattern over "PLATFORM/DEVICE" names
    KernelSet kernels = KernelSet::automatic;
    uint32_t stall_timeout_ms = 2000;
    std::string cache_dir;    ///< empty: $CACHE_DIRECTORY or the default
    std::string tuning_file;  ///< empty: tuning.toml in $STATE_DIRECTORY or the default folder
    std::map<std::string, std::string> variants;  ///< operator -> variant that is pinned

    bool operator==(const GpuConfig&) const = default;
};

struct MemoryConfig {
    uint32_t limit_mib = 256;
    [[nodiscard]] uint64_t limit_bytes() const noexcept { return uint64_t{limit_mib} << 20; }
    /// Where dma-bufs come from, the first that gives some: "linux,cma" and "reserved" are the
    /// names that kernels give to contiguous memory; "system" and "udmabuf" give scattered pages.
    std::vector<std::string> heaps{"linux,cma", "reserved", "system", "udmabuf"};

    bool operator==(const MemoryConfig&) const = default;
};

struct RegionConfig {
    std::string name;
    uint32_t x = 0, y = 0, width = 0, height = 0;  ///< pixels

    bool operator==(const RegionConfig&) const = default;
};

struct CameraConfig {
    std::string name;
    std::string source;
    std::optional<uint32_t> width;
    std::optional<uint32_t> height;
    std::optional<zero_copy::PixelFormat> format;
    std::optional<uint32_t> stride_override;
    std::optional<double> rate;
    std::optional<zero_copy::Range> range;
    std::optional<zero_copy::Transport> transport;  ///< nothing: the first that serves
    uint32_t buffers = 5;
    bool measure_triggered = false;            ///< only frames that answer a trigger
    std::optional<uint32_t> stall_timeout_ms;  ///< 0: never; nothing: by the rate
    uint32_t bins = gpu::histogram_bins;
    uint32_t publish_interval_ms = 100;
    std::vector<std::string> publish_histograms{"frame"};
    std::optional<gpu::AnyFilter> filter;
    std::optional<MeteringGrid> metering;
    std::vector<RegionConfig> regions;
    std::optional<zero_copy::MediaRequest> media;  ///< nothing: the system sets the graph up
    std::map<std::string, int64_t> controls;       ///< set at every opening

    bool operator==(const CameraConfig&) const = default;
};

enum class LineRole {
    trigger,  ///< its edges ask a camera for a measurement
    alarm,    ///< active while an alarm is raised
    strobe    ///< active for a while when an alarm is raised
};
enum class TriggerEdge { rising, falling, both };

struct LineConfig {
    std::string name;
    LineRole role = LineRole::alarm;
    std::string chip;  ///< empty: every chip is searched
    std::string line;  ///< its name, or its number on the chip
    bool active_low = false;
    gpio::Bias bias = gpio::Bias::as_is;
    // Of triggers.
    std::string camera;
    TriggerEdge edge = TriggerEdge::rising;
    uint32_t debounce_us = 0;
    uint32_t min_interval_ms = 0;  ///< edges that follow a trigger sooner ask for nothing
    // Of alarms and strobes.
    gpio::Drive drive = gpio::Drive::push_pull;
    uint32_t pulse_us = 10'000;  ///< of a strobe

    bool operator==(const LineConfig&) const = default;
};

struct AlarmConfig {
    std::string name;
    std::string camera;
    std::string region = "frame";
    std::string channel;  ///< empty: the first one
    std::string statistic;
    AlarmRule rule;
    uint32_t over_ms = 500;  ///< the time within which changes are looked for
    std::vector<std::string> lines;

    bool operator==(const AlarmConfig&) const = default;
};

struct Config {
    GpuConfig gpu;
    MemoryConfig memory;
    std::vector<CameraConfig> cameras;  ///< by name
    std::vector<LineConfig> lines;      ///< by name
    std::vector<AlarmConfig> alarms;    ///< by name
};

struct ConfigResult {
    Config config;
    std::vector<std::string> warnings;
};

inline constexpr size_t max_regions = 64;
inline constexpr size_t max_published_histograms = 4;
inline constexpr uint32_t max_publish_interval_ms = 3'600'000;
inline constexpr uint32_t most_alarm_seconds = 3600;
inline constexpr size_t max_config_bytes = size_t{1} << 20;

/// [a-z][a-z0-9_]{0,31}: a camera's or region's name, fit for an object path.
[[nodiscard]] bool valid_name(std::string_view name);

/// A configuration file's text and where it came from.
struct ConfigText {
    std::string path;
    std::string text;
};

/// Later texts override earlier ones key by key. Throws ConfigError.
[[nodiscard]] ConfigResult parse_config(const std::vector<ConfigText>& texts);

/// One file's text; throws ConfigError when it cannot be read or is larger than max_config_bytes.
[[nodiscard]] ConfigText read_config(const std::filesystem::path& path);

/// The files in force, earlier ones first: shipped, /etc, drop-ins by name. Missing ones are left
/// out.
[[nodiscard]] std::vector<std::filesystem::path> config_files();

}  // namespace glint
