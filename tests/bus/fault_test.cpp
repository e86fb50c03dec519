// Whatever the GPU does, clients get right results or none, and the service goes on.
#include <algorithm>

#include "tests/bus/played.hpp"

#include <CppUTest/TestHarness.h>

namespace {

using namespace glint::test;

constexpr uint32_t width = 320;
constexpr uint32_t height = 240;
constexpr int killed = 128 + 9;

/// Every result is published.
std::string camera_config(double rate = 200) {
    return camera_table({.source = "test:flat:77",
                         .width = width,
                         .height = height,
                         .rate = rate,
                         .more = "publish_interval_ms = 0\n"});
}

DaemonOptions with_faults(const std::string& faults, const std::string& gpu = "") {
    return {
        .config = camera_config(), .gpu = gpu, .environment = environment_of({.faults = faults})};
}

/// Fails as soon as a client would see a wrong result.
class Watch {
  public:
    Watch(Bench& bench, const CameraClient& camera)
        : subscription_(bench.client->on_signal(
              camera.path(), camera_interface, "Histogram", [this](const Message& signal) {
                  const HistogramReply reply = parse_histogram_signal(signal);
                  const std::vector<uint32_t>& bins = reply.channels.at("Y");
                  for (size_t i = 0; i < bins.size(); ++i) {
                      if (bins[i] != (i == 77 ? width * height : 0)) ++wrong_;
                  }
                  ++results_;
              })) {}

    [[nodiscard]] int results() const noexcept { return results_; }
    void check() const { LONGS_EQUAL_TEXT(0, wrong_, "wrong bins reached a client"); }

  private:
    int results_ = 0;
    int wrong_ = 0;
    Subscription subscription_;
};

void wait_for_results(Bench& bench, const Watch& watch, int more) {
    const int before = watch.results();
    bench.client->wait_until("results do not come",
                             [&] { return watch.results() >= before + more; });
    watch.check();
}

bool degraded(Bench& bench) {
    int value = 0;
    bench.client->get(manager_path, manager_interface, "Degraded", "b").read("b", &value);
    return value != 0;
}

void wait_for_cpu(Bench& bench, const CameraClient& camera) {
    bench.client->wait_until("the CPU does not take over",
                             [&] { return degraded(bench) && camera.histogram_set() == "cpu"; });
}

bool log_contains(const Bench& bench, std::string_view part) {
    return contains(bench.daemon.log(), part);
}

/// Whether Manager.RefusedVariants has it.
bool is_refused(Bench& bench, std::string_view op, std::string_view variant) {
    const Message all =
        bench.client->get(manager_path, manager_interface, "RefusedVariants", "a(sss)");
    all.enter('a', "(sss)");
    const char *of = nullptr, *name = nullptr, *reason = nullptr;
    bool found = false;
    while (all.read("(sss)", &of, &name, &reason)) found = found || (op == of && variant == name);
    return found;
}

/// The fault comes while the camera streams; afterwards all is as before it.
void check_recovers(const std::string& fault) {
    Bench bench(with_faults(fault));
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    camera.wait_for_gpu();
    bench.client->wait_until("the fault does not show", [&] {
        return log_contains(bench, "camera front: ") || log_contains(bench, "the CPU measures");
    });
    camera.wait_for_gpu();
    wait_for_results(bench, watch, 100);
    CHECK_TEXT(!degraded(bench), fault.c_str());
    bench.daemon.stop();
}

}  // namespace

TEST_GROUP(Fault){};

BUS_TEST(Fault, a_lost_context_is_rebuilt_once) {
    check_recovers("clEnqueueNDRangeKernel@clSetEventCallback:100=lost");
}

BUS_TEST(Fault, a_context_that_is_lost_again_leaves_it_to_the_cpu) {
    Bench bench(with_faults("clEnqueueNDRangeKernel@clSetEventCallback:100+=lost"));
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    camera.wait_for_gpu();
    wait_for_cpu(bench, camera);
    wait_for_results(bench, watch, 100);
    bench.client->wait_until("no next try is announced",
                             [&] { return log_contains(bench, "the GPU is tried again in"); });
    bench.daemon.stop();
}

