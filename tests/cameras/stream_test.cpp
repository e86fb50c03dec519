// Streams from capture drivers, measured by the CPU: what arrives, what is counted, what is left.
#include <fmt/format.h>

#include <algorithm>

#include "tests/cameras/bench.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace v4l2 = glint::fakes::v4l2;

namespace {

/// Of a frame whose every byte is `value`.
v4l2::Frame flat(const Bench& bench, uint8_t value) {
    return {.bytes = std::vector<uint8_t>(bench.camera->info().layout.size_bytes, value)};
}

struct Leftovers {
    size_t mappings = fakes::live_mappings("fake-v4l2");
    size_t descriptors = fakes::live_descriptors("fake-v4l2");
    size_t heap = fakes::live_mappings("fake-dma-heap");
    bool operator==(const Leftovers&) const = default;
};

}  // namespace

TEST_GROUP(CameraStream) {
    Machine machine;

    void check_streams(const v4l2::Traits& traits, zero_copy::Transport transport) {
        const std::string what = fmt::format("{} by {}", traits.driver, name_of(transport));
        const Leftovers before;
        {
            Bench bench(machine, traits, {.transport = transport});
            bench.start();
            STRCMP_EQUAL_TEXT("", bench.wait_for(CameraState::streaming).c_str(), what.c_str());
            STRCMP_EQUAL(std::string(name_of(transport)).c_str(),
                         bench.camera->info().transport.c_str());
            for (const uint8_t value : std::initializer_list<uint8_t>{7, 200, 31, 90, 91, 92, 93}) {
                STRCMP_EQUAL_TEXT("", bench.measure_one(flat(bench, value)).c_str(), what.c_str());
                const Measurement& newest = bench.measured.back();
                LONGS_EQUAL_TEXT(newest.plan->counts[0], newest.channel_bins(0, 0)[value],
                                 what.c_str());
            }
            LONGS_EQUAL(7, bench.camera->counters().captured);
            // Estimates go by the time between frames, which is this machine's load here.
            if (!traits.sequence_stuck) LONGS_EQUAL(0, bench.camera->counters().lost);
            LONGS_EQUAL(0, bench.camera->counters().bytes_copied);
            bench.stop();
            LONGS_EQUAL(0, bench.driver->live_buffers());
            LONGS_EQUAL(0, bench.driver->open_handles());
        }
        CHECK_TEXT(before == Leftovers(), what.c_str());
    }
};

TEST(CameraStream, EveryDriverStreamsByEveryTransportThatItHas) {
    using enum zero_copy::Transport;
    check_streams(v4l2::vivid(), userptr);
    check_streams(v4l2::vivid(), mmap);
    check_streams(v4l2::vivid(), dmabuf);
    check_streams(v4l2::vivid_dma_contig(), mmap);
    check_streams(v4l2::vivid_dma_contig(), dmabuf);
    check_streams(v4l2::uvcvideo(), userptr);
    check_streams(v4l2::uvcvideo(), mmap);
    check_streams(v4l2::imx7_media_csi(), mmap);
    check_streams(v4l2::imx7_media_csi(), dmabuf);
    check_streams(v4l2::imx8_isi(), mmap);
    check_streams(v4l2::imx8_isi(), dmabuf);
    check_streams(v4l2::vendor_isi(), mmap);
    check_streams(v4l2::mxc_capture(), mmap);
}

TEST(CameraStream, ARefusedTransportCostsARungAndIsNamed) {
    machine.heap->fail_with(ENOMEM);
    Bench bench(machine, v4l2::vendor_isi());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    const StreamInfo& info = bench.camera->info();
    STRCMP_EQUAL("mmap", info.transport.c_str());
    LONGS_EQUAL(1, info.ladder.size());
    STRCMP_EQUAL("dmabuf", info.ladder[0].first.c_str());
    STRCMP_CONTAINS("linux,cma: DMA_HEAP_IOCTL_ALLOC: Cannot allocate memory",
                    info.ladder[0].second.c_str());
}

TEST(CameraStream, AHeapWhoseMemoryTheDriverDoesNotTakeIsPassedOver) {
    const auto scattered = std::make_shared<fakes::DmaHeap>();
    machine.calls.add("/dev/dma_heap/system", scattered);
    Services services = machine.services();
    services.heaps = {"none", "system", "linux,cma"};
    Bench bench(machine, v4l2::imx8_isi(), {.transport = zero_copy::Transport::dmabuf}, services);
    // The first buffer that is offered is of the heap "system".
    bench.driver->fail_next(VIDIOC_QBUF, EINVAL);
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    CHECK(scattered->allocations() > 0);
    CHECK(machine.heap->allocations() > 0);
    STRCMP_EQUAL("", bench.measure_one().c_str());
}

TEST(CameraStream, APinnedTransportThatTheDriverRefusesIsAnError) {
    Bench bench(machine, v4l2::vendor_isi(), {.transport = zero_copy::Transport::userptr});
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::failed).c_str());
    STRCMP_EQUAL("", missing_in(bench.failures.back(),
                                {"CameraFault", "transport userptr failed", "VIDIOC_QBUF",
                                 "Bad address", "transport = \"auto\""})
                         .c_str());
    LONGS_EQUAL(0, bench.driver->open_handles());
    CHECK_FALSE(bench.camera->at_rest() && bench.camera->state() == CameraState::streaming);
}

