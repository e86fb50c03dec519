// glint-tune on this device, and what the service makes of its file.
#include <csignal>
#include <regex>

#include "tests/bus/bench.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

const CameraOptions camera{
    .width = 160, .height = 120, .more = "[camera.front.filter]\nkernel = \"sharpen3\"\n"};

struct Tuner {
    TemporaryFolder folder;
    std::filesystem::path file = folder / "tuning.toml";
    std::filesystem::path state = folder / "tuning.toml.state";

    std::vector<std::string> command(const std::vector<std::string>& more) const {
        std::vector<std::string> words{
            GLINT_TUNE, "--operator", "histogram", "--variant", "private_counters", "--size",
            "160x120",  "--runs",     "5",         "--output",  file.string()};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    RunResult run(const std::vector<std::string>& more) const {
        return run_program(command(more), daemon_environment(""));
    }
};

/// A file with made-up figures for this very device, which the tuner's JSON names.
std::string tuning_text(double cpu_ms, const std::string& values =
                                           "LOCAL = 1, ITEMS_PER_UNIT = 2, COPIES = 4, "
                                           "REDUCE_GLOBAL = 256, REDUCE_LOCAL = 32") {
    const TemporaryFolder folder;
    const std::string json = (folder / "device.json").string();
    const RunResult swept = run_program(
        {GLINT_TUNE, "--work", "saxpy", "--elements", "1", "--runs", "5", "--json", json},
        daemon_environment(""));
    STRCMP_EQUAL_TEXT("", swept.code == 0 ? "" : swept.errors.c_str(), "glint-tune");
    const std::string text = read_file(json);
    const auto member = [&](const std::string& name) {
        std::smatch found;
        CHECK(std::regex_search(text, found, std::regex("\"" + name + "\" : (\"[^\n]*\")")));
        return found[1].str();
    };
    // Whatever leads the ladder by default is slow here, so that the tests mean the same on every
    // device.
    const auto entry = [&](const std::string& work, const std::string& tunables, double ms,
                           double cpu) {
        return fmt::format(
            "[{}.{}.160x120.{}]\ntunables = {{ {} }}\nms = {}\ndefault_ms = 1.0\n"
            "wall_ms = 2.0\ncpu_ms = {}\n",
            member("device"), member("driver"), work, tunables, ms, cpu);
    };
    const std::string rows = "ROWS = 8, LOCAL_X = 8, LOCAL_Y = 2";
    return entry("histogram.private_counters", values, 0.5, cpu_ms) +
           entry("histogram.local_copies", "LOCAL = 64", 9, 1000) +
           entry("sharpness.sharpness_pairs", "ROWS = 64", 0.5, 0.1) +
           entry("sharpness.sharpness_groups", "ROWS = 1", 9, 1000) +
           entry("convolution.3x3.wide_rows", rows, 0.5, 0.1) +
           entry("convolution.3x3.march_pairs", rows, 9, 1000) +
           entry("convolution.3x3.march_rows", rows, 9, 1000) +
           entry("convolution.3x3.float4_rows", rows, 9, 1000) +
           entry("convolution.3x3.int_rows", rows, 9, 1000);
}

DaemonOptions with_tuning(const TemporaryFolder& folder, const std::string& text) {
    const std::filesystem::path file = folder / "tuning.toml";
    write_file(file, text);
    return {.config = camera_table(camera), .tuning_file = file.string()};
}

/// The jobs that --list names, one a line.
std::string listed(const std::vector<std::string>& options) {
    std::vector<std::string> command{GLINT_TUNE, "--list", "--size", "64x48", "--runs", "5"};
    command.insert(command.end(), options.begin(), options.end());
    const RunResult result = run_program(command, daemon_environment(""));
    STRCMP_EQUAL("", result.code == 0 ? "" : result.errors.c_str());
    return result.output;
}

}  // namespace

TEST_GROUP(Tuning){};

