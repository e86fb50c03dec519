// What can be wrong at the start, and what is said then.
#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

const std::string front = camera_table({});

void check_ends(Daemon& daemon, int expected, const std::vector<std::string>& parts) {
    const auto code = daemon.process().wait_exit(limit(seconds(5)));
    CHECK_TEXT(code.has_value(), "it does not end");
    LONGS_EQUAL(expected, *code);
    const std::string log = daemon.log();
    for (const std::string& part : parts) STRCMP_CONTAINS(part.c_str(), log.c_str());
    daemon.check_sanitizers();
}

bool degraded(Bench& bench) {
    int value = -1;
    bench.client->get(manager_path, manager_interface, "Degraded", "b").read("b", &value);
    return value != 0;
}

void check_serves_on_gpu(Bench& bench) {
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    LONGS_EQUAL(240, camera.wait_for_result().channels.at("Y")[255]);
    CHECK(!bench.manager_text("GpuName").empty());
    CHECK(!degraded(bench));
}

void check_serves_on_cpu(Bench& bench) {
    const CameraClient camera = bench.camera();
    camera.wait_for_state("streaming");
    LONGS_EQUAL(240, camera.wait_for_result().channels.at("Y")[255]);
    STRCMP_EQUAL("cpu", camera.histogram_set().c_str());
    STRCMP_EQUAL("", bench.manager_text("GpuName").c_str());
    STRCMP_EQUAL("", bench.manager_text("GpuDriver").c_str());
    STRCMP_EQUAL("none", bench.manager_text("GpuProfile").c_str());
}

/// Damages every entry, each in another way.
size_t damage_cache(const std::filesystem::path& folder) {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".clbin") continue;
        std::string bytes = read_file(entry.path());
        const size_t places[] = {0, 20, bytes.size() / 2, bytes.size() - 1};
        switch (count % 6) {
            case 4:
                bytes.resize(bytes.size() / 2);
                break;
            case 5:
                bytes.clear();
                break;
            default:
                bytes[places[count % 6]] = static_cast<char>(~bytes[places[count % 6]]);
                break;
        }
        write_file(entry.path(), bytes);
        ++count;
    }
    return count;
}

}  // namespace

TEST_GROUP(StartUp){};

BUS_TEST(StartUp, without_a_bus) {
    const TemporaryFolder folder;
    Daemon daemon(folder, "unix:path=/nonexistent/bus", {.config = front, .gpu = on_cpu});
    check_ends(daemon, 1, {"cannot connect to the system bus at unix:path=/nonexistent/bus"});
}

BUS_TEST(StartUp, a_second_one_on_the_same_bus) {
    Bench bench({.config = front, .gpu = on_cpu});
    Daemon second(bench.folder, bench.bus.address(), {.config = front, .gpu = on_cpu}, "second");
    check_ends(second, 1, {"org.glintd1 is taken", "another glintd"});
    bench.camera().wait_for_result();
    LONGS_EQUAL(0, second.notify().count("READY=1"));
    bench.daemon.stop();
}

BUS_TEST(StartUp, a_bus_that_does_not_allow_the_name) {
    const TemporaryFolder folder;
    const PrivateBus bus(folder, {.policy = false});
    Daemon daemon(folder, bus.address(), {.config = front, .gpu = on_cpu});
    check_ends(daemon, 1, {fmt::format("user {}", ::geteuid()), "org.glintd1", "org.glintd1.conf"});
}

