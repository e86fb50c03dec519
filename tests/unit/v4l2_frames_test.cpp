// Frames of a capture source: their pixels, what is corrupt, what is offered again, and their time.
#include <linux/videodev2.h>

#include <string>
#include <vector>

#include "tests/unit/capture_rig.hpp"
#include "zero_copy/frame_clock.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::fakes::v4l2;
using namespace glint::zero_copy;
using glint::test::CaptureRig;

namespace {

constexpr uint64_t nsec_per_sec = 1'000'000'000;

timeval at_nsec(uint64_t nsec) {
    timeval time{};
    time.tv_sec = static_cast<time_t>(nsec / nsec_per_sec);
    time.tv_usec = static_cast<suseconds_t>(nsec % nsec_per_sec / 1000);
    return time;
}

Traits with_flags(uint32_t flags) {
    Traits traits = vivid();
    traits.timestamp_flags = flags;
    return traits;
}

}  // namespace

TEST_GROUP(V4l2Frames){static bool is_corrupt(CaptureRig & rig, const Frame& sent){
    const auto captured = rig.frame(sent);
CHECK_TRUE(captured.has_value());
rig.source->queue(captured->slot);
return captured->corrupt;
}
}
;

TEST(V4l2Frames, ReachTheirSlotInEveryMemoryAndOnBothApis) {
    for (const bool multi_planar : {false, true}) {
        for (const Transport transport :
             {Transport::mmap, Transport::dmabuf, Transport::userptr, Transport::copy}) {
            Traits traits = vivid();
            traits.mplane = multi_planar;
            CaptureRig rig(traits);
            rig.run(transport);
            for (uint32_t sequence = 0; sequence < 6; ++sequence) {
                const auto captured = rig.frame();
                CHECK_TRUE(captured.has_value());
                LONGS_EQUAL(sequence % 4, captured->slot);
                LONGS_EQUAL(sequence, captured->sequence);
                CHECK_FALSE(captured->corrupt);
                CHECK_FALSE(captured->unread);
                CHECK_TRUE(rig.source->read(*captured));
                CHECK_TRUE(rig.shows(captured->slot, sequence));
                rig.source->queue(captured->slot);
            }
            rig.close();
        }
    }
}

TEST(V4l2Frames, FlaggedShortAndOverlongOnesAreCorrupt) {
    CaptureRig rig(vivid());
    rig.run();
    const uint32_t bytes = rig.source->layout().size_bytes;
    CHECK_FALSE(is_corrupt(rig, {}));
    CHECK_TRUE(is_corrupt(rig, {.flags = V4L2_BUF_FLAG_ERROR}));
    CHECK_TRUE(is_corrupt(rig, {.bytesused = bytes - 1}));
    CHECK_TRUE(is_corrupt(rig, {.bytesused = 0}));
    CHECK_FALSE(is_corrupt(rig, {.bytesused = bytes}));
    const auto whole = static_cast<uint32_t>(rig.buffers[0].size());
    CHECK_FALSE(is_corrupt(rig, {.bytesused = whole}));
    CHECK_TRUE(is_corrupt(rig, {.bytesused = whole + 1}));
    CHECK_FALSE(is_corrupt(rig, {}));
    rig.close();
}

TEST(V4l2Frames, ThatBeginElsewhereAreCorrupt) {
    CaptureRig rig(imx8_isi());
    rig.run();
    CHECK_TRUE(is_corrupt(rig, {.data_offset = 64}));
    CHECK_FALSE(is_corrupt(rig, {}));
    rig.close();
}

TEST(V4l2Frames, ALastRowWithoutItsPaddingIsWhole) {
    CaptureRig rig(imx8_isi());
    rig.request.width = 1000;
    rig.request.height = 16;
    rig.run();
    LONGS_EQUAL(16 * 1024, rig.source->layout().size_bytes);
    CHECK_FALSE(is_corrupt(rig, {.bytesused = 16 * 1024 - 24}));
    CHECK_TRUE(is_corrupt(rig, {.bytesused = 16 * 1024 - 25}));
    rig.close();
}

