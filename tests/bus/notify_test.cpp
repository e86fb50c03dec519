// What the service manager is told.
#include <csignal>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

/// The first message that holds `part`.
std::string message_with(const NotifySocket& notify, std::string_view part) {
    for (const std::string& message : notify.messages()) {
        if (contains(message, part)) return message;
    }
    return {};
}

}  // namespace

TEST_GROUP(Notify){};

BUS_TEST(Notify, ready_once_and_stopping_at_the_end) {
    Bench bench({.config = camera_table({})});
    bench.camera().wait_for_gpu();
    CHECK(bench.daemon.notify().wait_for_part("; on ", seconds(10)));
    const bool told =
        bench.daemon.notify().wait_for_part("STATUS=1 of 1 cameras streaming; on ", seconds(2));
    bench.daemon.stop();
    CHECK(bench.daemon.notify().wait_for_part("STOPPING=1", seconds(1)));
    LONGS_EQUAL(1, bench.daemon.notify().count("READY=1"));
    LONGS_EQUAL(1, bench.daemon.notify().count("STOPPING=1"));
    LONGS_EQUAL(0, bench.daemon.notify().count("WATCHDOG=1"));
    STRCMP_CONTAINS("STATUS=stopping", message_with(bench.daemon.notify(), "STOPPING=1").c_str());
    CHECK_TEXT(told, "the status never says that the camera streams on the GPU");
}

BUS_TEST(Notify, ready_means_that_cameras_have_settled) {
    Bench bench({.config = camera_table({}) + camera_table({.name = "rear"}) +
                           "[camera.gone]\nsource = \"file:/nonexistent.pgm\"\n"});
    STRCMP_CONTAINS("STATUS=2 of 3 cameras streaming",
                    message_with(bench.daemon.notify(), "READY=1").c_str());
    bench.daemon.stop();
}

BUS_TEST(Notify, ready_on_the_cpu_means_that_cameras_have_settled) {
    Bench bench({.config = camera_table({}), .gpu = on_cpu});
    STRCMP_CONTAINS("STATUS=1 of 1 cameras streaming; the CPU measures: ",
                    message_with(bench.daemon.notify(), "READY=1").c_str());
    bench.daemon.stop();
}

BUS_TEST(Notify, the_status_follows_the_cameras) {
    Bench bench({.config = camera_table({}), .gpu = on_cpu});
    NotifySocket& notify = bench.daemon.notify();
    CHECK(notify.wait_for_part("STATUS=1 of 1 cameras", seconds(2)));
    const size_t before = notify.count("STATUS=0 of 1 cameras");
    bench.camera().stop();
    CHECK_TEXT(notify.wait_for_part("STATUS=0 of 1 cameras", seconds(2), before),
               "the status does not follow");
    bench.daemon.stop();
}

BUS_TEST(Notify, ready_without_a_camera) {
    Bench bench({.config = "", .gpu = on_cpu});
    STRCMP_CONTAINS("STATUS=0 of 0 cameras",
                    message_with(bench.daemon.notify(), "READY=1").c_str());
    bench.daemon.stop();
    CHECK(contains(bench.daemon.log(), "no camera is configured"));
}

BUS_TEST(Notify, the_watchdog_is_fed) {
    Bench bench({.config = camera_table({}),
                 .gpu = on_cpu,
                 .environment = {{"WATCHDOG_USEC", "150000"}, {"WATCHDOG_PID", "@"}}});
    NotifySocket& notify = bench.daemon.notify();
    const milliseconds start = now();
    const bool fed = notify.wait_for_part("WATCHDOG=1", limit(seconds(5)), 9);
    const milliseconds took = now() - start;
    CHECK(fed);
    // A third of the time each.
    CHECK_TEXT(took <= limit(milliseconds(10 * 100)), "too rarely");
    CHECK_TEXT(took >= milliseconds(8 * 30), "too often");
    bench.daemon.stop();
}

BUS_TEST(Notify, the_watchdog_of_another_process_is_not) {
    Bench bench({.config = camera_table({}),
                 .gpu = on_cpu,
                 .environment = {{"WATCHDOG_USEC", "150000"}, {"WATCHDOG_PID", "1"}}});
    bench.camera().wait_for_result();
    bench.daemon.stop();
    CHECK(bench.daemon.notify().wait_for_part("STOPPING=1", seconds(1)));
    LONGS_EQUAL(0, bench.daemon.notify().count("WATCHDOG=1"));
}