BUS_TEST(Fault, one_failed_call_of_any_kind_costs_no_result) {
    for (const char* call :
         {"clEnqueueNDRangeKernel@clSetEventCallback:100",
          "clEnqueueMapBuffer@clSetEventCallback:200",
          "clEnqueueUnmapMemObject@clSetEventCallback:200", "clFlush@clSetEventCallback:100",
          "clSetEventCallback@300", "clSetKernelArg@clSetEventCallback:2000"}) {
        check_recovers(std::string(call) + "=CL_OUT_OF_RESOURCES");
    }
    check_recovers("clEnqueueMapBuffer@clSetEventCallback:200=elsewhere");
}

BUS_TEST(Fault, a_function_that_always_fails_costs_the_gpu_at_most) {
    const std::string fails = "@*=CL_OUT_OF_HOST_MEMORY";
    std::vector<std::string> cases{
        // What only informs or frees costs nothing, not even all of it together.
        "clGetPlatformInfo" + fails + ";clGetProgramBuildInfo" + fails + ";clGetProgramInfo" +
        fails + ";clCreateProgramWithBinary" + fails + ";clReleaseEvent" + fails +
        ";clReleaseMemObject" + fails + ";clReleaseKernel" + fails + ";clReleaseProgram" + fails +
        ";clReleaseContext" + fails + ";clReleaseCommandQueue" + fails};
    for (const char* function :
         {"clGetPlatformIDs", "clGetDeviceIDs", "clGetDeviceInfo", "clCreateContext",
          "clCreateCommandQueue", "clCreateBuffer", "clCreateProgramWithSource", "clBuildProgram",
          "clCreateKernel", "clGetKernelWorkGroupInfo", "clSetKernelArg", "clEnqueueNDRangeKernel",
          "clEnqueueMapBuffer", "clEnqueueUnmapMemObject", "clFlush", "clFinish", "clWaitForEvents",
          "clSetEventCallback", "clGetEventInfo"}) {
        cases.push_back(function + fails);
    }
    for (const std::string& faults : cases) {
        const TemporaryFolder folder;
        DaemonOptions options = with_faults(faults);
        options.cache_dir = folder / "cache";
        Bench bench(options);
        const CameraClient camera = bench.camera();
        Watch watch(bench, camera);
        // Whether the GPU can be had without it or not, it is decided soon.
        bench.client->wait_until(faults.c_str(), [&] {
            return camera.histogram_set() == "ep" || log_contains(bench, "the CPU measures");
        });
        wait_for_results(bench, watch, 20);
        LONGS_EQUAL_TEXT(0, camera.counter("ResultsRejected"), faults.c_str());
        bench.daemon.stop();
    }
}

BUS_TEST(Fault, one_flipped_bit_reaches_no_client) {
    Bench bench(with_faults("clEnqueueNDRangeKernel[histogram]@clSetEventCallback:100=flip:21"));
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    camera.wait_for_gpu();
    bench.client->wait_until("nothing was rejected",
                             [&] { return camera.counter("ResultsRejected") == 1; });
    camera.wait_for_gpu();
    wait_for_results(bench, watch, 100);
    LONGS_EQUAL(1, camera.counter("ResultsRejected"));
    CHECK(!degraded(bench));
    bench.daemon.stop();
}

BUS_TEST(Fault, a_variant_that_is_wrong_from_the_start_is_refused) {
    Bench bench(with_faults("clEnqueueNDRangeKernel[histogram]@*=flip:21"));
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    wait_for_cpu(bench, camera);
    wait_for_results(bench, watch, 50);
    STRCMP_CONTAINS("no OpenCL variant passed", bench.manager_text("DegradedReason").c_str());
    LONGS_EQUAL(0, camera.counter("ResultsRejected"));
    bench.daemon.stop();
}

BUS_TEST(Fault, wrong_filters_are_refused_and_the_histogram_stays) {
    // The last of the separable variant's two kernels has a name of its own.
    Bench bench(
        with_faults("clEnqueueNDRangeKernel[convolve]@*=flip-all:10;"
                    "clEnqueueNDRangeKernel[filter_columns]@*=flip-all:8"));
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    camera.set_filter("binomial5");
    const FrameReply picture = camera.frame("filtered");
    for (const uint8_t byte : picture.bytes()) CHECK(byte == 77 || byte == 0);
    for (const VariantLine& line : camera.variants()) {
        STRCMP_EQUAL(line.op == "convolution" ? "cpu" : "ep", line.set.c_str());
    }
    CHECK(!degraded(bench));
    bench.daemon.stop();
}

