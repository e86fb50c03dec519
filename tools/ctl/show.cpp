// Commands that print what is: status, list, histogram, statistics.
#include <fmt/format.h>

#include <algorithm>

#include "tools/ctl/bins.hpp"
#include "tools/ctl/client.hpp"
#include "tools/ctl/commands.hpp"
#include "tools/ctl/output.hpp"

namespace glint::ctl {
namespace {

// Figures in the order in which people ask for them; others follow by name.
constexpr std::string_view order[] = {"samples",     "mean",         "stddev",  "minimum",
                                      "maximum",     "median",       "p01",     "p99",
                                      "clipped_low", "clipped_high", "entropy", "sharpness"};

std::string field(std::string_view label, std::string_view text) {
    return fmt::format("  {:<11} {}\n", label, text);
}

std::string gpu_text(const Service& service) {
    if (service.gpu_name.empty()) return "none: the CPU measures";
    return fmt::format("{}, {}, driver {}, busy {:.3f} s", service.gpu_name, service.gpu_profile,
                       service.gpu_driver, static_cast<double>(service.gpu_busy_usec) * 1e-6);
}

std::string service_block(const Service& service) {
    std::string out = fmt::format("glintd {}\n", service.version);
    out += field("gpu", gpu_text(service));
    out += field("degraded", service.degraded ? "yes: " + service.degraded_reason : "no");
    if (service.refused.empty()) out += field("refused", "none");
    for (const Refusal& refusal : service.refused)
        out += field("refused",
                     fmt::format("{} {}: {}", refusal.operation, refusal.variant, refusal.reason));
    return out;
}

std::string size_text(const CameraInfo& camera) {
    return fmt::format("{}x{}", camera.width, camera.height);
}

std::string variant_text(const Variant& variant) {
    std::string text = fmt::format("{} {} ({}, {})", variant.operation, variant.variant,
                                   variant.set, variant.source);
    return variant.reason.empty() ? text : text + ": " + variant.reason;
}

std::string camera_block(const CameraInfo& camera) {
    std::string out = fmt::format("\n{} {}\n", camera.name, camera.state);
    out += field("source", camera.source);
    out += field("format", fmt::format("{} {} stride {} bytes, {} range", camera.pixel_format,
                                       size_text(camera), camera.stride_bytes, camera.range));
    if (camera.frame_period_usec != 0)
        out += field("rate", fmt::format("{:.4g} frames a second",
                                         1e6 / static_cast<double>(camera.frame_period_usec)));
    out += field("transport", fmt::format("{}, zero copy {}, timestamps {}", camera.transport,
                                          camera.zero_copy, camera.timestamp_source));
    for (const Rung& rung : camera.ladder)
        out += field("not taken", fmt::format("{}: {}", rung.transport, rung.reason));
    for (const Variant& variant : camera.variants) out += field("variant", variant_text(variant));
    out += field("bins", fmt::format("{}", camera.bins));
    for (const Region& region : camera.regions) out += field("region", region_text(region));
    out += field("frames", frames_text(camera));
    out += field("losses", losses_text(camera));
    out += field("bytes",
                 fmt::format("copied {} exported {}", camera.bytes_copied, camera.bytes_exported));
    return out;
}

std::size_t place_of(const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(order, name) - std::begin(order));
}

using Value = std::pair<std::string, double>;

std::vector<Value> in_order(const ChannelValues& channel) {
    std::vector<Value> values(channel.values.begin(), channel.values.end());
    std::ranges::stable_sort(values, {}, [](const Value& value) { return place_of(value.first); });
    return values;
}

template <class Result>
std::string json_head(const Question& question, const Result& result) {
    return fmt::format(
        "{{\"camera\":{},\"region\":{},\"sequence\":{},\"timestamp_nsec\":{},\"generation\":{}",
        json_string(question.camera), json_string(question.region), result.sequence,
        result.timestamp_nsec, result.generation);
}

template <class Result>
std::string plain_head(const Question& question, const Result& result) {
    return fmt::format("# camera {} region {} sequence {} timestamp_nsec {} generation {}",
                       question.camera, question.region, result.sequence, result.timestamp_nsec,
                       result.generation);
}

std::string histogram_json(const Question& question, const Histogram& histogram) {
    std::string out = json_head(question, histogram) +
                      fmt::format(",\"bit_depth\":{},\"bin_width\":{},\"channels\":{{",
                                  histogram.bit_depth, histogram.bin_width);
    std::string_view comma = "";
    for (const ChannelBins& channel : histogram.channels) {
        out += fmt::format("{}{}:[{}]", comma, json_string(channel.channel),
                           fmt::join(channel.bins, ","));
        comma = ",";
    }
    return out + "}}\n";
}

// One line a bin: the smallest sample value in it, then its count in each channel.
std::string histogram_plain(const Question& question, const Histogram& histogram) {
    std::string out =
        plain_head(question, histogram) +
        fmt::format(" bit_depth {} bin_width {}\n", histogram.bit_depth, histogram.bin_width);
    out += fmt::format("{:>10}", "# from");
    std::size_t bins = 0;
    for (const ChannelBins& channel : histogram.channels) {
        out += fmt::format(" {:>10}", channel.channel);
        bins = std::max(bins, channel.bins.size());
    }
    for (std::size_t bin = 0; bin < bins; ++bin) {
        out += fmt::format("\n{:>10}", first_value(histogram.bit_depth, bins, bin));
        for (const ChannelBins& channel : histogram.channels)
            out += fmt::format(" {:>10}", bin < channel.bins.size() ? channel.bins[bin] : 0);
    }
    return out + "\n";
}

std::string statistics_json(const Question& question, const Statistics& statistics) {
    std::string out = json_head(question, statistics) + ",\"channels\":{";
    std::string_view comma = "";
    for (const ChannelValues& channel : statistics.channels) {
        std::vector<std::string> members;
        for (const auto& [name, value] : in_order(channel))
            members.push_back(json_string(name) + ":" + json_number(value));
        out += fmt::format("{}{}:{{{}}}", comma, json_string(channel.channel),
                           fmt::join(members, ","));
        comma = ",";
    }
    return out + "}}\n";
}

std::string statistics_plain(const Question& question, const Statistics& statistics) {
    std::string out = plain_head(question, statistics) + "\n";
    for (const ChannelValues& channel : statistics.channels)
        for (const auto& [name, value] : in_order(channel))
            out += fmt::format("{} {:<12} {}\n", channel.channel, name, value);
    return out;
}

}  // namespace

