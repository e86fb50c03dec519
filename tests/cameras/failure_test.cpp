// Cables that come out and drivers that fail: each ends with a serving camera, or says why not.
#include <cerrno>

#include "daemon/failure.hpp"
#include "tests/cameras/bench.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace v4l2 = glint::fakes::v4l2;

TEST_GROUP(CameraFailure) {
    Machine machine;

    static void start_streaming(Bench & bench) {
        bench.start();
        STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
        STRCMP_EQUAL("", bench.measure_one().c_str());
    }
    /// A new stream of the same camera: it has frames again.
    static void check_serves_again(Bench & bench) {
        STRCMP_EQUAL("", bench
                             .wait([&] {
                                 return bench.camera->state() == CameraState::streaming &&
                                        bench.driver->streaming();
                             })
                             .c_str());
        STRCMP_EQUAL("", bench.measure_one().c_str());
    }
};

TEST(CameraFailure, UnpluggedIsAbsentAndPluggedInAgainStreams) {
    Bench bench(machine, v4l2::uvcvideo());
    start_streaming(bench);
    const auto old = bench.driver;
    old->disconnect();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    machine.unplug(bench.name);
    STRCMP_EQUAL("", missing_in(bench.failures.back(), {"CameraAbsent", "No such device"}).c_str());
    LONGS_EQUAL(0, old->open_handles());
    LONGS_EQUAL(0, fakes::live_mappings("fake-v4l2"));
    STRCMP_EQUAL("", old->missing_in_order({"STREAMOFF", "CLOSE"}).c_str());

    bench.driver = std::make_shared<v4l2::Driver>(v4l2::uvcvideo());
    machine.plug(bench.name, bench.driver);
    check_serves_again(bench);
    LONGS_EQUAL(2, bench.camera->counters().processed);
    LONGS_EQUAL(0, bench.camera->counters().lost);
    STRCMP_EQUAL("streaming", bench.states.back().c_str());
}

TEST(CameraFailure, ACameraThatIsAbsentAtTheStartIsWaitedFor) {
    Bench bench(machine, v4l2::vivid());
    machine.unplug(bench.name);
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    LONGS_EQUAL(1, bench.failures.size());
    machine.plug(bench.name, bench.driver);
    check_serves_again(bench);
    LONGS_EQUAL(1, bench.failures.size());
}

TEST(CameraFailure, ANodeThatMayNotBeOpenedYetIsTriedAgain) {
    Bench bench(machine, v4l2::vivid());
    bench.driver->fail_next(v4l2::open_call, EACCES, 2);
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    STRCMP_CONTAINS("must be in the node's group", bench.failures.back().c_str());
    // What udev does: another mode.
    STRCMP_EQUAL("", bench
                         .wait([&] {
                             std::filesystem::permissions(machine.node(bench.name),
                                                          std::filesystem::perms::owner_all);
                             return bench.camera->state() == CameraState::streaming;
                         })
                         .c_str());
}

TEST(CameraFailure, AnErrorOfTheDriverRestartsTheStreamAtOnce) {
    Bench bench(machine, v4l2::vivid());
    start_streaming(bench);
    bench.driver->fatal_error();
    STRCMP_EQUAL("", bench.wait([&] { return bench.driver->times("STREAMON") == 2; }).c_str());
    check_serves_again(bench);
    CHECK(bench.failures.empty());  // nobody had to be told
    // The new stream came after everything of the old one had gone.
    STRCMP_EQUAL(
        "", bench.driver->missing_in_order({"STREAMON", "STREAMOFF", "CLOSE", "OPEN", "STREAMON"})
                .c_str());
}

TEST(CameraFailure, ADriverThatFailsAgainIsGivenTimeAndThenServes) {
    Bench bench(machine, v4l2::vivid());
    start_streaming(bench);
    bench.driver->fail_next(VIDIOC_STREAMON, EIO, 2);
    bench.driver->fatal_error();
    STRCMP_EQUAL("", bench.wait_for(CameraState::failed).c_str());
    STRCMP_EQUAL("",
                 missing_in(bench.failures.back(), {"CameraFault", "VIDIOC_STREAMON",
                                                    "Input/output error", "the next try is in 1 s"})
                     .c_str());
    STRCMP_EQUAL("", bench.wait([&] { return bench.driver->times("STREAMON") == 2; }).c_str());
    check_serves_again(bench);
}

