// org.glintd1.Camera as a client sees it, with types.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/bus/client.hpp"

namespace glint::test {

struct HistogramReply {
    uint64_t sequence = 0;
    uint64_t timestamp_nsec = 0;
    uint32_t generation = 0;
    std::string region;  ///< of the signal only
    uint32_t bit_depth = 0;
    uint32_t bin_width = 0;
    std::map<std::string, std::vector<uint32_t>> channels;
};

struct StatisticsReply {
    uint64_t sequence = 0;
    uint64_t timestamp_nsec = 0;
    uint32_t generation = 0;
    std::map<std::string, std::map<std::string, double>> channels;
};

struct RegionLine {
    std::string region;
    std::string channel;
    double mean = 0, stddev = 0, clipped_low = 0, clipped_high = 0;
};

struct MeasuredSignal {
    uint64_t sequence = 0;
    uint64_t timestamp_nsec = 0;
    uint64_t processing_usec = 0;
    uint32_t generation = 0;
    std::string trigger_line;
    uint64_t trigger_sequence = 0;
    int32_t exposure_usec = 0;
    int32_t gain_raw = 0;
    std::vector<RegionLine> regions;
};

struct RegionSpec {
    std::string name;
    int32_t x = 0, y = 0;
    uint32_t width = 0, height = 0;
};

struct FrameReply {
    Fd memory;
    std::string fourcc;
    uint32_t width = 0, height = 0;
    std::vector<std::pair<uint64_t, uint32_t>> planes;  ///< offset, stride
    std::string range;
    uint64_t sequence = 0;
    uint64_t timestamp_nsec = 0;

    /// The file from its beginning, by pread.
    [[nodiscard]] std::vector<uint8_t> bytes() const;
};

struct StreamReply {
    Fd memory;
    Fd event;
    uint32_t layout_version = 0;
};

struct VariantLine {
    std::string op, variant, set, source, reason;
};

HistogramReply parse_histogram_reply(const Message& reply);
HistogramReply parse_histogram_signal(const Message& signal);
MeasuredSignal parse_measured(const Message& signal);
FrameReply parse_frame(const Message& reply);
StreamReply parse_stream(const Message& reply);

class CameraClient {
  public:
    CameraClient(Client& client, const std::string& name)
        : client_(client), path_("/org/glintd1/camera/" + name) {}

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] Message new_call(const char* member) const {
        return client_.new_call(path_, camera_interface, member);
    }

    void start() const { client_.call(path_, camera_interface, "Start"); }
    void stop() const { client_.call(path_, camera_interface, "Stop"); }
    [[nodiscard]] HistogramReply histogram(const std::string& region = "frame") const;
    [[nodiscard]] StatisticsReply statistics(const std::string& region = "frame") const;
    [[nodiscard]] FrameReply frame(const std::string& stage = "raw") const;
    [[nodiscard]] StreamReply open_stream(const std::string& what) const;
    uint32_t set_regions(const std::vector<RegionSpec>& regions) const;
    uint32_t set_filter(const std::string& name, uint32_t width = 0, uint32_t height = 0,
                        const std::vector<int16_t>& coefficients = {}, uint32_t shift = 0) const;
    uint32_t set_filter_float(const std::string& name, uint32_t width, uint32_t height,
                              const std::vector<double>& coefficients) const;
    uint32_t set_bins(uint32_t bins) const;
    /// One byte per pixel, in a memfd; none takes the mask away.
    uint32_t set_mask(const std::vector<uint8_t>& bytes) const;
    uint32_t set_metering_grid(uint32_t columns, uint32_t rows,
                               const std::vector<uint8_t>& weights) const;
    void ask_controls() const { client_.call(path_, camera_interface, "Controls"); }
    void set_control(const char* name, int64_t value) const {
        client_.call(path_, camera_interface, "SetControl", "sx", name, value);
    }
    void set_publish_interval(uint64_t usec) const;
    void set_published_histograms(const std::vector<std::string>& names) const;

    [[nodiscard]] std::string text(const char* property) const {
        return client_.text(path_, camera_interface, property);
    }
    [[nodiscard]] uint64_t counter(const char* property) const;
    [[nodiscard]] uint32_t number(const char* property) const;
    /// Several counters of one instant.
    [[nodiscard]] std::map<std::string, uint64_t> counters() const;
    [[nodiscard]] std::vector<VariantLine> variants() const;
    /// Of that operator; empty if it is not in force.
    [[nodiscard]] VariantLine variant_of(const std::string& op) const;
    /// "ep", "fp" or "cpu": where the histogram is computed; empty while nothing streams.
    [[nodiscard]] std::string histogram_set() const;

    void wait_for_state(const std::string& state, milliseconds at_most = seconds(20)) const;
    /// Until a GPU variant of the histogram serves and its results arrive.
    void wait_for_gpu(milliseconds at_most = seconds(60)) const;
    /// Until GetHistogram answers, with results of at least `generation`.
    HistogramReply wait_for_result(uint32_t generation = 0,
                                   milliseconds at_most = seconds(20)) const;

  private:
    Client& client_;
    std::string path_;
};

}  // namespace glint::test
