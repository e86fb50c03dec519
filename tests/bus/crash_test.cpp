// A driver that crashes: --probe survives it and says so, the service goes on without it.
#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr int aborted = 128 + 6;

/// The folder of an ICD loader whose only driver crashes.
struct BrokenDriver {
    BrokenDriver() { write_file(vendors / "broken.icd", GLINT_CRASHING_DRIVER "\n"); }
    [[nodiscard]] std::string loader_path() const { return vendors.path().string() + "/"; }
    TemporaryFolder vendors;
};

RunResult probe(std::vector<std::string> options, const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> environment = more;
    environment.merge(daemon_environment("unix:path=/nonexistent"));
    options.insert(options.begin(), {GLINT_GLINTD, "--probe"});
    return run_program(std::move(options), std::move(environment));
}

}  // namespace

TEST_GROUP(Probe){};

BUS_TEST(Probe, needs_no_bus_and_tells_of_every_variant) {
    const RunResult result = probe({"--json"}, {});
    LONGS_EQUAL(0, result.code);
    const DeviceUnderTest device = device_under_test();
    for (const std::string& part :
         {std::string("\"glintd_version\""), fmt::format("\"profile\" : \"{}\"", device.profile),
          std::string("\"variant\" : \"local_copies\""),
          std::string("\"known_answer\" : \"passed\""),
          fmt::format("\"zero_copy\" : \"{}\"", device.zero_copy), std::string("\"icd\"")}) {
        STRCMP_CONTAINS(part.c_str(), result.output.c_str());
    }
    CHECK(device.played || !contains(result.output, "\"known_answer\" : \"failed\""));
}

BUS_TEST(Probe, without_a_driver_says_what_to_do) {
    const TemporaryFolder vendors;
    const RunResult result = probe({}, {{"OCL_ICD_VENDORS", vendors.path().string() + "/"}});
    LONGS_EQUAL(1, result.code);
    STRCMP_CONTAINS("! no .icd file", result.output.c_str());
    STRCMP_CONTAINS("-> install the BSP's OpenCL package", result.output.c_str());
    STRCMP_CONTAINS("! the OpenCL loader found no device", result.output.c_str());
}

BUS_TEST(Probe, survives_a_driver_that_crashes) {
    const BrokenDriver broken;
    const RunResult result = probe({}, {{"OCL_ICD_VENDORS", broken.loader_path()}});
    LONGS_EQUAL(1, result.code);
    STRCMP_CONTAINS("! the OpenCL driver crashed: Aborted", result.output.c_str());
    STRCMP_CONTAINS("-> check that the vendor's library", result.output.c_str());
}

TEST_GROUP(Crash){};

BUS_TEST(Crash, after_two_ends_in_a_row_the_cpu_serves) {
    const BrokenDriver broken;
    const TemporaryFolder state;
    const DaemonOptions options{.config = camera_table({}),
                                .environment = {{"OCL_ICD_VENDORS", broken.loader_path()},
                                                {"STATE_DIRECTORY", state.path().string()}}};
    for (int start = 0; start < 2; ++start) {
        const TemporaryFolder folder;
        PrivateBus bus(folder);
        Daemon daemon(folder, bus.address(), options);
        LONGS_EQUAL(aborted, daemon.process().wait_exit(seconds(20)).value_or(-1));
    }
    // Whatever starts it again now finds a service that works, and is told why it is slower.
    for (int start = 0; start < 2; ++start) {
        Bench bench(options);
        bench.camera().wait_for_result();
        STRCMP_CONTAINS("ended 2 times in a row", bench.manager_text("DegradedReason").c_str());
        STRCMP_CONTAINS("retry-gpu", bench.camera().variants().front().reason.c_str());
        bench.daemon.stop();
    }
    // The driver has been mended: asked to, the service takes the GPU again.
    Bench bench(
        {.config = options.config, .environment = {{"STATE_DIRECTORY", state.path().string()}}});
    bench.camera().wait_for_result();
    STRCMP_EQUAL("none", bench.manager_text("GpuProfile").c_str());
    bench.client->call(manager_path, manager_interface, "RetryGpu");
    bench.camera().wait_for_gpu();
    STRCMP_EQUAL("", bench.manager_text("DegradedReason").c_str());
    bench.daemon.stop();
}
