// The camera that the CPU has served goes on with the GPU, and no frame is copied on the way there.
#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uint32_t width = 1920;
constexpr uint32_t height = 1080;

std::string big_camera(const char* transport) {
    return camera_table({.source = "test:flat:77",
                         .width = width,
                         .height = height,
                         .rate = 1000,
                         .more = fmt::format("transport = \"{}\"\n", transport)});
}

void check_picture(const CameraClient& camera) {
    LONGS_EQUAL(width * height, camera.wait_for_result().channels.at("Y")[77]);
}

/// What has changed after at least `frames` more of them.
std::map<std::string, uint64_t> difference(Bench& bench, const CameraClient& camera,
                                           uint64_t frames) {
    const auto before = camera.counters();
    std::map<std::string, uint64_t> after;
    bench.client->wait_until(
        "the frames do not come",
        [&] {
            after = camera.counters();
            return after.at("FramesProcessed") >= before.at("FramesProcessed") + frames;
        },
        seconds(60));
    for (auto& [name, value] : after) value -= before.at(name);
    return after;
}

}  // namespace

TEST_GROUP(Takeover){};

BUS_TEST(Takeover, a_thousand_frames_without_a_copy) {
    Bench bench({.config = big_camera("auto")});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    STRCMP_EQUAL("host_pages", camera.text("Transport").c_str());
    STRCMP_EQUAL(device_under_test().zero_copy.c_str(), camera.text("ZeroCopy").c_str());
    CHECK(!bench.manager_text("GpuName").empty());
    CHECK(!bench.manager_text("GpuDriver").empty());
    STRCMP_EQUAL(device_under_test().profile.c_str(), bench.manager_text("GpuProfile").c_str());
    const auto change = difference(bench, camera, 1000);
    LONGS_EQUAL(0, camera.counter("BytesCopied"));
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    LONGS_EQUAL(0, camera.counter("FramesCorrupt"));
    // Nothing is lost without being counted; up to two frames are on their way at either end.
    const uint64_t accounted = change.at("FramesProcessed") + change.at("FramesDropped");
    CHECK(accounted + 5 >= change.at("FramesCaptured"));
    CHECK(accounted <= change.at("FramesCaptured") + 5);
    check_picture(camera);
    bench.daemon.stop();
}

BUS_TEST(Takeover, the_copy_transport_counts_what_it_copies) {
    Bench bench({.config = big_camera("copy")});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    STRCMP_EQUAL("copy", camera.text("Transport").c_str());
    STRCMP_EQUAL("no", camera.text("ZeroCopy").c_str());
    const auto change = difference(bench, camera, 100);
    LONGS_EQUAL(change.at("FramesProcessed") * camera.number("StrideBytes") * height,
                change.at("BytesCopied"));
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    check_picture(camera);
    bench.daemon.stop();
}

BUS_TEST(Takeover, counters_go_on_and_both_ways_work) {
    Bench bench({.config = camera_table({.source = "test:checker", .rate = 200})});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    uint64_t processed = camera.counter("FramesProcessed");
    for (int i = 0; i < 3; ++i) {
        bench.client->call(manager_path, manager_interface, "RetryGpu");
        camera.wait_for_gpu();
        const uint64_t more = camera.counter("FramesProcessed");
        CHECK(more > processed);
        processed = more;
    }
    LONGS_EQUAL(320 * 240 / 2, camera.wait_for_result().channels.at("Y")[32]);
    LONGS_EQUAL(0, camera.counter("BytesCopied"));
    bench.daemon.stop();
}

BUS_TEST(Takeover, whoever_waits_for_a_frame_gets_one) {
    Bench bench({.config = camera_table({.source = "test:checker", .rate = 4})});
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    std::string answer;
    bench.client->send_async(camera.new_call("GetFrame").append("s", "raw"),
                             [&](const Message& reply) {
                                 const sd_bus_error* error = sd_bus_message_get_error(reply.get());
                                 answer = error != nullptr ? error->name : "frame";
                             });
    bench.client->call(manager_path, manager_interface, "RetryGpu");
    bench.client->wait_until("no answer", [&] { return !answer.empty(); });
    STRCMP_EQUAL("frame", answer.c_str());
    bench.daemon.stop();
}

BUS_TEST(Takeover, stop_and_start_in_the_middle_of_it) {
    Bench bench({.config = camera_table({.source = "test:checker", .rate = 200})});
    const CameraClient camera = bench.camera();
    for (int i = 0; i < 10; ++i) {
        bench.client->call(manager_path, manager_interface, "RetryGpu");
        camera.stop();
        STRCMP_EQUAL("idle", camera.text("State").c_str());
        camera.start();
        STRCMP_EQUAL("streaming", camera.text("State").c_str());
    }
    camera.wait_for_gpu();
    LONGS_EQUAL(320 * 240 / 2, camera.wait_for_result().channels.at("Y")[32]);
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    bench.daemon.stop();
}