TEST(V4l2Frames, ABufferThatWasRefusedOnceIsOfferedAgain) {
    CaptureRig rig(vivid());
    rig.run(Transport::mmap, 3);
    const auto first = rig.frame();
    rig.driver->fail_next(VIDIOC_QBUF, EINVAL, 2);
    rig.source->queue(first->slot);
    LONGS_EQUAL(2, rig.driver->queued_buffers());
    const auto second = rig.frame();  // the second refusal
    LONGS_EQUAL(1, rig.driver->queued_buffers());
    rig.source->queue(second->slot);
    LONGS_EQUAL(3, rig.driver->queued_buffers());
    rig.close();
}

TEST(V4l2Frames, WhatWasRefusedBeforeARestartIsForgotten) {
    CaptureRig rig(vivid());
    rig.run(Transport::mmap, 3);
    const auto first = rig.frame();
    rig.driver->fail_next(VIDIOC_QBUF, EINVAL);
    rig.source->queue(first->slot);
    rig.source->stop();
    rig.start();
    rig.driver->clear_log();
    CHECK_TRUE(rig.frame().has_value());
    LONGS_EQUAL(0, rig.driver->times("QBUF"));
    rig.close();
}

TEST(V4l2Frames, GapsAreLossesAndARestartIsNone) {
    CaptureRig rig(vivid());
    rig.run();
    LONGS_EQUAL(0, rig.frame()->sequence);
    LONGS_EQUAL(3, rig.frame({.skipped = 2})->sequence);
    rig.source->stop();
    rig.start();
    LONGS_EQUAL(4, rig.frame()->sequence);
    CHECK_FALSE(rig.source->losses_estimated());
    rig.close();
}

TEST(V4l2Frames, AStuckSequenceIsSaidToBe) {
    CaptureRig rig(mxc_capture());
    rig.run();
    LONGS_EQUAL(0, rig.frame()->sequence);
    CHECK_FALSE(rig.source->losses_estimated());
    LONGS_EQUAL(1, rig.frame()->sequence);
    CHECK_TRUE(rig.source->losses_estimated());
    LONGS_EQUAL(2, rig.frame()->sequence);
    STRCMP_EQUAL("dequeue", std::string(rig.source->timestamp_source()).c_str());
    rig.close();
}

TEST(V4l2Frames, MonotonicTimesAreTakenAsTheDriverMarksThem) {
    struct Row {
        uint32_t flags;
        const char* source;
    };
    for (const auto& [flags, source] : {
             Row{V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE,
                 "start-of-exposure"},
             Row{V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_EOF, "end-of-frame"},
             Row{V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, "dequeue"},
             Row{V4L2_BUF_FLAG_TIMESTAMP_COPY, "dequeue"},
         }) {
        CaptureRig rig(with_flags(flags));
        rig.run();
        const uint64_t before = monotonic_nsec();
        const uint64_t stamp = (before / 1000 - 5000) * 1000;
        const auto captured = rig.frame({.timestamp = at_nsec(stamp)});
        STRCMP_EQUAL(source, std::string(rig.source->timestamp_source()).c_str());
        if (std::string(source) == "dequeue") {
            CHECK_TRUE(captured->timestamp_nsec >= before);
            CHECK_TRUE(captured->timestamp_nsec <= monotonic_nsec());
        } else {
            CHECK_TRUE(captured->timestamp_nsec == stamp);
        }
        rig.close();
    }
}

TEST(V4l2Frames, RealtimeUnderAMonotonicFlagIsNotBelieved) {
    Traits traits = vivid();
    traits.realtime = true;
    CaptureRig rig(traits);
    rig.run();
    const uint64_t before = monotonic_nsec();
    const auto captured = rig.frame();
    CHECK_TRUE(captured->timestamp_nsec >= before && captured->timestamp_nsec <= monotonic_nsec());
    STRCMP_EQUAL("dequeue", std::string(rig.source->timestamp_source()).c_str());
    rig.close();
}
