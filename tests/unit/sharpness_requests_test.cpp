// Figures on demand: who gets which frame's, and who none.
#include <string>
#include <vector>

#include "daemon/sharpness_requests.hpp"
#include "tests/unit/expect.hpp"
#include "tests/unit/pipeline_bench.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::test::text_thrown;

TEST_GROUP(SharpnessRequests) {
    SharpnessRequests requests;
    std::vector<std::string> log;  ///< "region: sum" or "region: why not"
    zero_copy::FrameLayout layout = zero_copy::make_layout(zero_copy::PixelFormat::grey, 16, 4);
    std::shared_ptr<const Plan> plan =
        make_plan(layout, {.regions = {{"door", 1, 1, 2, 2}, {"wall", 4, 0, 4, 4}}}, 1);

    void ask(const std::string& region) {
        requests.add({.region = region,
                      .answer =
                          [this, region](const Measurement& measurement) {
                              log.push_back(region + ": " +
                                            std::to_string(measurement.sharpness.at(0)));
                          },
                      .refuse =
                          [this, region](const Failure& failure) {
                              log.push_back(region + ": " + failure.what());
                          }});
    }
    void measure(std::optional<size_t> region, uint64_t sharpness) {
        Measurement measurement;
        measurement.plan = plan;
        measurement.sharpness_region = region;
        measurement.sharpness = {sharpness};
        requests.measured(measurement);
    }
    void check_log(const std::vector<std::string>& expected) {
        CHECK_TRUE(log == expected);
        log.clear();
    }
};

TEST(SharpnessRequests, NobodyWaitsAndNothingIsMeasured) {
    CHECK_FALSE(requests.wanted(*plan).has_value());
    measure(std::nullopt, 0);
    check_log({});
}

TEST(SharpnessRequests, CallersOfOneRegionShareAFrameAndOthersTakeTheNext) {
    ask("door");
    ask("wall");
    ask("door");
    LONGS_EQUAL(1, *requests.wanted(*plan));
    measure(1, 11);
    check_log({"door: 11", "door: 11"});
    LONGS_EQUAL(2, *requests.wanted(*plan));
    measure(2, 22);
    check_log({"wall: 22"});
    CHECK_FALSE(requests.wanted(*plan).has_value());
}

TEST(SharpnessRequests, AFrameThatWasUnderWayBeforeDoesNotAnswer) {
    ask("frame");
    measure(std::nullopt, 0);
    measure(2, 22);
    check_log({});
    LONGS_EQUAL(0, *requests.wanted(*plan));
}

TEST(SharpnessRequests, ARegionThatIsTakenAwayIsRefusedAndTheOthersAreServed) {
    ask("door");
    ask("wall");
    plan = make_plan(layout, {.regions = {{"wall", 4, 0, 4, 4}}}, 2);
    LONGS_EQUAL(1, *requests.wanted(*plan));
    measure(1, 5);
    check_log({"door: region \"door\" was taken away", "wall: 5"});
}

TEST(SharpnessRequests, EverybodyIsRefusedOnceWhenTheCameraStops) {
    ask("door");
    ask("frame");
    requests.refuse({"org.example.Error", "stopped"});
    requests.refuse({"org.example.Error", "stopped again"});
    check_log({"door: stopped", "frame: stopped"});
}

TEST(SharpnessRequests, WhoAsksAgainFromTheAnswerWaitsForAnotherFrame) {
    requests.add({.region = "door",
                  .answer = [this](const Measurement&) { ask("door"); },
                  .refuse = [](const Failure&) {}});
    measure(1, 1);
    check_log({});
    measure(1, 2);
    check_log({"door: 2"});
}

TEST(SharpnessRequests, AtMost64Wait) {
    for (size_t i = 0; i < SharpnessRequests::max_waiting; ++i) ask("frame");
    STRCMP_EQUAL("64 callers wait for statistics already",
                 text_thrown<Failure>([&] { ask("frame"); }).c_str());
}

TEST_GROUP(SharpnessOfAFrame) {
    test::PipelineBench bench;
    void teardown() override {
        CHECK_TRUE(bench.shut_down());
    }
};

TEST(SharpnessOfAFrame, IsMeasuredForTheRegionThatIsWanted) {
    bench.sharpness_wanted = 0;
    bench.gpu.sharpness = {42};
    bench.start();
    bench.send(0);
    LONGS_EQUAL(0, *bench.gpu.work.sharpness_region);
    bench.sharpness_wanted.reset();
    bench.gpu.complete();
    LONGS_EQUAL(0, *bench.newest->sharpness_region);
    LONGS_EQUAL(42, bench.newest->sharpness.at(0));
    bench.send(1);
    CHECK_FALSE(bench.gpu.work.sharpness_region.has_value());
}

TEST(SharpnessOfAFrame, TheCpuTakesTheFrameWhenTheGpuHasNoVariant) {
    bench.sharpness_wanted = 0;
    bench.gpu.sharpens = false;
    bench.start();
    bench.send(0);
    LONGS_EQUAL(0, bench.gpu.submissions);
    LONGS_EQUAL(1, bench.cpu.submissions);
}

TEST(SharpnessOfAFrame, AWrongOneIsThrownAwayWithItsFrame) {
    bench.sharpness_wanted = 0;
    bench.start();
    bench.send(0);
    bench.gpu.complete_with_wrong_sharpness();
    LONGS_EQUAL(0, bench.measured.size());
    LONGS_EQUAL(1, bench.counters.rejected);
    LONGS_EQUAL(1, bench.rejected.size());
    STRCMP_EQUAL("sharpness", bench.rejected[0].c_str());
}
