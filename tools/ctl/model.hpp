// What the service tells, as plain data. No bus header: the views of it are tested without a bus.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace glint::ctl {

struct Region {
    std::string name;
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    static auto fields(auto& self) {
        return std::tie(self.name, self.x, self.y, self.width, self.height);
    }
    bool operator==(const Region&) const = default;
};

// A transport that was tried and not taken.
struct Rung {
    std::string transport;
    std::string reason;
    static auto fields(auto& self) { return std::tie(self.transport, self.reason); }
};

// The variant in force of one operator.
struct Variant {
    std::string operation;
    std::string variant;
    std::string set;
    std::string source;
    std::string reason;
    static auto fields(auto& self) {
        return std::tie(self.operation, self.variant, self.set, self.source, self.reason);
    }
};

struct Refusal {
    std::string operation;
    std::string variant;
    std::string reason;
    static auto fields(auto& self) { return std::tie(self.operation, self.variant, self.reason); }
};

struct Service {
    std::string version;
    std::string gpu_name;
    std::string gpu_driver;
    std::string gpu_profile;
    bool degraded = false;
    std::string degraded_reason;
    std::vector<Refusal> refused;
    std::uint64_t gpu_busy_usec = 0;
};

struct CameraInfo {
    std::string name;
    std::string source;
    std::string state;
    std::string pixel_format;
    std::string range;
    std::string transport;
    std::vector<Rung> ladder;
    std::string zero_copy;
    std::string timestamp_source;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t stride_bytes = 0;
    std::uint64_t frame_period_usec = 0;  // 0: unknown
    std::uint32_t bins = 0;
    std::uint32_t generation = 0;
    std::vector<Region> regions;
    std::vector<Variant> variants;
    std::uint64_t captured = 0;
    std::uint64_t processed = 0;
    std::uint64_t dropped = 0;
    std::uint64_t lost = 0;
    bool lost_estimated = false;
    std::uint64_t corrupt = 0;
    std::uint64_t merged = 0;
    std::uint64_t triggers_answered = 0;
    std::uint64_t triggers_missed = 0;
    std::uint64_t rejected = 0;
    std::uint64_t bytes_copied = 0;
    std::uint64_t bytes_exported = 0;
};

// A choice of a menu.
struct MenuItem {
    std::int64_t value = 0;
    std::string meaning;
    static auto fields(auto& self) { return std::tie(self.value, self.meaning); }
};

// Something that a camera's driver lets people set.
struct Control {
    std::string name;
    std::string type;
    std::int64_t value = 0;
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    std::int64_t step = 0;
    std::int64_t default_value = 0;
    std::string access;
    std::vector<MenuItem> menu;
    static auto fields(auto& self) {
        return std::tie(self.name, self.type, self.value, self.minimum, self.maximum, self.step,
                        self.default_value, self.access, self.menu);
    }
};

struct ChannelBins {
    std::string channel;
    std::vector<std::uint32_t> bins;
    static auto fields(auto& self) { return std::tie(self.channel, self.bins); }
};

struct LineInfo {
    std::string name;
    std::string role;
    std::string problem;
    bool active = false;
    std::uint64_t edges = 0;
    std::uint64_t missed = 0;
    bool missed_exact = false;
};

struct AlarmInfo {
    std::string name;
    std::string camera;
    std::string region;
    std::string statistic;
    std::string kind;
    std::vector<std::string> lines;
    std::string state;
    std::uint64_t since_nsec = 0;
    double value = 0;
    double threshold = 0;
    double upper = 0;
};

struct Histogram {
    std::uint64_t sequence = 0;
    std::uint64_t timestamp_nsec = 0;
    std::uint32_t generation = 0;
    std::uint32_t bit_depth = 0;
    std::uint32_t bin_width = 0;
    std::vector<ChannelBins> channels;
    static auto fields(auto& self) {
        return std::tie(self.sequence, self.timestamp_nsec, self.generation, self.bit_depth,
                        self.bin_width, self.channels);
    }
};

struct ChannelValues {
    std::string channel;
    std::map<std::string, double> values;
    static auto fields(auto& self) { return std::tie(self.channel, self.values); }
};

struct Statistics {
    std::uint64_t sequence = 0;
    std::uint64_t timestamp_nsec = 0;
    std::uint32_t generation = 0;
    std::vector<ChannelValues> channels;
    static auto fields(auto& self) {
        return std::tie(self.sequence, self.timestamp_nsec, self.generation, self.channels);
    }
};

// One line of Measured: a channel of a region.
struct Figures {
    std::string region;
    std::string channel;
    double mean = 0;
    double stddev = 0;
    double clipped_low = 0;
    double clipped_high = 0;
    static auto fields(auto& self) {
        return std::tie(self.region, self.channel, self.mean, self.stddev, self.clipped_low,
                        self.clipped_high);
    }
};

struct Measured {
    std::uint64_t sequence = 0;
    std::uint64_t timestamp_nsec = 0;
    std::uint64_t processing_usec = 0;
    std::uint32_t generation = 0;
    std::string trigger_line;
    std::uint64_t trigger_sequence = 0;
    std::int32_t exposure_usec = -1;
    std::int32_t gain_raw = -1;
    std::vector<Figures> figures;
    static auto fields(auto& self) {
        return std::tie(self.sequence, self.timestamp_nsec, self.processing_usec, self.generation,
                        self.trigger_line, self.trigger_sequence, self.exposure_usec, self.gain_raw,
                        self.figures);
    }
};

}  // namespace glint::ctl
