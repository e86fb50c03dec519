// Clients that only write, and listeners that never read, cost neither memory nor other clients.
#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr size_t most_growth_kib = size_t{64} * 1024;
constexpr milliseconds patience = limit(milliseconds(300));

const DaemonOptions fast_camera{.config = talkative_camera(), .gpu = on_cpu};

void send_flood(Client& client, int calls) {
    const CameraClient camera(client, "front");
    for (int i = 0; i < calls; ++i) {
        const Message call = camera.new_call("GetHistogram");
        call.append("s", "frame");
        check(sd_bus_send(client.get(), call.get(), nullptr), "cannot send a call");
        if (i % 100 == 99) client.flush();
    }
    client.flush();
}

void check_growth(const Bench& bench, size_t before) {
    const size_t after = resident_kib(bench.daemon.pid());
    CHECK_TEXT(after < before + most_growth_kib,
               fmt::format("{} KiB -> {} KiB", before, after).c_str());
}

}  // namespace

TEST_GROUP(Flood){};

BUS_TEST(Flood, twenty_thousand_calls_without_reading) {
    Bench bench(fast_camera);
    const CameraClient camera = bench.camera();
    camera.wait_for_result();
    const size_t before = resident_kib(bench.daemon.pid());
    Client writer(bench.bus.address());
    milliseconds slowest{0};
    for (int round = 0; round < 20; ++round) {
        send_flood(writer, 1000);
        const milliseconds start = now();
        LONGS_EQUAL(64, camera.histogram().channels.at("G")[0]);
        slowest = std::max(slowest, now() - start);
    }
    CHECK_TEXT(slowest < limit(seconds(2)), fmt::format("{} ms", slowest.count()).c_str());
    check_growth(bench, before);
    bench.daemon.stop();
}

BUS_TEST(Flood, a_listener_that_never_reads) {
    // What waits for one client is limited below what the service may have under way, as it is on a
    // system bus long before memory runs out.
    Bench bench(fast_camera, {.limits = {{"max_outgoing_bytes", 256 * 1024}}});
    const CameraClient camera = bench.camera();
    camera.wait_for_result();
    Client deaf(bench.bus.address());
    const auto listening =
        deaf.on_signal(camera.path(), camera_interface, "Histogram", [](const Message&) {});
    const auto listening_too =
        deaf.on_signal(camera.path(), camera_interface, "Measured", [](const Message&) {});
    const size_t before = resident_kib(bench.daemon.pid());
    // Some 12 KB a frame: the limit is passed many times over.
    const uint64_t processed = camera.counter("FramesProcessed");
    bench.client->wait_until("others are not served",
                             [&] { return camera.counter("FramesProcessed") >= processed + 2000; });
    LONGS_EQUAL(3, camera.histogram().channels.size());
    check_growth(bench, before);
    bench.daemon.stop();
}

BUS_TEST(Flood, a_bus_that_stops_reading_has_frames_merged) {
    Bench bench(fast_camera, {.limits = {{"max_incoming_bytes", 256 * 1024}}});
    const CameraClient camera = bench.camera();
    camera.wait_for_result();
    const size_t before = resident_kib(bench.daemon.pid());
    const auto counters_before = camera.counters();
    {
        Client deaf(bench.bus.address());
        const auto listening =
            deaf.on_signal(camera.path(), camera_interface, "Histogram", [](const Message&) {});
        // While the bus does not read, the service cannot answer; it goes on measuring.
        CHECK_TEXT(wait_for(seconds(20), [&] { return !bench.client->answered_within(patience); }),
                   "the bus goes on reading");
        // The kernel holds 8 MB for the service; its own queue grows after that.
        const milliseconds end = now() + seconds(2);
        wait_for(seconds(3), [&] { return now() >= end; });
        check_growth(bench, before);
    }
    // The listener has gone, and all goes on.
    const auto counters = camera.counters();
    CHECK(counters.at("FramesMerged") > counters_before.at("FramesMerged"));
    CHECK(counters.at("FramesProcessed") > counters_before.at("FramesProcessed") + 500);
    camera.wait_for_result();
    bool heard = false;
    const auto listening = bench.client->on_signal(camera.path(), camera_interface, "Measured",
                                                   [&](const Message&) { heard = true; });
    bench.client->wait_until("signals do not come back", [&] { return heard; });
    check_growth(bench, before);
    bench.daemon.stop();
}

BUS_TEST(Flood, a_listener_that_never_reads_does_not_silence_the_service) {
    // Both limits are the same, as dbus-daemon has them unless told otherwise (127 MiB): then it
    // stops reading from the service before it drops what waits for the listener. The service must
    // find a way out: a connection that serves again, or an end, upon which it is started again.
    constexpr uint64_t both = 1024 * 1024;
    Bench bench(fast_camera,
                {.limits = {{"max_incoming_bytes", both}, {"max_outgoing_bytes", both}}});
    bench.camera().wait_for_result();
    Client deaf(bench.bus.address());
    const auto listening =
        deaf.on_signal(bench.camera().path(), camera_interface, "Histogram", [](const Message&) {});
    CHECK_TEXT(wait_for(seconds(10), [&] { return !bench.client->answered_within(patience); }),
               "the bus goes on reading");
    const bool found = wait_for(seconds(15), [&] {
        return !bench.daemon.process().running() || bench.client->answered_within(patience);
    });
    CHECK_TEXT(found, "one deaf listener keeps everybody else from the service");
}

BUS_TEST(Flood, results_within_the_interval_are_merged) {
    Bench bench({.config = camera_table({.rate = 200, .more = "publish_interval_ms = 200\n"}),
                 .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_result();
    size_t signals = 0;
    const auto listening = bench.client->on_signal(camera.path(), camera_interface, "Measured",
                                                   [&](const Message&) { ++signals; });
    const auto before = camera.counters();
    const milliseconds start = now();
    bench.client->wait_until("no signals", [&] { return signals >= 5; });
    const milliseconds took = now() - start;
    const auto after = camera.counters();
    CHECK_TEXT(took >= milliseconds(700), "too often");
    const uint64_t processed = after.at("FramesProcessed") - before.at("FramesProcessed");
    const uint64_t merged = after.at("FramesMerged") - before.at("FramesMerged");
    // Every result is either signalled or merged.
    CHECK(merged + signals <= processed + 1);
    CHECK(merged + signals + 1 >= processed);
    bench.daemon.stop();
}