TEST(CameraStream, WhatTheDriverGaveIsShownNotWhatWasAsked) {
    Bench bench(machine, v4l2::vivid(), {.width = 1000, .height = 700, .rate = 24});
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    const StreamInfo& info = bench.camera->info();
    CHECK(info.layout.width != 1000);
    CHECK(info.layout.planes[0].stride_bytes >= info.layout.width);
    CHECK(info.rate > 0);
}

TEST(CameraStream, BadFramesAreCountedAndNeverMeasured) {
    Bench bench(machine, v4l2::vivid());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    bench.driver->send({.flags = V4L2_BUF_FLAG_ERROR});
    bench.driver->send({.bytesused = 0});
    bench.driver->send({.bytesused = 100});
    bench.driver->send({.bytesused = 1U << 30});
    STRCMP_EQUAL("", bench.wait([&] { return bench.camera->counters().corrupt == 4; }).c_str());
    STRCMP_EQUAL("", bench.measure_one({.skipped = 3}).c_str());
    const Counters& counters = bench.camera->counters();
    LONGS_EQUAL(2, counters.processed);
    LONGS_EQUAL(6, counters.captured);
    LONGS_EQUAL(3, counters.lost);
    LONGS_EQUAL(0, counters.dropped);
}

TEST(CameraStream, ADriverThatDoesNotNumberItsFramesIsSaidTo) {
    Bench bench(machine, v4l2::mxc_capture());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    CHECK_FALSE(bench.camera->info().losses_estimated);
    STRCMP_EQUAL("", bench.measure_one().c_str());
    CHECK(bench.camera->info().losses_estimated);
    STRCMP_EQUAL("dequeue", bench.camera->info().timestamp_source.c_str());
}

TEST(CameraStream, TheBasisOfTimestampsFollowsTheDriver) {
    Bench bench(machine, v4l2::uvcvideo());
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    STRCMP_EQUAL("start-of-exposure", bench.camera->info().timestamp_source.c_str());
    STRCMP_EQUAL("", bench.measure_one({.timestamp = timeval{4'000'000, 0}}).c_str());
    STRCMP_EQUAL("dequeue", bench.camera->info().timestamp_source.c_str());
    const uint64_t age = now_nsec() - bench.measured.back().timestamp_nsec;
    CHECK(age < 10'000'000'000);
}

TEST(CameraStream, CpuAccessToDmaBufsIsAnnouncedAndChecked) {
    Bench bench(machine, v4l2::vivid_dma_contig(), {.transport = zero_copy::Transport::dmabuf});
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    const uint32_t starts = machine.dma_bufs->starts();
    STRCMP_EQUAL("", bench.measure_one().c_str());
    CHECK(machine.dma_bufs->starts() > starts);
    machine.dma_bufs->fail_next(EIO);
    bench.driver->send();
    STRCMP_EQUAL("", bench.wait([&] { return bench.camera->counters().corrupt == 1; }).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    LONGS_EQUAL(2, bench.camera->counters().processed);
    LONGS_EQUAL(machine.dma_bufs->starts(), machine.dma_bufs->ends());
    LONGS_EQUAL(0, machine.dma_bufs->wrong_ends());
    CHECK(machine.dma_bufs->left_open().empty());
}

TEST(CameraStream, TheMemoryOfAllCamerasIsWithinTheBudget) {
    const v4l2::Traits traits = v4l2::imx7_media_csi();
    const CameraConfig large{.width = 3840, .height = 2160, .buffers = 5};
    CameraConfig second = large;
    second.name = "video1";
    Bench first(machine, traits, large);
    Bench other(machine, traits, second);
    first.start();
    STRCMP_EQUAL("", first.wait_for(CameraState::streaming).c_str());
    other.start();
    STRCMP_EQUAL("", other.wait_for(CameraState::failed).c_str());
    const uint64_t each = first.camera->info().layout.size_bytes / 4096 * 4096;
    STRCMP_EQUAL(
        "", missing_in(other.failures.back(), {"of the other cameras", "limit_mib allows 67108864",
                                               std::to_string(each * 5 * 2).substr(0, 3)})
                .c_str());
    first.stop();
    other.start();
    STRCMP_EQUAL("", other.wait_for(CameraState::streaming).c_str());
}

TEST(CameraStream, FiftyStartsLeaveNothingBehind) {
    Bench bench(machine, v4l2::vivid());
    size_t descriptors = 0;
    for (int i = 0; i < 50; ++i) {
        bench.start();
        STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
        STRCMP_EQUAL("", bench.measure_one().c_str());
        bench.stop();
        const auto open = std::filesystem::directory_iterator("/proc/self/fd");
        const auto now = static_cast<size_t>(std::distance(begin(open), end(open)));
        if (i == 0) descriptors = now;
        LONGS_EQUAL(descriptors, now);
        LONGS_EQUAL(0, fakes::live_mappings("fake-v4l2"));
    }
    LONGS_EQUAL(50, bench.camera->counters().processed);
}
