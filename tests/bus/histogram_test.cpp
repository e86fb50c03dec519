// What is published equals what can be written down in closed form, on every set of kernels.
#include <algorithm>
#include <numeric>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;
using Bins = std::vector<uint32_t>;

constexpr uint32_t width = 322;
constexpr uint32_t height = 130;

/// The patterns as they are documented.
uint8_t sample(const std::string& pattern, uint32_t x, uint32_t y) {
    if (pattern == "gradient") return static_cast<uint8_t>(x * 256 / width);
    if (pattern == "checker") return (x / 8 + y / 8) % 2 == 0 ? 32 : 224;
    return 77;
}

Bins expected_bins(const std::string& pattern, const RegionSpec& region) {
    Bins bins(256);
    const auto left = static_cast<uint32_t>(region.x);
    const auto top = static_cast<uint32_t>(region.y);
    for (uint32_t y = top; y < top + region.height; ++y) {
        for (uint32_t x = left; x < left + region.width; ++x) ++bins[sample(pattern, x, y)];
    }
    return bins;
}

double mean_of(const Bins& bins) {
    uint64_t sum = 0;
    uint64_t samples = 0;
    for (size_t bin = 0; bin < bins.size(); ++bin) {
        sum += bin * bins[bin];
        samples += bins[bin];
    }
    return static_cast<double>(sum) / static_cast<double>(samples);
}

/// Mean of the squared Laplacian 4s - left - right - above - below, the border replicated.
double sharpness_of(const std::string& pattern, const RegionSpec& region) {
    const auto at = [&](int32_t x, int32_t y) {
        const int32_t right = region.x + static_cast<int32_t>(region.width) - 1;
        const int32_t bottom = region.y + static_cast<int32_t>(region.height) - 1;
        return int{sample(pattern, static_cast<uint32_t>(std::clamp(x, region.x, right)),
                          static_cast<uint32_t>(std::clamp(y, region.y, bottom)))};
    };
    double sum = 0;
    for (int32_t y = region.y; y < region.y + static_cast<int32_t>(region.height); ++y) {
        for (int32_t x = region.x; x < region.x + static_cast<int32_t>(region.width); ++x) {
            const double laplacian =
                4 * at(x, y) - at(x - 1, y) - at(x + 1, y) - at(x, y - 1) - at(x, y + 1);
            sum += laplacian * laplacian;
        }
    }
    return sum / region.width / region.height;
}

void check_bins(const Bins& expected, const Bins& bins) {
    LONGS_EQUAL(256, bins.size());
    LONGS_EQUAL(std::accumulate(expected.begin(), expected.end(), uint64_t{0}),
                std::accumulate(bins.begin(), bins.end(), uint64_t{0}));
    for (size_t bin = 0; bin < bins.size(); ++bin) LONGS_EQUAL(expected[bin], bins[bin]);
}

const RegionSpec whole{"frame", 0, 0, width, height};
const RegionSpec odd{"odd", 3, 5, 17, 9};
const RegionSpec pixel{"pixel", 321, 129, 1, 1};
const std::vector<std::string> patterns{"gradient", "checker", "flat"};
/// Fourcc, and how it appears in the camera's name.
const std::vector<std::pair<std::string, std::string>> formats{
    {"GREY", "grey"}, {"NV12", "nv12"}, {"YUYV", "yuyv"}};

std::string nine_cameras() {
    std::string config;
    for (const std::string& pattern : patterns) {
        for (const auto& [format, suffix] : formats) {
            const std::string name = pattern + "_" + suffix;
            config += camera_table(
                {.name = name,
                 .source = "test:" + (pattern == "flat" ? std::string("flat:77") : pattern),
                 .format = format,
                 .width = width,
                 .height = height,
                 .rate = 20,
                 .more = fmt::format("publish_interval_ms = 0\n"
                                     "publish_histograms = [\"frame\", \"odd\"]\n"
                                     "[camera.{}.region.odd]\nx = 3\ny = 5\nwidth = 17\n"
                                     "height = 9\n",
                                     name)});
        }
    }
    return config;
}