BUS_TEST(Fault, a_filtered_picture_that_turns_wrong_reaches_no_client) {
    Bench bench(with_faults("clEnqueueNDRangeKernel[convolve]@clSetEventCallback:20+=flip-all:10"));
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    camera.set_filter("binomial5");
    bool refused = false;
    for (int i = 0; i < 1000 && !refused; ++i) {
        try {
            const FrameReply picture = camera.frame("filtered");
            BYTES_EQUAL(77, picture.bytes().at(picture.planes[0].first));
        } catch (const BusError& error) {
            STRCMP_EQUAL("org.glintd1.Error.GpuFault", error.name().c_str());
            refused = true;
        }
    }
    CHECK_TEXT(refused, "the fault did not show");
    // Another variant, or the CPU, is right again.
    bench.client->wait_until("no right picture", [&] {
        try {
            const FrameReply picture = camera.frame("filtered");
            return picture.bytes().at(picture.planes[0].first) == 77;
        } catch (const BusError&) {
            return false;
        }
    });
    bench.daemon.stop();
}

BUS_TEST(Fault, a_float_filter_that_turns_wrong_reaches_no_client_and_another_takes_over) {
    // After the eighty or so launches of its known-answer test.
    Bench bench(
        with_faults("clEnqueueNDRangeKernel[convolve]@clSetEventCallback:100+=flip-all:10"));
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    camera.set_filter_float("custom", 3, 3, std::vector<double>(9, 1.0 / 9));
    bench.client->wait_until("the GPU does not filter", [&] {
        return camera.variant_of("convolution_float").variant == "float_rows";
    });
    const auto right = [&] {
        try {
            const FrameReply picture = camera.frame("filtered");
            BYTES_EQUAL(77, picture.bytes().at(picture.planes[0].first));
            return true;
        } catch (const BusError& error) {
            STRCMP_EQUAL("org.glintd1.Error.GpuFault", error.name().c_str());
            return false;
        }
    };
    bench.client->wait_until("the fault does not show", [&] { return !right(); });
    bench.client->wait_until("the variant is not refused",
                             [&] { return is_refused(bench, "convolution_float", "float_rows"); });
    bench.client->wait_until("no right picture", right);
    STRCMP_EQUAL("cpu", camera.variant_of("convolution_float").variant.c_str());
    bench.daemon.stop();
}

BUS_TEST(Fault, a_sharpness_that_turns_wrong_reaches_no_client) {
    Bench bench(
        with_faults("clEnqueueNDRangeKernel[sharpness]@clSetEventCallback:20+=flip-all:10"));
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    camera.wait_for_result();
    const auto sharpness = [&] { return camera.statistics().channels.at("Y").at("sharpness"); };
    bench.client->wait_until("the fault did not show", [&] {
        DOUBLES_EQUAL(0, sharpness(), 0);
        return camera.counter("ResultsRejected") > 0;
    });
    // Another variant, or the CPU, is right again.
    DOUBLES_EQUAL(0, sharpness(), 0);
    bench.daemon.stop();
}

BUS_TEST(Fault, a_build_that_fails_costs_one_variant) {
    Bench bench(with_faults("clBuildProgram@2=fail"));
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    CHECK(log_contains(bench, "clBuildProgram: a fault that was asked for"));
    CHECK(!degraded(bench));
    bench.daemon.stop();
}

BUS_TEST(Fault, a_compiler_that_builds_nothing_leaves_it_to_the_cpu) {
    const TemporaryFolder folder;
    DaemonOptions options = with_faults("clBuildProgram@*=fail");
    options.cache_dir = folder / "cache";
    Bench bench(options);
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    // The CPU serves before as well, while the kernels are being built.
    bench.client->wait_until("the failure is not shown", [&] {
        return contains(bench.manager_text("DegradedReason"), "could not be set up");
    });
    wait_for_cpu(bench, camera);
    wait_for_results(bench, watch, 50);
    bench.daemon.stop();
}

