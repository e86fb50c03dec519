// Cameras come, go and fail; nothing is left behind.
#include <algorithm>
#include <set>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

struct Changes {
    std::vector<std::string> states;
    std::set<std::string> properties;
};

/// What PropertiesChanged tells.
[[nodiscard]] Subscription record(Bench& bench, const CameraClient& camera, Changes& changes) {
    return bench.client->on_signal(
        camera.path(), properties_interface, "PropertiesChanged", [&](const Message& signal) {
            const char* text = nullptr;
            signal.read("s", &text);
            signal.enter(SD_BUS_TYPE_ARRAY, "{sv}");
            while (signal.enter(SD_BUS_TYPE_DICT_ENTRY, "sv")) {
                signal.read("s", &text);
                changes.properties.insert(text);
                if (text == std::string_view("State")) {
                    signal.read("v", "s", &text);
                    std::vector<std::string>& states = changes.states;
                    if (states.empty() || states.back() != text) states.emplace_back(text);
                } else {
                    check(sd_bus_message_skip(signal.get(), "v"), "PropertiesChanged");
                }
                signal.exit();
            }
        });
}

struct Size {
    size_t fds, maps, kib;
};

Size size_of(Bench& bench) {
    const pid_t pid = bench.daemon.pid();
    return {fd_count(pid), map_count(pid), resident_kib(pid)};
}

void check_cycles(const std::string& gpu) {
    Bench bench({.config = camera_table({.width = 640, .height = 480}), .gpu = gpu});
    const CameraClient camera = bench.camera();
    const bool with_gpu = gpu.empty();
    if (with_gpu) camera.wait_for_gpu();
    const auto cycles = [&](int count) {
        for (int i = 0; i < count; ++i) {
            camera.stop();
            STRCMP_EQUAL("idle", camera.text("State").c_str());
            camera.start();
            STRCMP_EQUAL("streaming", camera.text("State").c_str());
            const uint64_t before = camera.counter("FramesProcessed");
            bench.client->wait_until("no frame after a start",
                                     [&] { return camera.counter("FramesProcessed") > before; });
        }
    };
    cycles(5);  // allocators and drivers settle
    const Size before = size_of(bench);
    cycles(20);
    const Size after = size_of(bench);
    LONGS_EQUAL(before.fds, after.fds);
    const std::string sizes =
        fmt::format("maps {} -> {}, KiB {} -> {}", before.maps, after.maps, before.kib, after.kib);
    CHECK_TEXT(after.maps < before.maps + 20, sizes.c_str());
    constexpr size_t growth_kib = sanitized ? 64 * 1024 : 8 * 1024;
    CHECK_TEXT(after.kib < before.kib + growth_kib, sizes.c_str());
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    if (with_gpu) CHECK(camera.histogram_set() != "cpu");
    bench.daemon.stop();
}

}  // namespace

TEST_GROUP(Lifecycle){};

BUS_TEST(Lifecycle, a_missing_file_is_an_absent_camera) {
    Bench bench(
        {.config = "[camera.gone]\nsource = \"file:/nonexistent/clip.y4m\"\n" + camera_table({}),
         .gpu = on_cpu});
    const CameraClient gone = bench.camera("gone");
    gone.wait_for_state("absent");
    std::string failure_name;
    std::string failure_text;
    Changes changes;
    const std::vector<std::string>& states = changes.states;
    const auto recording = record(bench, gone, changes);
    const auto listening = bench.client->on_signal(gone.path(), camera_interface, "Failed",
                                                   [&](const Message& signal) {
                                                       const char* name = nullptr;
                                                       const char* text = nullptr;
                                                       signal.read("ss", &name, &text);
                                                       failure_name = name;
                                                       failure_text = text;
                                                   });
    expect_error("CameraAbsent", "/nonexistent/clip.y4m", [&] { gone.start(); });
    bench.client->wait_until("no Failed signal", [&] { return !failure_name.empty(); });
    STRCMP_EQUAL("org.glintd1.Error.CameraAbsent", failure_name.c_str());
    STRCMP_CONTAINS("/nonexistent/clip.y4m", failure_text.c_str());
    STRCMP_EQUAL("absent", gone.text("State").c_str());
    bench.client->wait_until("no change of State is signalled",
                             [&] { return !states.empty() && states.back() == "absent"; });
    expect_error("NotStreaming", "gone is absent", [&] { (void)gone.histogram(); });
    expect_error("NotStreaming", "gone is absent", [&] { (void)gone.frame(); });
    // The other one does not care.
    bench.camera().wait_for_result();
    bench.daemon.stop();
}

