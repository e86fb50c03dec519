// Another configuration at run time: what changed is made anew, everything else goes on.
#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr const char* object_manager = "org.freedesktop.DBus.ObjectManager";

/// The daemon's own file, with its [gpu] table, and other tables after that.
void rewrite(const Bench& bench, const std::string& tables, const std::string& gpu = on_cpu) {
    write_file(bench.folder / "glintd.toml",
               fmt::format("[gpu]\ncache_dir = \"{}\"\ntuning_file = \"{}\"\n{}\n{}\n",
                           (shared_cache() / "glintd").string(),
                           (bench.folder / "no-tuning.toml").string(), gpu, tables));
}

void reload(const Bench& bench) {
    bench.client->call(manager_path, manager_interface, "Reload");
}

std::string left(const std::string& more = "") {
    return camera_table({.name = "left", .rate = 100, .more = more});
}

std::string right() {
    return camera_table({.name = "right", .rate = 100});
}

}  // namespace

TEST_GROUP(Reload){};

BUS_TEST(Reload, a_changed_camera_is_made_anew_and_the_other_loses_no_frame) {
    Bench bench({.config = left() + right(), .gpu = on_cpu});
    const CameraClient other = bench.camera("right");
    other.wait_for_result();
    bench.camera("left").wait_for_result();
    size_t changes = 0;
    const auto watch =
        bench.client->on_signal(other.path(), properties_interface, "PropertiesChanged",
                                [&](const Message&) { ++changes; });
    const auto before = other.counters();
    rewrite(bench,
            camera_table({.name = "left", .format = "Y10 ", .rate = 100, .more = "bins = 1024\n"}) +
                right());
    reload(bench);
    bench.camera("left").wait_for_state("streaming");
    const HistogramReply result = bench.camera("left").wait_for_result();
    LONGS_EQUAL(1024, result.channels.at("Y").size());
    bench.client->wait_until("ten more frames of the other camera", [&] {
        return other.counter("FramesProcessed") > before.at("FramesProcessed") + 10;
    });
    const auto after = other.counters();
    for (const char* name : {"FramesLost", "FramesCorrupt", "ResultsRejected"}) {
        LONGS_EQUAL_TEXT(before.at(name), after.at(name), name);
    }
    LONGS_EQUAL(0, changes);
    bench.daemon.stop();
}

BUS_TEST(Reload, a_camera_that_could_not_start_does_when_its_table_is_mended) {
    const std::string absent = "[camera.left]\nsource = \"file:/nonexistent/clip.y4m\"\n";
    const std::string refused = left("buffers = 32\n") + "[memory]\nlimit_mib = 1\n";
    for (const auto& [tables, state] :
         {std::pair(absent, "absent"), std::pair(refused, "failed")}) {
        Bench bench({.config = tables, .gpu = on_cpu});
        bench.camera("left").wait_for_state(state);
        CHECK(contains(bench.daemon.log(), "MESSAGE_ID=a441f5f09ed846c9b78f602ab12fceee"));
        rewrite(bench, left());
        reload(bench);
        bench.camera("left").wait_for_result();
        bench.daemon.stop();
    }
}

BUS_TEST(Reload, a_camera_that_was_stopped_and_changed_starts) {
    Bench bench({.config = left(), .gpu = on_cpu});
    bench.camera("left").wait_for_result();
    bench.camera("left").stop();
    rewrite(bench, left("buffers = 4\n"));
    reload(bench);
    bench.camera("left").wait_for_result();
    bench.daemon.stop();
}

BUS_TEST(Reload, a_bad_file_leaves_everything_as_it_is) {
    Bench bench({.config = left() + right(), .gpu = on_cpu});
    bench.camera("left").wait_for_result();
    rewrite(bench, right() + left("buffers = 1\n"));
    expect_error("ConfigInvalid", "buffers = 1: a whole number from 3 to 32 is expected",
                 [&] { reload(bench); });
    expect_error("ConfigInvalid", "glintd.toml:", [&] { reload(bench); });
    rewrite(bench, "[camera");
    expect_error("ConfigInvalid", "the configuration in force stays", [&] { reload(bench); });
    std::filesystem::remove(bench.folder / "glintd.toml");
    expect_error("ConfigInvalid", "No such file", [&] { reload(bench); });
    for (const char* name : {"left", "right"}) {
        STRCMP_EQUAL("streaming", bench.camera(name).text("State").c_str());
    }
    bench.daemon.stop();
}

BUS_TEST(Reload, cameras_come_and_go) {
    Bench bench({.config = left(), .gpu = on_cpu});
    bench.camera("left").wait_for_result();
    std::vector<std::string> said;
    const auto note = [&said](const char* what) {
        return [&said, what](const Message& signal) {
            const char* path = nullptr;
            signal.read("o", &path);
            said.push_back(std::string(what) + " " + path);
        };
    };
    const auto added =
        bench.client->on_signal(manager_path, object_manager, "InterfacesAdded", note("+"));
    const auto removed =
        bench.client->on_signal(manager_path, object_manager, "InterfacesRemoved", note("-"));
    rewrite(bench, right());
    reload(bench);
    bench.camera("right").wait_for_result();
    bench.client->wait_until("both signals", [&] { return said.size() >= 2; });
    STRCMP_EQUAL("- /org/glintd1/camera/left", said.at(0).c_str());
    STRCMP_EQUAL("+ /org/glintd1/camera/right", said.at(1).c_str());
    expect_error("org.freedesktop.DBus.Error.UnknownObject", "",
                 [&] { bench.camera("left").start(); });
    bench.daemon.stop();
}

BUS_TEST(Reload, a_hundred_times_leaves_nothing_behind) {
    Bench bench({.config = left() + right(), .gpu = on_cpu});
    const std::string one = left() + right();
    const std::string two = left("bins = 256\nbuffers = 4\n") + right();
    const auto go = [&](int times) {
        for (int i = 0; i < times; ++i) {
            rewrite(bench, i % 2 == 0 ? two : one);
            reload(bench);
        }
        bench.camera("left").wait_for_result();
    };
    go(10);
    const size_t descriptors = fd_count(bench.daemon.pid());
    go(100);
    CHECK(wait_for(seconds(10), [&] { return fd_count(bench.daemon.pid()) <= descriptors; }));
    STRCMP_EQUAL("streaming", bench.camera("left").text("State").c_str());
    bench.daemon.stop();
}

BUS_TEST(Reload, unchanged_files_change_nothing) {
    Bench bench({.config = left(), .gpu = on_cpu});
    const CameraClient camera = bench.camera("left");
    camera.wait_for_result();
    const uint32_t generation = camera.set_regions({{"sky", 0, 0, 10, 10}});
    reload(bench);
    camera.wait_for_result(generation);
    LONGS_EQUAL(generation, camera.number("Generation"));
    STRCMP_EQUAL("streaming", camera.text("State").c_str());
    bench.daemon.stop();
}

BUS_TEST(Reload, the_gpu_is_given_up_and_taken_up_again) {
    Bench bench({.config = left()});
    bench.camera("left").wait_for_gpu();
    rewrite(bench, left());
    reload(bench);
    bench.client->wait_until("the CPU",
                             [&] { return bench.camera("left").histogram_set() == "cpu"; });
    STRCMP_EQUAL("none", bench.manager_text("GpuProfile").c_str());
    rewrite(bench, left(), "");
    reload(bench);
    bench.camera("left").wait_for_gpu();
    bench.daemon.stop();
}
