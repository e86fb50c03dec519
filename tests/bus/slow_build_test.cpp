// A compiler that takes 20 s a program delays nothing but the GPU.
#include <algorithm>
#include <csignal>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

struct Setup {
    Setup() {
        CHECK_TEXT(daemon.notify().wait_for_part("READY=1", limit(seconds(2))),
                   "not ready within 2 s");
        client.emplace(bus.address());
    }
    [[nodiscard]] CameraClient camera() { return {*client, "front"}; }

    TemporaryFolder folder;
    PrivateBus bus{folder};
    // A cache of its own: loading a binary is a build too, but one that drivers do quickly.
    Daemon daemon{folder,
                  bus.address(),
                  {.config = camera_table({.rate = 100}),
                   .cache_dir = (folder / "cache").string(),
                   .environment = {{"OPENCL_LAYERS", GLINT_SLOW_BUILD_LAYER},
                                   {"GLINT_TEST_BUILD_DELAY_MS", "20000"}}}};
    std::optional<Client> client;
};

}  // namespace

TEST_GROUP(SlowBuild){};

BUS_TEST(SlowBuild, ready_serving_and_quick_to_answer_and_to_stop) {
    Setup s;
    const CameraClient camera = s.camera();
    camera.wait_for_state("streaming");
    const HistogramReply first = camera.wait_for_result();
    LONGS_EQUAL(240, first.channels.at("Y")[255]);
    STRCMP_EQUAL("", s.client->text(manager_path, manager_interface, "GpuName").c_str());
    STRCMP_EQUAL("none", s.client->text(manager_path, manager_interface, "GpuProfile").c_str());
    CHECK(!camera.variants().empty());
    for (const VariantLine& line : camera.variants()) {
        STRCMP_EQUAL("cpu", line.variant.c_str());
        STRCMP_EQUAL("cpu", line.set.c_str());
        STRCMP_EQUAL("fallback", line.source.c_str());
        STRCMP_CONTAINS("being built", line.reason.c_str());
    }
    STRCMP_EQUAL("host_pages", camera.text("Transport").c_str());
    STRCMP_EQUAL("no", camera.text("ZeroCopy").c_str());
    CHECK(s.daemon.notify().wait_for_part("STATUS=1 of 1 cameras streaming", seconds(2)));

    milliseconds slowest{0};
    for (int i = 0; i < 200; ++i) {
        const milliseconds start = now();
        (void)camera.text("State");
        slowest = std::max(slowest, now() - start);
    }
    CHECK_TEXT(slowest < limit(milliseconds(100)),
               fmt::format("a property took {} ms", slowest.count()).c_str());
    // For a second more: without the layer the kernels would have been there long ago.
    s.client->wait_until("the CPU does not go on",
                         [&] { return camera.counter("FramesProcessed") > 100; });
    CHECK(camera.histogram().sequence > first.sequence);
    STRCMP_EQUAL("cpu", camera.histogram_set().c_str());

    const milliseconds took = s.daemon.stop();
    CHECK_TEXT(took <= limit(seconds(1)), fmt::format("took {} ms", took.count()).c_str());
}

BUS_TEST(SlowBuild, stop_and_start_do_not_wait_for_it) {
    Setup s;
    const CameraClient camera = s.camera();
    const milliseconds start = now();
    for (int i = 0; i < 3; ++i) {
        camera.stop();
        camera.start();
        camera.wait_for_result();
    }
    CHECK(now() - start < limit(seconds(3)));
    STRCMP_EQUAL("cpu", camera.histogram_set().c_str());
    // Asking again for a GPU that is on its way changes nothing.
    s.client->call(manager_path, manager_interface, "RetryGpu");
    STRCMP_EQUAL("streaming", camera.text("State").c_str());
    const milliseconds took = s.daemon.stop();
    CHECK_TEXT(took <= limit(seconds(1)), fmt::format("took {} ms", took.count()).c_str());
}