BUS_TEST(StartUp, a_bad_configuration) {
    const TemporaryFolder folder;
    const PrivateBus bus(folder);
    const std::pair<const char*, const char*> bad[] = {
        {"[camera.front]\nsource = \"test:plaid\"\n", "test:plaid"},
        {"[camera.front]\n", "source"},
        {"[camera.Front]\nsource = \"test:noise\"\n", "[a-z][a-z0-9_]{0,31}"},
        {"[camera.front]\nsource = \"test:noise\"\nformat = \"XXXX\"\n", "XXXX"},
        {"[memory]\nlimit_mib = 0\n", "limit_mib"},
        {"this is not TOML", ":"}};
    int number = 0;
    for (const auto& [config, part] : bad) {
        Daemon daemon(folder, bus.address(), {.config = config, .gpu = on_cpu},
                      fmt::format("bad{}", number++));
        check_ends(daemon, 78, {part, fmt::format("bad{}.toml", number - 1)});
    }
    LONGS_EQUAL(6, number);
}

BUS_TEST(StartUp, command_line) {
    const TemporaryFolder folder;
    const std::string good = (folder / "good.toml").string();
    const std::string bad = (folder / "bad.toml").string();
    const std::string odd = (folder / "odd.toml").string();
    write_file(good, front);
    write_file(bad, "[camera.front]\nsource = \"test:noise\"\nwidth = 0\n");
    write_file(odd, front + "[camera.front.shape]\nround = true\n");
    const RunResult in_order = run_program({GLINT_GLINTD, "--check-config", good});
    LONGS_EQUAL(0, in_order.code);
    STRCMP_CONTAINS("in order", in_order.output.c_str());
    const RunResult refused = run_program({GLINT_GLINTD, "--check-config", bad});
    LONGS_EQUAL(78, refused.code);
    STRCMP_CONTAINS((bad + ":3:").c_str(), refused.errors.c_str());
    STRCMP_CONTAINS("width", refused.errors.c_str());
    const RunResult missing = run_program({GLINT_GLINTD, "--check-config", "/nonexistent.toml"});
    LONGS_EQUAL(78, missing.code);
    STRCMP_CONTAINS("/nonexistent.toml", missing.errors.c_str());
    const RunResult warned = run_program({GLINT_GLINTD, "--check-config", odd});
    LONGS_EQUAL(0, warned.code);
    STRCMP_CONTAINS("shape", warned.errors.c_str());
    const RunResult shipped = run_program(
        {GLINT_GLINTD, "--check-config", std::string(GLINT_SOURCE_DIR) + "/systemd/glintd.toml"});
    LONGS_EQUAL(0, shipped.code);
    STRCMP_EQUAL("", shipped.errors.c_str());
    const RunResult version = run_program({GLINT_GLINTD, "--version"});
    LONGS_EQUAL(0, version.code);
    STRCMP_EQUAL(GLINT_VERSION "\n", version.output.c_str());
    CHECK(run_program({GLINT_GLINTD, "--nonsense"}).code != 0);
}

BUS_TEST(StartUp, without_a_driver) {
    const TemporaryFolder vendors;
    Bench bench(
        {.config = front, .environment = {{"OCL_ICD_VENDORS", vendors.path().string() + "/"}}});
    bench.client->wait_until("it goes on looking for a GPU", [&] {
        return contains(bench.daemon.log(), "no OpenCL device matches");
    });
    check_serves_on_cpu(bench);
    CHECK(!degraded(bench));
    STRCMP_EQUAL("", bench.manager_text("DegradedReason").c_str());
    STRCMP_CONTAINS("no OpenCL device", bench.camera().variants().front().reason.c_str());
    bench.client->call(manager_path, manager_interface, "RetryGpu");
    bench.camera().wait_for_result();
    bench.daemon.stop();
}

