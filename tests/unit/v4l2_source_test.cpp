// The life of a capture source: the order of its ioctls, what each failure means, and that nothing
// stays behind, however often and wherever it ends.
#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/capture_rig.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/lease.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::fakes::v4l2;
using namespace glint::zero_copy;
using glint::test::any_size;
using glint::test::CaptureRig;
using glint::test::missing_in;
using glint::test::refusal;

namespace {

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

size_t count_in(const char* folder) {
    const std::filesystem::directory_iterator entries(folder);
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

/// The smallest picture that is worth a stream.
void ask_for_little(CaptureRig& rig) {
    rig.request.format = PixelFormat::grey;
    rig.request.width = 64;
    rig.request.height = 16;
}

struct Step {
    unsigned long request;
    std::string_view name;  ///< as errors have to have it
};

/// What a source cannot do without.
constexpr Step needed[] = {
    {open_call, "cannot open /dev/video0"}, {VIDIOC_QUERYCAP, "VIDIOC_QUERYCAP"},
    {VIDIOC_ENUM_FMT, "VIDIOC_ENUM_FMT"},   {VIDIOC_G_FMT, "VIDIOC_G_FMT"},
    {VIDIOC_S_FMT, "VIDIOC_S_FMT"},         {VIDIOC_S_PARM, "VIDIOC_S_PARM"},
    {VIDIOC_REQBUFS, "VIDIOC_REQBUFS"},     {VIDIOC_QUERYBUF, "VIDIOC_QUERYBUF"},
    {map_call, "cannot map a buffer of"},   {VIDIOC_QBUF, "VIDIOC_QBUF"},
    {VIDIOC_STREAMON, "VIDIOC_STREAMON"},
};
/// What it can do without.
constexpr unsigned long optional[] = {VIDIOC_G_PARM, VIDIOC_EXPBUF, VIDIOC_SUBSCRIBE_EVENT,
                                      VIDIOC_DQEVENT};

std::string run_refused(CaptureRig& rig) {
    return refusal([&] { rig.run(Transport::mmap); });
}

}  // namespace

TEST_GROUP(V4l2Source){void teardown() override{LONGS_EQUAL(0, live_mappings("fake-v4l2"));
LONGS_EQUAL(0, live_descriptors("fake-v4l2"));
}
}
;

TEST(V4l2Source, TheIoctlsComeInTheirOrder) {
    for (const Traits& traits : {imx7_media_csi(), imx8_isi(), vendor_isi(), uvcvideo(), vivid()}) {
        std::vector<std::string> happened;
        CaptureRig rig(traits);
        rig.driver->on_event([&](const std::string& text) { happened.push_back(text); });
        rig.open();
        rig.allocate(Transport::mmap, 3);
        happened.emplace_back("wrapped");  // the GPU knows every buffer before the first frame
        rig.start();
        rig.close();
        rig.driver->on_event(nullptr);
        auto from = happened.begin();
        for (const char* const next :
             {"OPEN",           "QUERYCAP",       "ENUM_FMT",   "G_FMT",     "S_FMT GREY 640x480",
              "REQBUFS mmap 0", "REQBUFS mmap 3", "QUERYBUF 0", "MMAP 0",    "EXPBUF 0",
              "QUERYBUF 2",     "MMAP 2",         "QBUF 0",     "STREAMOFF", "wrapped",
              "QBUF 0",         "QBUF 1",         "QBUF 2",     "STREAMON",  "STREAMOFF",
              "REQBUFS mmap 0", "CLOSE"}) {
            from = std::find(from, happened.end(), next);
            CHECK_TRUE_TEXT(from != happened.end(), next);
            ++from;
        }
        LONGS_EQUAL(1, std::ranges::count(happened, "STREAMON"));
        LONGS_EQUAL(2, std::ranges::count(happened, "QBUF 0"));
    }
}

TEST(V4l2Source, NothingIsQueuedOnceItHasStopped) {
    CaptureRig rig(vivid());
    rig.open();
    auto pool = std::make_shared<BufferPool>(rig.source->allocate(Transport::mmap, 4));
    pool->start(*rig.source);
    rig.driver->send();
    Captured captured;
    CHECK_TRUE(rig.source->dequeue(captured) == Dequeued::frame);
    Lease lease = pool->lease(captured.slot);
    pool->stop();
    rig.driver->clear_log();
    lease.reset();
    LONGS_EQUAL(0, rig.driver->log().size());
    LONGS_EQUAL(0, rig.driver->queued_buffers());
}

TEST(V4l2Source, ItsDescriptorIsReadableWhenThereIsAFrame) {
    CaptureRig rig(vivid());
    rig.run();
    CHECK_TRUE(rig.dequeue() == Dequeued::nothing);
    CHECK_TRUE(rig.frame().has_value());
    CHECK_TRUE(rig.dequeue() == Dequeued::nothing);
    rig.close();
}

TEST(V4l2Source, IsOpenedByItsTextAndMissedByItsNode) {
    CaptureRig rig(vivid());
    rig.request.source = "v4l2:/dev/video0";
    const auto source = open_source(rig.request, rig.machine);
    LONGS_EQUAL(640, source->layout().width);
    rig.request.source = "v4l2:/dev/video7";
    expect_parts(refusal([&] { std::ignore = open_source(rig.request, rig.machine); }),
                 {"<absent> cannot open /dev/video7", "No such file"});
    STRCMP_EQUAL("/dev/video7", watched_path(rig.request.source).c_str());
}

TEST_GROUP(V4l2Failures){};

TEST(V4l2Failures, AnyStepMayFailAndLeavesNothing) {
    for (const int code : {EIO, EINVAL, ENODEV, EBUSY}) {
        for (const auto& [request, name] : needed) {
            CaptureRig rig(uvcvideo());
            rig.request.rate = 30;
            rig.driver->fail_next(request, code);
            const bool ends_a_list = request == VIDIOC_ENUM_FMT && code == EINVAL;
            expect_parts(run_refused(rig), {ends_a_list ? "offers nothing" : name});
            CHECK_FALSE(rig.driver->streaming());
            LONGS_EQUAL(0, rig.driver->queued_buffers());
            rig.close();
            STRCMP_EQUAL("", rig.remains().c_str());
        }
    }
}

TEST(V4l2Failures, WhatIsOptionalMayFailAndTheCameraServes) {
    for (const unsigned long request : optional) {
        for (const int code : {EIO, EINVAL, ENOTTY}) {
            CaptureRig rig(vivid());
            rig.driver->fail_next(request, code, 100);
            rig.run(Transport::mmap);
            CHECK_TRUE(rig.frame().has_value());
            rig.close();
            STRCMP_EQUAL("", rig.remains().c_str());
        }
    }
}

TEST(V4l2Failures, DmaBufsAndUserPointersFailWithoutLeaks) {
    for (const Transport transport : {Transport::dmabuf, Transport::userptr}) {
        for (const unsigned long request : {VIDIOC_REQBUFS, VIDIOC_QBUF, VIDIOC_STREAMON}) {
            CaptureRig rig(uvcvideo());
            rig.driver->fail_next(request, EIO);
            expect_parts(refusal([&] { rig.run(transport); }), {"VIDIOC_", "Input/output error"});
            rig.close();
            STRCMP_EQUAL("", rig.remains().c_str());
        }
    }
}

TEST(V4l2Failures, OfOpeningSayWhatToWaitFor) {
    struct Row {
        int code;
        const char* expected;
    };
    for (const auto& [code, expected] : {
             Row{ENOENT, "<absent> cannot open /dev/video0: No such file or directory"},
             Row{ENODEV, "<absent> cannot open /dev/video0: No such device"},
             Row{EBUSY, "<busy> cannot open /dev/video0: Device or resource busy"},
             Row{EACCES,
                 "<absent> cannot open /dev/video0; the service's user must be in the "
                 "node's group (video)"},
             Row{EPERM, "char-video4linux"},
             Row{EIO, "<broken> cannot open /dev/video0: Input/output error"},
         }) {
        CaptureRig rig(vivid());
        rig.driver->fail_next(open_call, code);
        expect_parts(refusal([&] { rig.open(); }), {expected});
    }
}

TEST(V4l2Failures, OtherNodesAreNotCameras) {
    struct Row {
        uint32_t capabilities;
        std::string_view expected;
    };
    for (const auto& [capabilities, expected] : {
             Row{V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING, "does not stream captured video"},
             Row{V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE, "does not stream captured video"},
             Row{V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING, "v4l2-ctl --list-devices"},
         }) {
        CaptureRig rig(uvcvideo());
        rig.alter([bits = capabilities](unsigned long request, void* argument, const auto& driver) {
            const int result = driver();
            if (request == VIDIOC_QUERYCAP) {
                static_cast<v4l2_capability*>(argument)->device_caps = bits;
            }
            return result;
        });
        expect_parts(refusal([&] { rig.open(); }), {"<format> /dev/video0", "uvcvideo", expected});
        STRCMP_EQUAL("", rig.remains().c_str());
    }
    CaptureRig rig(vivid());
    rig.driver->fail_next(VIDIOC_QUERYCAP, ENOTTY);
    expect_parts(refusal([&] { rig.open(); }), {"<format> /dev/video0 is no V4L2 device"});
}

TEST(V4l2Failures, OldDriversSayTheirCapabilitiesInOnePlace) {
    CaptureRig rig(mxc_capture());
    rig.alter([](unsigned long request, void* argument, const auto& driver) {
        const int result = driver();
        if (request != VIDIOC_QUERYCAP) return result;
        auto& capability = *static_cast<v4l2_capability*>(argument);
        capability.capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        capability.device_caps = 0;
        return result;
    });
    rig.run();
    CHECK_TRUE(rig.frame().has_value());
    rig.close();
}

TEST(V4l2Failures, ABusyCameraIsBusyAtEveryStep) {
    for (const unsigned long request :
         {VIDIOC_S_FMT, VIDIOC_REQBUFS, VIDIOC_QBUF, VIDIOC_STREAMON}) {
        CaptureRig rig(vivid());
        rig.driver->fail_next(request, EBUSY);
        expect_parts(run_refused(rig), {"<busy> ", "Device or resource busy"});
        rig.close();
    }
    CaptureRig rig(vivid());
    rig.open();
    rig.driver->busy_elsewhere(true);
    expect_parts(refusal([&] { rig.allocate(Transport::mmap); }), {"<busy> VIDIOC_REQBUFS"});
}

TEST(V4l2Failures, OfAStreamsStartAreNoMatterOfTheConfiguration) {
    // The same buffers were taken a moment ago: another try may help.
    for (const unsigned long request : {VIDIOC_QBUF, VIDIOC_STREAMON}) {
        for (const int code : {EINVAL, EIO, ENOMEM}) {
            CaptureRig rig(vivid());
            rig.open();
            rig.allocate(Transport::mmap);
            rig.driver->fail_next(request, code);
            expect_parts(refusal([&] { rig.start(); }), {"<broken> VIDIOC_", "on /dev/video0"});
            LONGS_EQUAL(0, rig.driver->queued_buffers());
            rig.start();
            CHECK_TRUE(rig.frame().has_value());
            rig.close();
        }
    }
}

TEST(V4l2Failures, AnUnpluggedCameraEndsTheStreamAndIsLetGo) {
    CaptureRig rig(uvcvideo());
    rig.run();
    CHECK_TRUE(rig.frame().has_value());
    rig.driver->disconnect();
    CHECK_TRUE(rig.dequeue() == Dequeued::failed);
    expect_parts(refusal([&] { throw rig.source->failure(); }),
                 {"<absent> VIDIOC_DQBUF on /dev/video0", "No such device"});
    rig.source->queue(0);
    rig.close();
    STRCMP_EQUAL("", rig.remains().c_str());
    expect_parts(refusal([&] { rig.open(); }), {"<absent> cannot open"});
}

TEST(V4l2Failures, ABrokenStreamIsBrokenWhateverTheErrno) {
    CaptureRig rig(vivid());
    for (const int code : {EIO, EINVAL, EPIPE, EBUSY}) {
        rig.run();
        rig.driver->fail_next(VIDIOC_DQBUF, code);
        CHECK_TRUE(rig.dequeue() == Dequeued::failed);
        expect_parts(refusal([&] { throw rig.source->failure(); }), {"<broken> VIDIOC_DQBUF on"});
        rig.close();
    }
    rig.run();
    rig.driver->fatal_error();
    CHECK_TRUE(rig.dequeue() == Dequeued::failed);
    rig.source->stop();
    rig.start();  // from the beginning it works again
    CHECK_TRUE(rig.frame().has_value());
    rig.close();
}

TEST(V4l2Failures, AnotherPictureSizeEndsTheStream) {
    CaptureRig rig(vivid());
    rig.run();
    rig.driver->change_source();
    CHECK_TRUE(rig.dequeue() == Dequeued::failed);
    expect_parts(refusal([&] { throw rig.source->failure(); }),
                 {"<broken> the picture at /dev/video0 has changed its size"});
    rig.close();
}

TEST_GROUP(V4l2Cycles){};

TEST(V4l2Cycles, AThousandLeaveNothing) {
    constexpr Transport turns[] = {Transport::mmap, Transport::dmabuf, Transport::userptr,
                                   Transport::copy};
    CaptureRig rig(any_size(vivid()));
    ask_for_little(rig);
    size_t descriptors = 0;
    size_t mappings = 0;
    for (int cycle = 0; cycle < 1000; ++cycle) {
        rig.run(turns[cycle % 4], 3);
        CHECK_TRUE(rig.frame().has_value());
        rig.close();
        rig.driver->clear_log();
        if (cycle == 3) {
            descriptors = count_in("/proc/self/fd");
            mappings = live_mappings("fake-v4l2") + live_mappings("fake-dma-heap");
        }
    }
    LONGS_EQUAL(descriptors, count_in("/proc/self/fd"));
    LONGS_EQUAL(0, mappings);
    STRCMP_EQUAL("", rig.remains().c_str());
}

TEST(V4l2Cycles, SoDoThousandStartsOfOneSource) {
    CaptureRig rig(any_size(imx8_isi()));
    ask_for_little(rig);
    rig.open();
    rig.allocate(Transport::mmap);
    uint64_t expected = 0;
    for (int cycle = 0; cycle < 1000; ++cycle) {
        rig.start();
        LONGS_EQUAL(expected++, rig.frame().value().sequence);
        rig.source->stop();
        rig.driver->clear_log();
    }
    LONGS_EQUAL(4, rig.driver->live_buffers());
    rig.close();
    STRCMP_EQUAL("", rig.remains().c_str());
}