BUS_TEST(Tuning, stops_on_a_signal_and_resumes_where_it_was) {
    const Tuner tuner;
    write_file(tuner.file,
               "[gc.drv.64x48.histogram.global_counters]\ntunables = { LOCAL = 8 }\n"
               "ms = 1.0\ndefault_ms = 1.0\nwall_ms = 1.0\ncpu_ms = 1.0\n");
    Process process({.arguments = tuner.command({}),
                     .environment = daemon_environment(""),
                     .output = {},
                     .errors = {}});
    CHECK_TEXT(wait_for(seconds(60), [&] { return contains(read_file(tuner.state), "values"); }),
               "nothing is measured");
    process.signal(SIGINT);
    const auto code = process.wait_exit(seconds(60));
    LONGS_EQUAL(128 + SIGINT, code.value_or(-1));
    CHECK(contains(read_file(tuner.state), "values"));

    const std::string json = (tuner.folder / "t.json").string();
    const std::string plot = (tuner.folder / "t.png").string();
    const RunResult rest = tuner.run({"--resume", "--json", json, "--plot", plot});
    STRCMP_EQUAL("", rest.code == 0 ? "" : rest.errors.c_str());
    CHECK_TEXT(!std::filesystem::exists(tuner.state), "the state is left behind");
    const std::string written = read_file(tuner.file);
    STRCMP_CONTAINS("160x120.histogram.private_counters]", written.c_str());
    STRCMP_CONTAINS("[\"gc\".\"drv\".64x48.histogram.global_counters]", written.c_str());
    STRCMP_CONTAINS("private_counters 160x120", rest.output.c_str());
    STRCMP_CONTAINS("default", rest.output.c_str());
    STRCMP_CONTAINS("\"rankings\"", read_file(json).c_str());
    STRCMP_CONTAINS("\"gb_per_s\"", read_file(json).c_str());
    CHECK(read_file(plot).starts_with("\x89PNG\r\n\x1a\n"));
}

BUS_TEST(Tuning, if_missing_measures_once_and_takes_up_what_was_stopped) {
    const Tuner tuner;
    // Another driver's entry does not count.
    write_file(tuner.file,
               "[gc.drv.64x48.histogram.global_counters]\ntunables = { LOCAL = 8 }\n"
               "ms = 1.0\ndefault_ms = 1.0\nwall_ms = 1.0\ncpu_ms = 1.0\n");
    const RunResult first = tuner.run({"--if-missing"});
    STRCMP_EQUAL("", first.code == 0 ? "" : first.errors.c_str());
    const std::string measured = read_file(tuner.file);
    STRCMP_CONTAINS("160x120.histogram.private_counters]", measured.c_str());

    const RunResult second = tuner.run({"--if-missing"});
    LONGS_EQUAL(0, second.code);
    STRCMP_CONTAINS(("has been measured: " + tuner.file.string()).c_str(), second.output.c_str());
    STRCMP_EQUAL(measured.c_str(), read_file(tuner.file).c_str());

    // A run that was stopped leaves this behind, beside the entries that it had.
    write_file(tuner.state, "");
    const RunResult third = tuner.run({"--if-missing"});
    STRCMP_EQUAL("", third.code == 0 ? "" : third.errors.c_str());
    STRCMP_CONTAINS("private_counters 160x120", third.output.c_str());
    CHECK(!std::filesystem::exists(tuner.state));
    LONGS_EQUAL(2, tuner.run({"--if-missing", "--resume"}).code);
}

BUS_TEST(Tuning, keeps_what_it_does_not_measure_and_refuses_a_file_that_it_cannot_read) {
    const Tuner tuner;
    write_file(tuner.file, "[gc.drv.640x480.histogram.nonsense]\n");
    RunResult result = tuner.run({});
    LONGS_EQUAL(1, result.code);
    STRCMP_CONTAINS("tuning.toml:1:", result.errors.c_str());
    STRCMP_EQUAL("[gc.drv.640x480.histogram.nonsense]\n", read_file(tuner.file).c_str());
    result = tuner.run({"--resume"});
    LONGS_EQUAL(1, result.code);
    std::filesystem::remove(tuner.file);
    result = tuner.run({"--resume"});
    LONGS_EQUAL(1, result.code);
    STRCMP_CONTAINS("nothing to resume", result.errors.c_str());
    result = tuner.run({"--device", "no such*"});
    LONGS_EQUAL(1, result.code);
    STRCMP_CONTAINS("no usable device matches \"no such*\"", result.errors.c_str());
    result = tuner.run({"--size", "160"});
    LONGS_EQUAL(2, result.code);
    STRCMP_CONTAINS("1920x1080", result.errors.c_str());
    result = tuner.run({"--list"});
    LONGS_EQUAL(0, result.code);
    STRCMP_CONTAINS("histogram private_counters 160x120", result.output.c_str());
    result = tuner.run({"--filter-size", "7", "--filter-size", "31"});
    LONGS_EQUAL(2, result.code);
    STRCMP_CONTAINS("give one --filter-size of 7, 15, 31", result.errors.c_str());
    result = tuner.run({"--work", "blur"});
    LONGS_EQUAL(2, result.code);
    STRCMP_CONTAINS("there are kernels, saxpy and the operators histogram", result.errors.c_str());
}

