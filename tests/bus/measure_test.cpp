// What is counted, and how finely: bins, masks, metering grids, mosaics and packed samples, on the
// GPU.
#include <numeric>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uint32_t width = 80;
constexpr uint32_t height = 48;
constexpr uint32_t samples = width * height;
constexpr uint8_t level = 201;

std::string flat_camera(const std::string& format, const std::string& more = "") {
    return camera_table({.source = "test:flat:201",
                         .format = format,
                         .width = width,
                         .height = height,
                         .more = more});
}

uint64_t sum_of(const std::vector<uint32_t>& bins) {
    return std::accumulate(bins.begin(), bins.end(), uint64_t{0});
}

/// All of `count` samples in one bin of `bins`.
void check_flat(const std::vector<uint32_t>& counted, uint32_t bins, uint32_t bin, uint64_t count) {
    LONGS_EQUAL(bins, counted.size());
    UNSIGNED_LONGS_EQUAL(count, sum_of(counted));
    UNSIGNED_LONGS_EQUAL(count, counted.at(bin));
}

void check_refused(const std::string& name, const std::string& part,
                   const std::function<void()>& call) {
    try {
        call();
        FAIL("not refused");
    } catch (const BusError& error) {
        STRCMP_EQUAL(name.c_str(), error.name().c_str());
        STRCMP_CONTAINS(part.c_str(), error.what());
    }
}

constexpr const char* invalid_args = "org.freedesktop.DBus.Error.InvalidArgs";

}  // namespace

TEST_GROUP(Measure){};

BUS_TEST(Measure, bins_are_as_fine_as_asked_for) {
    Bench bench({.config = flat_camera("Y10", "bins = 1024")});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    HistogramReply reply = camera.wait_for_result();
    LONGS_EQUAL(1024, camera.number("Bins"));
    LONGS_EQUAL(1, reply.bin_width);
    check_flat(reply.channels.at("Y"), 1024, level * 4, samples);
    DOUBLES_EQUAL(level * 4, camera.statistics().channels.at("Y").at("mean"), 1e-9);

    // Kernels for another number are built while the camera goes on being asked.
    reply = camera.wait_for_result(camera.set_bins(300));
    LONGS_EQUAL(0, reply.bin_width);
    check_flat(reply.channels.at("Y"), 300, level * 4 * 300 / 1024, samples);
    camera.wait_for_gpu();
    reply = camera.wait_for_result(camera.set_bins(256));
    LONGS_EQUAL(4, reply.bin_width);
    check_flat(reply.channels.at("Y"), 256, level, samples);
    LONGS_EQUAL(256, camera.number("Bins"));
    camera.wait_for_gpu();
    check_flat(camera.histogram().channels.at("Y"), 256, level, samples);

    check_refused(invalid_args, "multiples of 4 from 256 to 4096", [&] { camera.set_bins(302); });
    check_refused(invalid_args, "samples of 10 bits have 1024", [&] { camera.set_bins(2048); });
    LONGS_EQUAL(256, camera.number("Bins"));
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    bench.daemon.stop();
}

BUS_TEST(Measure, a_mask_leaves_pixels_out) {
    Bench bench({.config = flat_camera("NV12",
                                       "[camera.front.region]\n"
                                       "left = { width = 40, height = 48 }\n")});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    std::vector<uint8_t> mask(samples, 0);
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) mask[y * width + x] = (x + y) % 3 == 0 && x < 39;
    }
    const auto open = static_cast<uint64_t>(std::count(mask.begin(), mask.end(), 1));
    const HistogramReply reply = camera.wait_for_result(camera.set_mask(mask));
    check_flat(reply.channels.at("Y"), 256, level, open);
    check_flat(camera.histogram("left").channels.at("Y"), 256, level, open);
    check_refused(invalid_args, "80x48", [&] { camera.set_mask({1, 2, 3}); });
    check_flat(camera.wait_for_result(camera.set_mask({})).channels.at("Y"), 256, level, samples);
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    bench.daemon.stop();
}

BUS_TEST(Measure, a_metering_grid_weighs_its_cells) {
    Bench bench({.config = flat_camera("GREY",
                                       "[camera.front.metering]\n"
                                       "columns = 2\nrows = 1\nweights = [1, 3]\n")});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    camera.wait_for_result();
    check_flat(camera.histogram("metering").channels.at("Y"), 256, level, samples * 2);
    camera.set_published_histograms({"metering"});
    const std::vector<uint8_t> weights{0, 200, 0, 7, 7, 7};
    camera.wait_for_result(camera.set_metering_grid(3, 2, weights));
    const uint64_t counts = uint64_t{27} * 24 * 200 + uint64_t{80} * 24 * 7;
    check_flat(camera.histogram("metering").channels.at("Y"), 256, level, counts);
    check_flat(camera.histogram().channels.at("Y"), 256, level, samples);
    check_refused(invalid_args, "33x1",
                  [&] { camera.set_metering_grid(33, 1, std::vector<uint8_t>(33, 1)); });
    camera.wait_for_result(camera.set_metering_grid(0, 0, {}));
    check_refused("org.glintd1.Error.RegionInvalid", "there are \"frame\"",
                  [&] { (void)camera.histogram("metering"); });
    check_refused("org.glintd1.Error.RegionInvalid", "metering", [&] {
        camera.set_regions({{"metering", 0, 0, 8, 8}});
    });
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    bench.daemon.stop();
}

BUS_TEST(Measure, mosaics_have_a_histogram_for_each_site) {
    for (const char* format : {"RGGB", "BG12", "pgAA"}) {
        Bench bench({.config = flat_camera(format)});
        const CameraClient camera = bench.camera();
        camera.wait_for_gpu();
        const HistogramReply reply = camera.wait_for_result();
        LONGS_EQUAL(4, reply.channels.size());
        for (const char* channel : {"R", "Gr", "Gb", "B"}) {
            check_flat(reply.channels.at(channel), 256, level, samples / 4);
        }
        STRCMP_EQUAL(format, camera.text("PixelFormat").c_str());
        camera.set_filter("binomial3");
        const FrameReply picture = camera.frame("filtered");
        LONGS_EQUAL(width / 2, picture.width);
        LONGS_EQUAL(height / 2, picture.height);
        BYTES_EQUAL(level, picture.bytes().at(picture.planes[0].first));
        LONGS_EQUAL(0, camera.counter("ResultsRejected"));
        bench.daemon.stop();
    }
}

BUS_TEST(Measure, packed_and_aligned_samples_are_seen_in_full) {
    for (const char* format : {"Y10P", "Y12P", "Y012", "Y14"}) {
        Bench bench({.config = flat_camera(format, "bins = 512")});
        const CameraClient camera = bench.camera();
        camera.wait_for_gpu();
        check_flat(camera.wait_for_result().channels.at("Y"), 512, level * 2, samples);
        LONGS_EQUAL(0, camera.counter("ResultsRejected"));
        bench.daemon.stop();
    }
}