BUS_TEST(Lifecycle, a_file_that_appears_can_be_started) {
    const TemporaryFolder pictures;
    const std::string file = (pictures / "late.pgm").string();
    Bench bench({.config = fmt::format("[camera.front]\nsource = \"file:{}\"\nrate = 20\n", file),
                 .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("absent");
    write_file(file, "P5\n16 4\n255\n" + std::string(64, '\x40'));
    camera.start();
    STRCMP_EQUAL("streaming", camera.text("State").c_str());
    const HistogramReply reply = camera.wait_for_result();
    LONGS_EQUAL(64, reply.channels.at("Y")[0x40]);
    LONGS_EQUAL(16, camera.number("Width"));
    LONGS_EQUAL(4, camera.number("Height"));
    bench.daemon.stop();
}

BUS_TEST(Lifecycle, state_changes_are_signalled) {
    Bench bench({.config = camera_table({}), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    Changes changes;
    const std::vector<std::string>& states = changes.states;
    const auto recording = record(bench, camera, changes);
    camera.stop();
    bench.client->wait_until("idle is not signalled",
                             [&] { return !states.empty() && states.back() == "idle"; });
    camera.start();
    bench.client->wait_until("streaming is not signalled",
                             [&] { return states.back() == "streaming"; });
    CHECK(std::find(states.begin(), states.end(), "starting") != states.end());
    // Both do nothing the second time.
    camera.start();
    camera.stop();
    camera.stop();
    STRCMP_EQUAL("idle", camera.text("State").c_str());
    bench.daemon.stop();
}

BUS_TEST(Lifecycle, writable_properties_are_signalled) {
    Bench bench({.config = camera_table({}), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    Changes changes;
    const auto recording = record(bench, camera, changes);
    camera.set_publish_interval(5000);
    LONGS_EQUAL(5000, camera.counter("PublishIntervalUSec"));
    camera.set_published_histograms({});
    bench.client->wait_until(
        "changes are not signalled",
        [&] {
            return changes.properties.contains("PublishIntervalUSec") &&
                   changes.properties.contains("PublishedHistograms");
        },
        seconds(5));
    bench.daemon.stop();
}

BUS_TEST(Lifecycle, published_histograms_forget_regions_that_are_gone) {
    Bench bench({.config = camera_table({}), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.set_regions({{"sky", 0, 0, 8, 8}});
    camera.set_published_histograms({"frame", "sky"});
    Changes changes;
    const auto recording = record(bench, camera, changes);
    camera.set_regions({});
    bench.client->wait_until("the change is not signalled",
                             [&] { return changes.properties.contains("PublishedHistograms"); });
    // A region of that name that comes back is not published before it is asked for.
    camera.set_regions({{"sky", 0, 0, 8, 8}});
    size_t of_sky = 0;
    size_t of_frame = 0;
    const auto listening = bench.client->on_signal(
        camera.path(), camera_interface, "Histogram", [&](const Message& signal) {
            uint64_t sequence = 0;
            uint64_t timestamp = 0;
            uint32_t generation = 0;
            const char* region = nullptr;
            sd_bus_message_read(signal.get(), "ttus", &sequence, &timestamp, &generation, &region);
            ++(std::string_view(region) == "sky" ? of_sky : of_frame);
        });
    bench.client->wait_until("no histograms", [&] { return of_frame >= 3; });
    LONGS_EQUAL(0, of_sky);
    bench.daemon.stop();
}

BUS_TEST(Lifecycle, stop_answers_whoever_waits_for_a_frame) {
    constexpr size_t most_waiting = 64;
    Bench bench({.config = camera_table({.rate = 0.05}), .gpu = on_cpu});
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    std::map<std::string, size_t> answers;
    for (size_t i = 0; i < most_waiting + 1; ++i) {
        bench.client->send_async(
            camera.new_call("GetFrame").append("s", "raw"), [&](const Message& reply) {
                const sd_bus_error* error = sd_bus_message_get_error(reply.get());
                ++answers[error != nullptr ? error->name : "frame"];
            });
    }
    bench.client->wait_until("the 65th caller is not refused", [&] { return !answers.empty(); });
    LONGS_EQUAL(1, answers["org.freedesktop.DBus.Error.LimitsExceeded"]);
    camera.stop();
    bench.client->wait_until("waiting callers get no answer", [&] {
        return answers["org.glintd1.Error.NotStreaming"] == most_waiting;
    });
    STRCMP_EQUAL("idle", camera.text("State").c_str());
    bench.daemon.stop();
}

BUS_TEST(Lifecycle, cycles_on_the_cpu_leave_nothing) {
    check_cycles(on_cpu);
}

BUS_TEST(Lifecycle, cycles_on_the_gpu_leave_nothing) {
    check_cycles("");
}
