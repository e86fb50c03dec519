// By which transports each driver serves, what the others answer, and that nothing stays behind.
#include <linux/videodev2.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/capture_rig.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::fakes::v4l2;
using namespace glint::zero_copy;
using glint::test::any_size;
using glint::test::CaptureRig;
using glint::test::missing_in;
using glint::test::refusal;

namespace {

constexpr Transport ladder[] = {Transport::dmabuf, Transport::mmap, Transport::userptr,
                                Transport::copy};

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

std::string allocation_refused(CaptureRig& rig, Transport transport, uint32_t count = 4) {
    return refusal([&] { rig.allocate(transport, count); });
}

/// `count` is refused with ENOMEM when there are more than `most`.
void have_room_for(CaptureRig& rig, uint32_t most) {
    rig.alter([most](unsigned long request, void* argument, const auto& driver) {
        const bool asked = request == VIDIOC_REQBUFS;
        if (asked && static_cast<const v4l2_requestbuffers*>(argument)->count > most) {
            return -ENOMEM;
        }
        return driver();
    });
}

std::string names_of(const std::vector<Transport>& transports) {
    std::string names;
    for (const Transport transport : transports) names += std::string(name_of(transport)) + ' ';
    return names;
}

}  // namespace

TEST_GROUP(V4l2Transports){};

TEST(V4l2Transports, AreTriedInTheOrderThatSuitsTheDriver) {
    for (const Traits& traits : {imx7_media_csi(), imx8_isi(), vendor_isi(), mxc_capture()}) {
        CaptureRig rig(traits);
        rig.open();
        STRCMP_EQUAL("dmabuf mmap userptr copy ", names_of(rig.source->transports()).c_str());
    }
    for (const Traits& traits : {uvcvideo(), vivid()}) {
        CaptureRig rig(traits);
        rig.open();
        STRCMP_EQUAL("userptr dmabuf mmap copy ", names_of(rig.source->transports()).c_str());
    }
}

TEST(V4l2Transports, EachDriverServesByThoseItHasAndRefusesTheOthers) {
    using Refused = std::map<Transport, std::string>;
    const std::string no_userptr = "<refused> VIDIOC_REQBUFS for userptr: Invalid argument";
    const std::string no_dmabuf = "<refused> VIDIOC_REQBUFS for dmabuf: Invalid argument";
    struct Row {
        Traits traits;
        Refused refused;
    };
    const Row rows[] = {
        {imx7_media_csi(), {{Transport::userptr, no_userptr}}},
        {imx8_isi(), {{Transport::userptr, no_userptr}}},
        {vendor_isi(),
         {{Transport::userptr, "<refused> VIDIOC_QBUF of the first userptr buffer: Bad address"}}},
        {mxc_capture(), {{Transport::userptr, no_userptr}, {Transport::dmabuf, no_dmabuf}}},
        {uvcvideo(), {}},
        {vivid(), {}},
        {vivid_dma_contig(), {{Transport::userptr, no_userptr}}},
    };
    for (const auto& [traits, refused] : rows) {
        CaptureRig rig(traits);
        rig.open();
        for (const Transport transport : ladder) {  // a refused one costs its rung only
            const auto expected = refused.find(transport);
            if (expected != refused.end()) {
                STRCMP_EQUAL(expected->second.c_str(), allocation_refused(rig, transport).c_str());
                LONGS_EQUAL_TEXT(0, rig.driver->live_buffers(), traits.driver.c_str());
                continue;
            }
            rig.allocate(transport);
            LONGS_EQUAL(4, rig.buffers.size());
            // The one that was tried came back, but from a driver that gives none before a stream.
            LONGS_EQUAL(traits.streamoff_needs_stream ? 1 : 0, rig.driver->queued_buffers());
            CHECK_FALSE(rig.driver->streaming());
            rig.buffers.clear();
        }
        rig.close();
        STRCMP_EQUAL("", rig.remains().c_str());
    }
}

TEST(V4l2Transports, CopyTakesUserptrWhereThereIsNoMmap) {
    Traits traits = vivid();
    traits.mmap = false;
    CaptureRig rig(traits);
    rig.open();
    rig.allocate(Transport::copy);
    LONGS_EQUAL(1, rig.driver->times("REQBUFS userptr 4"));
    traits.userptr = false;
    CaptureRig neither(traits);
    neither.open();
    expect_parts(allocation_refused(neither, Transport::copy),
                 {"<refused> ", "VIDIOC_REQBUFS", "Invalid argument"});
}