void check_camera(Bench& bench, const std::string& pattern, const std::string& name,
                  const std::string& set) {
    const CameraClient camera = bench.camera(name);
    camera.wait_for_state("streaming");
    if (set != "cpu") camera.wait_for_gpu();
    STRCMP_EQUAL(set.c_str(), camera.histogram_set().c_str());

    std::optional<MeasuredSignal> measured;
    std::map<std::string, HistogramReply> published;
    const auto listening =
        bench.client->on_signal(camera.path(), camera_interface, "Measured",
                                [&](const Message& signal) { measured = parse_measured(signal); });
    const auto listening_too = bench.client->on_signal(
        camera.path(), camera_interface, "Histogram", [&](const Message& signal) {
            const HistogramReply reply = parse_histogram_signal(signal);
            published[reply.region] = reply;
        });
    const HistogramReply reply = camera.wait_for_result();
    LONGS_EQUAL(8, reply.bit_depth);
    LONGS_EQUAL(1, reply.bin_width);
    LONGS_EQUAL(1, reply.channels.size());
    CHECK(reply.timestamp_nsec > 0);
    check_bins(expected_bins(pattern, whole), reply.channels.at("Y"));
    check_bins(expected_bins(pattern, odd), camera.histogram("odd").channels.at("Y"));

    bench.client->wait_until("Measured and both Histogram signals do not come",
                             [&] { return measured && published.size() == 2; });
    for (const RegionSpec& region : {whole, odd}) {
        const Bins expected = expected_bins(pattern, region);
        check_bins(expected, published.at(region.name).channels.at("Y"));
        const size_t line = region.name == "odd" ? 1 : 0;
        LONGS_EQUAL(2, measured->regions.size());
        STRCMP_EQUAL(region.name.c_str(), measured->regions[line].region.c_str());
        STRCMP_EQUAL("Y", measured->regions[line].channel.c_str());
        DOUBLES_EQUAL(mean_of(expected), measured->regions[line].mean, 1e-9);
        const auto statistics = camera.statistics(region.name).channels.at("Y");
        DOUBLES_EQUAL(mean_of(expected), statistics.at("mean"), 1e-9);
        DOUBLES_EQUAL(region.width * region.height, statistics.at("samples"), 0);
        DOUBLES_EQUAL(sharpness_of(pattern, region), statistics.at("sharpness"), 1e-9);
        LONGS_EQUAL(12, statistics.size());
    }
    LONGS_EQUAL(-1, measured->exposure_usec);
    LONGS_EQUAL(-1, measured->gain_raw);
    STRCMP_EQUAL("", measured->trigger_line.c_str());
}

void check_regions(Bench& bench, const std::string& pattern, const std::string& name) {
    const CameraClient camera = bench.camera(name);
    const uint32_t before = camera.number("Generation");
    const uint32_t generation = camera.set_regions({odd, pixel});
    CHECK(generation > before);
    LONGS_EQUAL(generation, camera.number("Generation"));
    const HistogramReply reply = camera.wait_for_result(generation);
    LONGS_EQUAL(generation, reply.generation);
    check_bins(expected_bins(pattern, whole), reply.channels.at("Y"));
    for (const RegionSpec& region : {odd, pixel}) {
        const HistogramReply own = camera.histogram(region.name);
        LONGS_EQUAL(generation, own.generation);
        check_bins(expected_bins(pattern, region), own.channels.at("Y"));
    }
    // The same again changes nothing.
    LONGS_EQUAL(generation, camera.set_regions({odd, pixel}));
    CHECK(camera.set_regions({odd}) > generation);
}

void check_set(const std::string& set) {
    Bench bench({.config = nine_cameras(), .gpu = fmt::format("kernels = \"{}\"", set)});
    for (const std::string& pattern : patterns) {
        for (const auto& [format, suffix] : formats) {
            check_camera(bench, pattern, pattern + "_" + suffix, set);
            check_regions(bench, pattern, pattern + "_" + suffix);
        }
    }
    bench.daemon.stop();
}

}  // namespace

TEST_GROUP(Histogram){};

BUS_TEST(Histogram, is_exact_on_the_cpu) {
    check_set("cpu");
}

BUS_TEST(Histogram, is_exact_with_ep_kernels) {
    check_set("ep");
}

/// A small device runs none of them; the CPU serves and says why.
void check_fp_is_refused() {
    Bench bench({.config = camera_table({}), .gpu = "kernels = \"fp\""});
    const CameraClient camera = bench.camera();
    bench.client->wait_until("no reason", [&] {
        return contains(bench.manager_text("DegradedReason"), "no OpenCL variant passed");
    });
    camera.wait_for_result();
    STRCMP_EQUAL("cpu", camera.histogram_set().c_str());
    bench.daemon.stop();
}

BUS_TEST(Histogram, is_exact_with_fp_kernels) {
    if (!device_under_test().runs_fp) return check_fp_is_refused();
    check_set("fp");
}
