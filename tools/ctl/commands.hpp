// What each word of the command line does. All throw Failure, and ReaderGone when nobody reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ctl/bus.hpp"
#include "tools/ctl/picture.hpp"
#include "tools/ctl/text.hpp"

namespace glint::ctl {

void show_status(Bus& bus);
void list_cameras(Bus& bus);

struct Question {
    std::string camera;
    std::string region;
    bool json = false;
};
void show_histogram(Bus& bus, const Question& question);
void show_statistics(Bus& bus, const Question& question);

struct WatchOptions {
    std::string camera;
    std::string region;
    Scale scale = Scale::linear;
    std::optional<std::uint64_t> count;
    std::optional<double> seconds;
};
void watch(Bus& bus, const WatchOptions& options);

struct SnapshotOptions {
    std::string camera;
    std::string stage;
    std::string file;
};
void snapshot(Bus& bus, const SnapshotOptions& options);

struct StreamOptions {
    std::string camera;
    std::string what = "raw";
    std::optional<std::uint64_t> count;
};
void stream(Bus& bus, const StreamOptions& options);

void explain(Bus& bus, const std::string& camera);
void print_controls(Bus& bus, const std::string& camera);
void set_control(Bus& bus, const std::string& camera, const std::string& name, std::int64_t value);

void start(Bus& bus, const std::string& camera);
void stop(Bus& bus, const std::string& camera);
void set_filter(Bus& bus, const std::string& camera, const Filter& filter);
void print_regions(Bus& bus, const std::string& camera);
void set_regions(Bus& bus, const std::string& camera, const std::vector<Region>& regions);
void print_bins(Bus& bus, const std::string& camera);
void set_bins(Bus& bus, const std::string& camera, std::uint32_t bins);
void set_metering(Bus& bus, const std::string& camera, const MeteringGrid& grid);
void set_mask(Bus& bus, const std::string& camera, const std::string& file);
void clear_mask(Bus& bus, const std::string& camera);
void retry_gpu(Bus& bus);

void list_lines(Bus& bus);
void set_line(Bus& bus, const std::string& line, bool active);
void list_alarms(Bus& bus);
void acknowledge(Bus& bus, const std::string& alarm);
void reload(Bus& bus);

}  // namespace glint::ctl