TEST(CameraFailure, AStreamThatBringsNothingIsStartedAnew) {
    Bench bench(machine, v4l2::uvcvideo());
    start_streaming(bench);
    STRCMP_EQUAL("", bench.wait([&] { return bench.driver->times("STREAMON") == 2; }).c_str());
    check_serves_again(bench);
}

TEST(CameraFailure, HowLongFramesMayStayAwayIsTheConfigurations) {
    Bench without(machine, v4l2::uvcvideo(), {.name = "video1", .stall_timeout_ms = 0});
    Bench with(machine, v4l2::uvcvideo(),
               {.stall_timeout_ms = 2100});  // over the usual second or two
    start_streaming(without);
    start_streaming(with);
    STRCMP_EQUAL("", with.wait([&] { return with.driver->times("STREAMON") == 2; }).c_str());
    LONGS_EQUAL(1, without.driver->times("STREAMON"));
}

TEST(CameraFailure, BusyElsewhereIsSaidAndTriedAgain) {
    Bench bench(machine, v4l2::vivid());
    bench.driver->busy_elsewhere(true);
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::failed).c_str());
    STRCMP_EQUAL("",
                 missing_in(bench.failures.back(), {"CameraBusy", "the next try is in"}).c_str());
    bench.driver->busy_elsewhere(false);
    check_serves_again(bench);
}

TEST(CameraFailure, AGraphThatIsMendedLaterIsTriedAgain) {
    Bench bench(machine, v4l2::imx8_isi());
    bench.driver->break_graph(true);
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::failed).c_str());
    STRCMP_EQUAL(
        "", missing_in(bench.failures.back(), {"CameraFault", "Broken pipe", "the media graph"})
                .c_str());
    LONGS_EQUAL(0, bench.driver->open_handles());
    bench.driver->break_graph(false);
    check_serves_again(bench);
}

TEST(CameraFailure, AStartThatTheDriverRefusesOnceIsTriedAgain) {
    for (const unsigned long call : {VIDIOC_STREAMON, VIDIOC_QBUF}) {
        Bench bench(machine, v4l2::vivid(), {.transport = zero_copy::Transport::userptr});
        start_streaming(bench);
        bench.driver->fail_next(call, EINVAL);
        bench.driver->fatal_error();
        STRCMP_EQUAL("", bench.wait([&] { return bench.driver->times("STREAMON") == 2; }).c_str());
        check_serves_again(bench);
    }
}

TEST(CameraFailure, ABufferThatTheDriverDoesNotTakeIsOfferedAgain) {
    Bench bench(machine, v4l2::vivid());
    start_streaming(bench);
    STRCMP_EQUAL("", bench.wait([&] { return bench.driver->queued_buffers() == 5; }).c_str());
    bench.driver->fail_next(VIDIOC_QBUF, EINVAL);
    STRCMP_EQUAL("", bench.measure_one().c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    STRCMP_EQUAL("", bench.wait([&] { return bench.driver->queued_buffers() == 5; }).c_str());
}

TEST(CameraFailure, AnotherPictureSizeRebuildsTheStream) {
    v4l2::Traits traits = v4l2::vivid();
    traits.source_change_events = true;
    Bench bench(machine, traits);
    start_streaming(bench);
    bench.driver->change_source();
    STRCMP_EQUAL("", bench.wait([&] { return bench.driver->times("STREAMON") == 2; }).c_str());
    check_serves_again(bench);
}

TEST(CameraFailure, AFrameAskedOfACameraThatStopsOrIsAbsentIsRefused) {
    Bench bench(machine, v4l2::uvcvideo());
    const auto refused = [&] {
        return text_thrown<Failure>([&] { bench.camera->request_frame(Stage::raw, [](auto) {}); });
    };
    start_streaming(bench);
    bench.camera->stop({});
    STRCMP_CONTAINS("call Start first", refused().c_str());
    bench.stop();
    start_streaming(bench);
    bench.driver->disconnect();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    STRCMP_CONTAINS("camera video0 is absent", refused().c_str());
}

TEST(CameraFailure, AStopWhileAbsentEndsTheWaiting) {
    Bench bench(machine, v4l2::vivid());
    machine.unplug(bench.name);
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    bench.stop();
    CHECK(bench.camera->state() == CameraState::idle);
    machine.plug(bench.name, bench.driver);
    fakes::turn_while_busy(machine.loop);
    CHECK(bench.camera->state() == CameraState::idle);
    LONGS_EQUAL(0, bench.driver->times("OPEN"));
}