BUS_TEST(Fault, late_launches_cost_frames_and_nothing_else) {
    Bench bench(with_faults("clEnqueueNDRangeKernel@clSetEventCallback:100+=late:50"));
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    camera.wait_for_gpu();
    const uint64_t dropped = camera.counter("FramesDropped");
    bench.client->wait_until("nothing is dropped",
                             [&] { return camera.counter("FramesDropped") > dropped + 20; });
    wait_for_results(bench, watch, 10);
    CHECK(!degraded(bench));
    CHECK(camera.histogram_set() != "cpu");
    bench.daemon.stop();
}

BUS_TEST(Fault, callbacks_may_come_inside_the_call_late_or_never) {
    for (const char* how : {"sync", "late:20", "never"}) {
        Bench bench(
            with_faults(std::string("clSetEventCallback@*=") + how, "stall_timeout_ms = 2000"));
        const CameraClient camera = bench.camera();
        Watch watch(bench, camera);
        camera.wait_for_gpu();
        wait_for_results(bench, watch, 50);
        CHECK_TEXT(!degraded(bench), how);
        CHECK_TEXT(camera.histogram_set() != "cpu", how);
        CHECK_EQUAL(std::string_view(how) == "never", log_contains(bench, "does not call back"));
        bench.daemon.stop();
    }
}

BUS_TEST(Fault, a_hang_ends_the_process_and_the_second_leaves_it_to_the_cpu) {
    const TemporaryFolder state;
    DaemonOptions options = with_faults("", "stall_timeout_ms = 500");
    options.environment =
        environment_of({.faults = "clEnqueueNDRangeKernel@clSetEventCallback:100=hang",
                        .state_directory = state.path().string()});
    for (int start = 0; start < 2; ++start) {
        Bench bench(options);
        bench.camera().wait_for_gpu();
        LONGS_EQUAL(1, bench.daemon.process().wait_exit(limit(seconds(20))).value_or(-1));
        CHECK(log_contains(bench, "has not finished a frame for 500 ms"));
    }
    Bench bench(options);
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    wait_for_cpu(bench, camera);
    wait_for_results(bench, watch, 50);
    STRCMP_CONTAINS("ended 2 times in a row", bench.manager_text("DegradedReason").c_str());
    bench.daemon.stop();
}

BUS_TEST(Fault, a_hang_while_kernels_are_checked_delays_nothing_else) {
    Bench bench(with_faults("clEnqueueNDRangeKernel@3=hang"));
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    wait_for_results(bench, watch, 100);
    STRCMP_EQUAL("cpu", camera.histogram_set().c_str());
    const milliseconds took = bench.daemon.stop();
    CHECK_TEXT(took <= limit(seconds(1)), fmt::format("took {} ms", took.count()).c_str());
}

BUS_TEST(Fault, sigterm_during_a_hang_is_obeyed) {
    Bench bench(with_faults("clEnqueueNDRangeKernel@clSetEventCallback:100=hang",
                            "stall_timeout_ms = 20000"));
    const CameraClient camera = bench.camera();
    camera.wait_for_gpu();
    bench.client->wait_until("no hang",
                             [&] { return log_contains(bench, "the launch never completes"); });
    const milliseconds took = bench.daemon.stop();
    CHECK_TEXT(took <= limit(seconds(1)), fmt::format("took {} ms", took.count()).c_str());
}

BUS_TEST(Fault, a_driver_that_kills_the_process_twice_is_left_alone) {
    const TemporaryFolder state;
    const DaemonOptions options{.config = camera_config(),
                                .environment = environment_of(
                                    {.faults = "clEnqueueNDRangeKernel@clSetEventCallback:100=kill",
                                     .state_directory = state.path().string()})};
    for (int start = 0; start < 2; ++start) {
        Bench bench(options);
        LONGS_EQUAL(killed, bench.daemon.process().wait_exit(limit(seconds(20))).value_or(-1));
    }
    Bench bench(options);
    const CameraClient camera = bench.camera();
    Watch watch(bench, camera);
    wait_for_cpu(bench, camera);
    wait_for_results(bench, watch, 50);
    bench.daemon.stop();
}