TEST(V4l2Transports, WhatIsAdvertisedAndThenRefusedCostsItsRung) {
    Traits traits = vivid();
    traits.userptr_refused = true;
    CaptureRig rig(traits);
    rig.open();
    expect_parts(allocation_refused(rig, Transport::userptr), {"<refused> VIDIOC_REQBUFS"});
    rig.allocate(Transport::dmabuf);
    rig.close();
}

TEST(V4l2Transports, UserptrGivesWholePages) {
    Traits traits = any_size(vivid());
    traits.userptr_alignment = page_bytes;
    CaptureRig rig(traits);
    rig.request.width = 100;
    rig.request.height = 33;
    rig.run(Transport::userptr);
    for (const FrameMemory& memory : rig.buffers) {
        LONGS_EQUAL(0, memory.size() % page_bytes);
        CHECK_FALSE(static_cast<bool>(memory.dmabuf()));
    }
    CHECK_TRUE(rig.frame().has_value());
    rig.close();
}

TEST(V4l2Transports, MappedBuffersAreDmaBufsWhereTheDriverExportsThem) {
    CaptureRig rig(imx8_isi());
    rig.run(Transport::mmap);
    for (const FrameMemory& memory : rig.buffers) CHECK_TRUE(is_dma_buf(memory.dmabuf().get()));
    rig.close();
    CaptureRig old(mxc_capture());
    old.run(Transport::mmap);
    for (const FrameMemory& memory : old.buffers) CHECK_FALSE(static_cast<bool>(memory.dmabuf()));
    old.close();
}

TEST(V4l2Transports, CachedPagesAreAskedForWhereTheDriverKnowsTheDifference) {
    Traits traits = vivid();
    for (const bool knows : {true, false}) {
        traits.cache_hints = knows;
        CaptureRig rig(traits);
        std::vector<uint8_t> flags;
        rig.alter([&flags](unsigned long request, void* argument, const auto& driver) {
            if (request == VIDIOC_REQBUFS) {
                const auto& asked = *static_cast<const v4l2_requestbuffers*>(argument);
                if (asked.count > 0) flags.push_back(asked.flags);
            }
            return driver();
        });
        rig.open();
        rig.allocate(Transport::mmap);
        rig.buffers.clear();
        rig.allocate(Transport::dmabuf);
        LONGS_EQUAL(2, flags.size());
        LONGS_EQUAL(knows ? V4L2_MEMORY_FLAG_NON_COHERENT : 0, flags[0]);
        LONGS_EQUAL(0, flags[1]);
        rig.close();
    }
}

TEST_GROUP(V4l2Counts){};

TEST(V4l2Counts, WithoutMemoryForAllFewerAreTakenDownToThree) {
    for (const uint32_t room : {5U, 4U, 3U}) {
        CaptureRig rig(vivid());
        have_room_for(rig, room);
        rig.open();
        rig.allocate(Transport::mmap, 5);
        LONGS_EQUAL(room, rig.buffers.size());
        rig.close();
    }
    CaptureRig rig(vivid());
    have_room_for(rig, 2);
    rig.open();
    STRCMP_EQUAL("<refused> VIDIOC_REQBUFS for mmap: Cannot allocate memory",
                 allocation_refused(rig, Transport::mmap, 5).c_str());
    LONGS_EQUAL(0, rig.driver->live_buffers());
}

TEST(V4l2Counts, AreTheDrivers) {
    Traits traits = imx8_isi();
    traits.min_buffers = 6;
    CaptureRig more(traits);
    more.open();
    more.allocate(Transport::dmabuf, 4);
    LONGS_EQUAL(6, more.buffers.size());
    more.close();
    CaptureRig fewer(mxc_capture());
    fewer.open();
    fewer.allocate(Transport::mmap, 20);
    LONGS_EQUAL(10, fewer.buffers.size());
    fewer.close();
}

