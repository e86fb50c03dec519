// Configuration files: refused with the place of what is wrong, or read into values within their
// limits.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "tests/fuzz/input.hpp"

using namespace glint;
using fuzz::require;

namespace {

bool in_frame_limits(std::optional<uint32_t> size) {
    return !size || (*size >= 1 && *size <= zero_copy::max_dimension);
}

void check_size(uint32_t size) {
    require(size % 2 == 1 && size >= 3 && size <= gpu::max_filter_size, "a filter has a centre");
}

void check_filter(const gpu::Filter& filter) {
    check_size(filter.size);
    require(uint64_t{filter.magnitude()} * UINT8_MAX <= INT32_MAX,
            "a filter's sums fit into 32 bits");
}

void check_filter(const gpu::FloatFilter& filter) {
    check_size(filter.size);
    float sum = 0;
    for (const float coefficient : filter.coefficients) sum += std::abs(coefficient) * UINT8_MAX;
    require(std::isfinite(sum), "a filter's sums of floats are finite");
}

void check_camera(const CameraConfig& camera) {
    require(valid_name(camera.name), "a camera's name is fit for an object path");
    require(zero_copy::check_source_text(camera.source).empty(), "a source is one of those known");
    require(in_frame_limits(camera.width) && in_frame_limits(camera.height),
            "a size is in its limits");
    require(!camera.rate || (*camera.rate > 0 && *camera.rate <= 1000), "a rate is a rate");
    require(camera.buffers >= zero_copy::min_buffers && camera.buffers <= zero_copy::max_buffers,
            "there are some buffers and not too many");
    require(camera.bins >= gpu::histogram_bins && camera.bins <= gpu::max_histogram_bins,
            "a histogram has its bins");
    require(camera.publish_interval_ms <= max_publish_interval_ms, "an interval is in its limits");
    require(camera.regions.size() <= max_regions, "regions are not too many");
    require(camera.publish_histograms.size() <= max_published_histograms,
            "histograms are not too many");
    for (const RegionConfig& region : camera.regions) {
        require(valid_name(region.name) && region.width >= 1 && region.height >= 1,
                "a region has a name and pixels");
    }
    if (const auto& filter = camera.filter) {
        std::visit([](const auto& one) { check_filter(one); }, *filter);
    }
    if (const auto& grid = camera.metering) {
        require(grid->weights.size() == size_t{grid->columns} * grid->rows,
                "a grid has all its weights");
    }
}

template <typename Named>
bool has(const std::vector<Named>& all, const std::string& name) {
    return std::ranges::find(all, name, &Named::name) != all.end();
}

void check_wiring(const Config& config) {
    for (const LineConfig& line : config.lines) {
        require(valid_name(line.name), "a line's name is fit for an object path");
        require(line.role != LineRole::trigger || has(config.cameras, line.camera),
                "a trigger has a camera");
    }
    for (const AlarmConfig& alarm : config.alarms) {
        require(valid_name(alarm.name), "an alarm's name is fit for an object path");
        require(has(config.cameras, alarm.camera), "an alarm has a camera");
        require(std::isfinite(alarm.rule.threshold) && std::isfinite(alarm.rule.upper) &&
                    alarm.rule.hysteresis >= 0,
                "an alarm's rule has numbers");
        require(alarm.rule.kind != AlarmKind::between || alarm.rule.threshold <= alarm.rule.upper,
                "thresholds are in order");
        for (const std::string& line : alarm.lines) {
            require(has(config.lines, line), "an alarm's lines are there");
        }
    }
}

/// A NUL is where one file ends and the next begins.
std::vector<ConfigText> files_of(std::string_view text) {
    std::vector<ConfigText> files;
    for (size_t start = 0; start <= text.size();) {
        const size_t end = std::min(text.find('\0', start), text.size());
        files.push_back({"fuzz.toml", std::string(text.substr(start, end - start))});
        start = end + 1;
    }
    return files;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const ConfigResult result = parse_config(files_of(fuzz::Input(data, size).rest_text()));
        for (const CameraConfig& camera : result.config.cameras) check_camera(camera);
        check_wiring(result.config);
        for (const std::string& warning : result.warnings) {
            require(warning.starts_with("fuzz.toml:"), "a warning names its place");
        }
    } catch (const ConfigError& error) {
        require(std::string_view(error.what()).starts_with("fuzz.toml:"),
                "a refusal names its place");
    }
    return 0;
}