void show_status(Bus& bus) {
    std::string out = service_block(read_service(bus));
    const std::vector<CameraInfo> cameras = read_cameras(bus);
    for (const CameraInfo& camera : cameras) out += camera_block(camera);
    if (cameras.empty()) out += "\nno cameras: add [camera.NAME] to /etc/glintd/glintd.toml\n";
    print(out);
}

void list_cameras(Bus& bus) {
    const std::vector<CameraInfo> cameras = read_cameras(bus);
    std::size_t width = 0;
    for (const CameraInfo& camera : cameras) width = std::max(width, camera.name.size());
    std::string out;
    for (const CameraInfo& camera : cameras)
        out += fmt::format("{:<{}}  {:<9}  {:<4}  {:<9}  {}\n", camera.name, width, camera.state,
                           camera.pixel_format, size_text(camera), camera.source);
    print(out);
}

void show_histogram(Bus& bus, const Question& question) {
    const Histogram histogram = Camera(bus, question.camera).histogram(question.region);
    print(question.json ? histogram_json(question, histogram)
                        : histogram_plain(question, histogram));
}

void show_statistics(Bus& bus, const Question& question) {
    const Statistics statistics = Camera(bus, question.camera).statistics(question.region);
    print(question.json ? statistics_json(question, statistics)
                        : statistics_plain(question, statistics));
}

}  // namespace glint::ctl