TEST(V4l2Counts, TooFewAndTooManyAreRefusedWithTheNumber) {
    Traits traits = vivid();
    traits.max_buffers = 2;
    CaptureRig few(traits);
    few.open();
    STRCMP_EQUAL("<refused> the driver gives 2 buffers; 3 to 32 are needed",
                 allocation_refused(few, Transport::mmap).c_str());
    LONGS_EQUAL(0, few.driver->live_buffers());
    CaptureRig many(vivid());
    many.alter([](unsigned long request, void* argument, const auto& driver) {
        const int result = driver();
        auto& given = *static_cast<v4l2_requestbuffers*>(argument);
        if (request == VIDIOC_REQBUFS && given.count > 0) given.count = 33;
        return result;
    });
    many.open();
    expect_parts(allocation_refused(many, Transport::mmap), {"<refused> ", "gives 33 buffers"});
    LONGS_EQUAL(0, many.driver->live_buffers());
}

TEST_GROUP(V4l2Release){};

TEST(V4l2Release, TheDriverForgetsItsBuffersWhenNothingMapsThem) {
    CaptureRig rig(mxc_capture());
    rig.run(Transport::mmap);
    CHECK_TRUE(rig.frame().has_value());
    rig.driver->clear_log();
    rig.close();
    STRCMP_EQUAL("",
                 rig.driver->missing_in_order({"STREAMOFF", "REQBUFS mmap 0", "CLOSE"}).c_str());
    LONGS_EQUAL(0, rig.driver->times("REQBUFS mmap 0: EBUSY"));
    STRCMP_EQUAL("", rig.remains().c_str());
}

TEST(V4l2Release, MemoryThatIsStillMappedKeepsADriverWithoutOrphansBusy) {
    CaptureRig rig(mxc_capture());
    rig.open();
    rig.allocate(Transport::mmap);
    const std::vector<FrameMemory> kept = std::move(rig.buffers);
    expect_parts(allocation_refused(rig, Transport::mmap), {"<busy> VIDIOC_REQBUFS for mmap"});
}

TEST(V4l2Release, WhatWasMappedBeforeAFailureGoesFirst) {
    for (const unsigned long failing : {static_cast<unsigned long>(VIDIOC_QUERYBUF), map_call}) {
        CaptureRig rig(mxc_capture());
        rig.alter([&, asked = 0](unsigned long request, void*, const auto& driver) mutable {
            if (request == VIDIOC_QUERYBUF && ++asked == 3) rig.driver->fail_next(failing, EIO);
            return driver();
        });
        rig.open();
        expect_parts(allocation_refused(rig, Transport::mmap),
                     {"<refused> ", failing == map_call ? "cannot map" : "VIDIOC_QUERYBUF",
                      "Input/output error"});
        LONGS_EQUAL(2, std::ranges::count_if(rig.driver->log(), [](const std::string& entry) {
                        return entry.starts_with("MMAP ");
                    }));
        LONGS_EQUAL(0, rig.driver->times("REQBUFS mmap 0: EBUSY"));
        LONGS_EQUAL(0, rig.driver->live_buffers());
        LONGS_EQUAL(0, live_mappings("fake-v4l2"));
    }
}

TEST(V4l2Release, AStreamThatIsMadeAnewFreesTheFormerBuffers) {
    CaptureRig rig(imx7_media_csi());
    rig.run(Transport::dmabuf);
    rig.source->stop();
    rig.buffers.clear();
    rig.allocate(Transport::mmap, 3);
    STRCMP_EQUAL(
        "", rig.driver
                ->missing_in_order({"STREAMON", "STREAMOFF", "REQBUFS dmabuf 0", "REQBUFS mmap 3"})
                .c_str());
    LONGS_EQUAL(3, rig.driver->live_buffers());
    LONGS_EQUAL(0, live_mappings("fake-dma-heap"));
    rig.close();
}

TEST(V4l2Release, ABufferThatIsSmallerThanAFrameIsRefused) {
    for (const Traits& traits : {vivid(), imx8_isi()}) {
        CaptureRig rig(traits);
        rig.alter([](unsigned long request, void* argument, const auto& driver) {
            const int result = driver();
            if (request != VIDIOC_QUERYBUF) return result;
            auto& told = *static_cast<v4l2_buffer*>(argument);
            const bool multi_planar = told.type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
            (multi_planar ? told.m.planes->length : told.length) = 303104;
            return result;
        });
        rig.open();
        expect_parts(allocation_refused(rig, Transport::mmap),
                     {"<refused> ", "303104 bytes", "307200"});
        rig.close();
        STRCMP_EQUAL("", rig.remains().c_str());
    }
}
