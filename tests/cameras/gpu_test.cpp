// Cameras whose frames an OpenCL device maps: when it gets to know them, and that nothing is
// copied.
#include <fmt/format.h>

#include "tests/cameras/bench.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;
namespace v4l2 = glint::fakes::v4l2;

namespace {

/// Every buffer, kernel and queue holds its context.
cl_uint opencl_objects() {
    cl_uint count = 0;
    const cl_int code = clGetContextInfo(runtime()->context.handle.get(),
                                         CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
    LONGS_EQUAL(CL_SUCCESS, code);
    return count;
}

}  // namespace

TEST_GROUP(CameraGpu) {
    Machine machine;

    void check_order(const v4l2::Traits& traits, zero_copy::Transport transport) {
        const std::string what = fmt::format("{} by {}", traits.driver, name_of(transport));
        const cl_uint before = opencl_objects();
        cl_uint at_start = 0;
        Bench bench(machine, traits, {.transport = transport});
        bench.driver->on_event([&](const std::string& event) {
            if (event == "STREAMON") at_start = opencl_objects();
        });
        bench.camera->use_gpu(runtime(), "");
        bench.start();
        STRCMP_EQUAL_TEXT("", bench.wait_for(CameraState::streaming).c_str(), what.c_str());
        const bool copies = transport == zero_copy::Transport::copy;
        CHECK_TEXT(at_start >= before + (copies ? 1 : 5), what.c_str());
        for (int i = 0; i < 12; ++i) {
            STRCMP_EQUAL_TEXT("", bench.measure_one().c_str(), what.c_str());
        }
        // A command's event goes a moment after its end; a buffer for each frame would never go.
        STRCMP_EQUAL_TEXT("", bench.wait([&] { return opencl_objects() == at_start; }).c_str(),
                          what.c_str());
        STRCMP_EQUAL_TEXT(copies ? "no" : "proven", bench.camera->info().zero_copy.c_str(),
                          what.c_str());
        const Counters& counters = bench.camera->counters();
        LONGS_EQUAL(12, counters.processed);
        LONGS_EQUAL(copies ? 12 * bench.camera->info().layout.size_bytes : 0,
                    counters.bytes_copied);
        bench.stop();
        bench.driver->on_event({});
        STRCMP_EQUAL_TEXT("", bench.wait([&] { return opencl_objects() == before; }).c_str(),
                          what.c_str());
        const std::vector<std::string> log = bench.driver->log();
        const auto off = std::find(log.rbegin(), log.rend(), "STREAMOFF").base();
        CHECK_TEXT(std::none_of(off, log.end(),
                                [](const std::string& call) { return call.starts_with("QBUF"); }),
                   what.c_str());
    }
};

TEST(CameraGpu, EveryBufferIsKnownBeforeTheStreamStartsAndNoneIsQueuedAfterItsEnd) {
    using enum zero_copy::Transport;
    check_order(v4l2::vivid(), userptr);
    check_order(v4l2::imx8_isi(), mmap);
    check_order(v4l2::imx8_isi(), dmabuf);
    check_order(v4l2::imx7_media_csi(), copy);
    CHECK(machine.gpu_failures.empty());
}

TEST(CameraGpu, AFrameUnderWayWhenTheCableComesOutIsFreedAndNotQueued) {
    Bench bench(machine, v4l2::uvcvideo());
    bench.camera->use_gpu(runtime(), "");
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
    const size_t queued = bench.driver->times("QBUF");
    bench.driver->send();
    bench.driver->disconnect();
    STRCMP_EQUAL("", bench.wait_for(CameraState::absent).c_str());
    LONGS_EQUAL(queued, bench.driver->times("QBUF"));
    LONGS_EQUAL(0, bench.driver->open_handles());
    LONGS_EQUAL(0, fakes::live_mappings("fake-v4l2"));
}

TEST(CameraGpu, DmaBufsAreAnnouncedToADeviceThatIsACpu) {
    if (!runtime()->context.device.traits.is_cpu()) return;
    Bench bench(machine, v4l2::vivid_dma_contig(), {.transport = zero_copy::Transport::dmabuf});
    bench.camera->use_gpu(runtime(), "");
    bench.start();
    STRCMP_EQUAL("", bench.wait_for(CameraState::streaming).c_str());
    const uint32_t starts = machine.dma_bufs->starts();
    STRCMP_EQUAL("", bench.measure_one().c_str());
    LONGS_EQUAL(starts + 1, machine.dma_bufs->starts());
    STRCMP_EQUAL(
        "",
        bench.wait([&] { return machine.dma_bufs->ends() == machine.dma_bufs->starts(); }).c_str());
    machine.dma_bufs->fail_next(EIO);
    bench.driver->send();
    STRCMP_EQUAL("", bench.wait([&] { return bench.camera->counters().corrupt == 1; }).c_str());
    STRCMP_EQUAL("", bench.measure_one().c_str());
}