BUS_TEST(Tuning, every_operator_can_be_tuned_and_by_default_what_the_service_offers) {
    const std::string by_default = listed({});
    for (const char* job :
         {"histogram global_counters 64x48", "convolution 3x3 int_rows 64x48",
          "convolution 15x15 any_size 64x48", "sobel sobel_pairs 64x48",
          "sharpness sharpness_pairs 64x48", "convolution_float 5x5 float_rows 64x48"}) {
        STRCMP_CONTAINS(job, by_default.c_str());
    }
    for (const char* left_out :
         {"lookup", "planar", "filtered_histogram", "7x7", "naive", "_floats"}) {
        CHECK_FALSE_TEXT(contains(by_default, left_out), left_out);
    }
    STRCMP_CONTAINS("convolution_float 5x5 float_rows_floats 64x48",
                    listed({"--work", "convolution_float"}).c_str());
    const std::string large = listed({"--operator", "convolution", "--filter-size", "31"});
    STRCMP_CONTAINS("convolution 31x31 separable 64x48", large.c_str());
    CHECK_FALSE(contains(large, "15x15"));
    CHECK_FALSE(contains(large, "3x3"));
}

BUS_TEST(Tuning, what_the_service_does_not_offer_is_measured_and_kept_too) {
    const TemporaryFolder folder;
    const std::string file = (folder / "tuning.toml").string();
    const RunResult result = run_program(
        {GLINT_TUNE, "--work", "downscale", "--size", "48x32", "--runs", "5", "--output", file},
        daemon_environment(""));
    STRCMP_EQUAL("", result.code == 0 ? "" : result.errors.c_str());
    STRCMP_CONTAINS("48x32.downscale.downscale_pairs]", read_file(file).c_str());
    CHECK_FALSE(contains(result.output, "it will serve"));
}

BUS_TEST(Tuning, a_tuned_choice_serves_and_says_so) {
    const TemporaryFolder folder;
    Bench bench(with_tuning(folder, tuning_text(1000)));
    const CameraClient client = bench.camera();
    client.wait_for_gpu();
    const VariantLine histogram = client.variant_of("histogram");
    STRCMP_EQUAL("private_counters", histogram.variant.c_str());
    STRCMP_EQUAL("tuned", histogram.source.c_str());
    for (const char* part : {"160x120", "tuning.toml", "0.500 ms", "50 %"})
        STRCMP_CONTAINS(part, histogram.reason.c_str());
    // The filter alone is faster on the CPU.
    const VariantLine convolution = client.variant_of("convolution");
    STRCMP_EQUAL("cpu", convolution.set.c_str());
    STRCMP_EQUAL("measured", convolution.source.c_str());
    STRCMP_CONTAINS("0.100 ms against 2.000 ms with wide_rows", convolution.reason.c_str());
    LONGS_EQUAL(160, client.frame("filtered").width);
    const VariantLine sharpness = client.variant_of("sharpness");
    STRCMP_EQUAL("cpu", sharpness.set.c_str());
    STRCMP_EQUAL("measured", sharpness.source.c_str());
    bench.daemon.stop();
}

BUS_TEST(Tuning, the_cpu_serves_where_it_was_measured_faster) {
    const TemporaryFolder folder;
    Bench bench(with_tuning(folder, tuning_text(0.1)));
    const CameraClient client = bench.camera();
    client.wait_for_state("streaming");
    bench.client->wait_until("the CPU does not serve as measured", [&] {
        const std::vector<VariantLine> lines = client.variants();
        return !lines.empty() && lines[0].source == "measured";
    });
    const VariantLine histogram = client.variant_of("histogram");
    STRCMP_EQUAL("cpu", histogram.set.c_str());
    STRCMP_CONTAINS("0.100 ms against 2.000 ms with private_counters", histogram.reason.c_str());
    STRCMP_EQUAL("cpu", client.variant_of("convolution").set.c_str());
    CHECK(!bench.manager_text("GpuName").empty());
    client.wait_for_result();
    bench.daemon.stop();
}

BUS_TEST(Tuning, a_broken_file_leaves_the_defaults_and_one_line) {
    const TemporaryFolder folder;
    const DaemonOptions options = with_tuning(folder, tuning_text(1000, "COPIES = 5"));
    Bench bench(options);
    const CameraClient client = bench.camera();
    client.wait_for_gpu();
    STRCMP_EQUAL("default", client.variant_of("histogram").source.c_str());
    const std::string log = bench.daemon.log();
    LONGS_EQUAL(1, count_of(log, "tuning.toml:2:"));
    STRCMP_CONTAINS("COPIES of private_counters may be 4, 8", log.c_str());
    // Put right, it is read at the next RetryGpu.
    write_file(options.tuning_file, tuning_text(1000));
    bench.client->call(manager_path, manager_interface, "RetryGpu");
    bench.client->wait_until("the file is not read again", [&] {
        const std::vector<VariantLine> lines = client.variants();
        return !lines.empty() && lines[0].source == "tuned";
    });
    bench.daemon.stop();
}
