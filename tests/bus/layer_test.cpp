// On an embedded device glintd keeps to what the device can do, moves no byte of a frame and leaves
// nothing behind; the layer's account says so.
#include <algorithm>

#include "tests/bus/played.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;
using nlohmann::json;

constexpr uint32_t width = 640;
constexpr uint32_t height = 480;

std::string camera_with_filter() {
    return camera_table({.source = "test:flat:77",
                         .format = "NV12",
                         .width = width,
                         .height = height,
                         .rate = 200,
                         .more = "[camera.front.filter]\nkernel = \"binomial5\"\n"});
}

/// A run of glintd over at least so many frames; what the layer says of it afterwards.
json account_of(const Played& played, uint64_t frames) {
    const TemporaryFolder folder;
    Played own = played;
    own.report = folder / "report.json";
    Bench bench({.config = camera_with_filter(), .environment = environment_of(own)});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    const uint64_t before = camera.counter("FramesProcessed");
    bench.client->wait_until("the frames do not come",
                             [&] { return camera.counter("FramesProcessed") >= before + frames; });
    // The filter runs when somebody asks for its picture.
    const FrameReply picture = camera.frame("filtered");
    BYTES_EQUAL(77, picture.bytes().at(picture.planes[0].first));
    LONGS_EQUAL(width * height, camera.histogram().channels.at("Y")[77]);
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    for (const VariantLine& line : camera.variants()) {
        if (played.profile == "gc2000") STRCMP_EQUAL("ep", line.set.c_str());
        CHECK(line.set != "cpu");
    }
    bench.daemon.stop();
    return read_report(own.report);
}

void check_left_nothing(const json& report) {
    for (const auto& [kind, count] : report.at("live").items()) {
        LONGS_EQUAL_TEXT(0, count.get<int>(), kind.c_str());
    }
}

std::string text_of(const json& value) {
    return value.dump();
}

}  // namespace

TEST_GROUP(Layer){};

BUS_TEST(Layer, an_embedded_device_is_served_with_its_own_means) {
    const json report = account_of({.profile = "gc2000", .memory = "pass"}, 50);
    STRCMP_EQUAL("[]", text_of(report.at("calls_beyond_version")).c_str());
    check_left_nothing(report);
    // Nothing that the device refuses is tried twice: what is too large for it, and no more.
    for (const json& refusal : report.at("refusals")) {
        STRCMP_EQUAL("clCreateKernel", refusal.at("place").get<std::string>().c_str());
        STRCMP_CONTAINS("GC2000 has", refusal.at("sentence").get<std::string>().c_str());
    }
}

BUS_TEST(Layer, no_byte_of_a_frame_is_moved) {
    // Checks and proofs move some; frames must not add to it.
    const json few = account_of({.memory = "pass"}, 20);
    const json many = account_of({.memory = "pass"}, 400);
    STRCMP_EQUAL(text_of(few.at("bytes")).c_str(), text_of(many.at("bytes")).c_str());
    CHECK(many.at("launches").at("histogram").get<int>() >
          few.at("launches").at("histogram").get<int>() + 300);
    check_left_nothing(many);
}

BUS_TEST(Layer, a_full_device_may_use_fp) {
    const json report = account_of({.profile = "gc7000l-localmem"}, 50);
    STRCMP_EQUAL("[]", text_of(report.at("calls_beyond_version")).c_str());
    check_left_nothing(report);
}

namespace {

void check_zero_copy(const char* memory, const char* expected) {
    Bench bench(
        {.config = camera_with_filter(), .environment = environment_of({.memory = memory})});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    STRCMP_EQUAL_TEXT(expected, camera.text("ZeroCopy").c_str(), memory);
    STRCMP_EQUAL_TEXT("host_pages", camera.text("Transport").c_str(), memory);
    LONGS_EQUAL(width * height, camera.wait_for_result().channels.at("Y")[77]);
    bench.daemon.stop();
}

}  // namespace

BUS_TEST(Layer, zero_copy_is_what_the_driver_does) {
    check_zero_copy("pass", "proven");
    check_zero_copy("shadow", "proven");  // our memory is whole pages
    check_zero_copy("not-aligned", "proven");
    check_zero_copy("shadow-all", "no");
    check_zero_copy("strict", "no");
}

BUS_TEST(Layer, a_transport_that_cannot_be_proven_costs_a_rung_or_is_the_cameras_error) {
    // Only the proof reads buffers back.
    const auto environment =
        environment_of({.faults = "clEnqueueReadBuffer@*=CL_OUT_OF_RESOURCES"});
    {
        Bench bench({.config = camera_with_filter(), .environment = environment});
        const CameraClient camera = bench.camera();
        camera.wait_for_gpu();
        STRCMP_EQUAL("copy", camera.text("Transport").c_str());
        bench.daemon.stop();
    }
    Bench bench({.config = camera_table({.more = "transport = \"host_pages\"\n"}),
                 .environment = environment});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("failed");
    CHECK(contains(bench.daemon.log(), "transport = \"auto\" takes the next one"));
    expect_error("NotStreaming", "failed", [&] { (void)camera.frame(); });
    bench.daemon.stop();
}

BUS_TEST(Layer, kernels_are_cached_for_the_device_that_they_were_built_for) {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& profile) {
        const std::string report = folder / (profile + ".json");
        const Played played{.profile = profile, .report = report};
        Bench bench({.config = camera_with_filter(),
                     .cache_dir = folder / "cache",
                     .environment = environment_of(played)});
        bench.camera().wait_for_gpu();
        bench.daemon.stop();
        return read_report(report).at("builds");
    };
    CHECK(run("gc2000").at("source").get<int>() > 3);
    const json again = run("gc2000");
    CHECK(again.at("binary").get<int>() > 3);
    // Another device, another key.
    const json other = run("gc7000l");
    LONGS_EQUAL(0, other.at("binary").get<int>());
    CHECK(other.at("source").get<int>() > 3);
}