BUS_TEST(StartUp, what_the_driver_lacks_is_named_in_one_line) {
    const TemporaryFolder vendors;
    const auto line_with = [](const Daemon& daemon, std::string_view part) {
        std::string found;
        std::istringstream log(daemon.log());
        for (std::string line; std::getline(log, line);) {
            if (contains(line, part)) found = line;
        }
        return found;
    };
    const DaemonOptions options{
        .config = front, .environment = {{"OCL_ICD_VENDORS", vendors.path().string() + "/"}}};
    {
        Bench bench(options);
        bench.client->wait_until("no file", [&] {
            return contains(line_with(bench.daemon, "no .icd file"), "libopencl-imx");
        });
        bench.daemon.stop();
    }
    write_file(vendors / "vendor.icd", "libNoSuchDriver.so.1\n");
    Bench bench(options);
    bench.client->wait_until("no library", [&] {
        const std::string line = line_with(bench.daemon, "libNoSuchDriver.so.1");
        return contains(line, "vendor.icd") && contains(line, "cannot be loaded");
    });
    check_serves_on_cpu(bench);
    bench.daemon.stop();
}

BUS_TEST(StartUp, without_the_gpu_that_was_asked_for) {
    Bench bench({.config = front, .gpu = "device = \"No such GPU*\""});
    bench.client->wait_until("it is not degraded", [&] { return degraded(bench); });
    STRCMP_CONTAINS("No such GPU*", bench.manager_text("DegradedReason").c_str());
    check_serves_on_cpu(bench);
    bench.daemon.stop();
}

BUS_TEST(StartUp, a_cache_that_cannot_be_written) {
    const TemporaryFolder folder;
    write_file(folder / "file", "in the way");
    Bench bench({.config = front, .cache_dir = (folder / "file" / "cache").string()});
    check_serves_on_gpu(bench);
    STRCMP_CONTAINS("cannot write the program cache", bench.daemon.log().c_str());
    bench.daemon.stop();
}

BUS_TEST(StartUp, a_damaged_cache) {
    const TemporaryFolder folder;
    const std::filesystem::path cache = folder / "cache";
    const DaemonOptions options{.config = front, .cache_dir = cache.string()};
    {
        Bench fill(options);
        check_serves_on_gpu(fill);
        fill.daemon.stop();
    }
    const size_t damaged = damage_cache(cache);
    CHECK(damaged > 0);
    {
        Bench bench(options);
        check_serves_on_gpu(bench);
        bench.daemon.stop();
    }
    // Every entry has been written anew.
    size_t whole = 0;
    for (const auto& entry : std::filesystem::directory_iterator(cache)) {
        if (read_file(entry.path()).starts_with("glintd program 1\n")) ++whole;
    }
    LONGS_EQUAL(damaged, whole);
    Bench again(options);
    check_serves_on_gpu(again);
    again.daemon.stop();
}

BUS_TEST(StartUp, on_the_cpu_by_configuration) {
    Bench bench({.config = front, .gpu = on_cpu});
    check_serves_on_cpu(bench);
    CHECK(!degraded(bench));
    STRCMP_CONTAINS("kernels = \"cpu\"", bench.camera().variants().front().reason.c_str());
    expect_error("GpuUnavailable", "kernels = \"cpu\"",
                 [&] { bench.client->call(manager_path, manager_interface, "RetryGpu"); });
    bench.daemon.stop();
}

BUS_TEST(StartUp, a_camera_larger_than_the_memory_allowed) {
    // 5 x 1920 x 1080 = 10368000, rounded up to pages: 5 x 2076672.
    Bench bench({.config = camera_table({.name = "big", .width = 1920, .height = 1080}) + front +
                           "[memory]\nlimit_mib = 8\n",
                 .gpu = on_cpu});
    const CameraClient big = bench.camera("big");
    big.wait_for_state("failed");
    std::string text;
    const auto listening =
        bench.client->on_signal(big.path(), camera_interface, "Failed", [&](const Message& signal) {
            const char* name = nullptr;
            const char* value = nullptr;
            signal.read("ss", &name, &value);
            text = value;
        });
    expect_error("FormatUnsupported", "10383360", [&] { big.start(); });
    bench.client->wait_until("no Failed signal", [&] { return !text.empty(); });
    STRCMP_CONTAINS("10383360", text.c_str());
    STRCMP_CONTAINS("8388608", text.c_str());
    bench.camera().wait_for_result();
    bench.daemon.stop();
}
