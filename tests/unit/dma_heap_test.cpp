// Where dma-bufs come from, in which order, and what each heap said that gave none.
#include <linux/videodev2.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/capture_rig.hpp"
#include "tests/unit/expect.hpp"
#include "zero_copy/dma_heap.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::zero_copy;
using glint::test::CaptureRig;
using glint::test::missing_in;
using glint::test::refusal;

TEST_GROUP(DmaHeaps) {
    FakeMachine machine;
    std::shared_ptr<DmaHeap> cma = std::make_shared<DmaHeap>();
    std::shared_ptr<DmaHeap> system = std::make_shared<DmaHeap>();
    std::shared_ptr<Udmabuf> udmabuf = std::make_shared<Udmabuf>();
    std::shared_ptr<v4l2::Driver> exporter = std::make_shared<v4l2::Driver>(v4l2::vivid());

    void setup() override {
        machine.add("/dev/dma_heap/linux,cma", cma);
        machine.add("/dev/dma_heap/system", system);
        machine.add("/dev/udmabuf", udmabuf);
        machine.add("/dev/video9", exporter);
    }
    void teardown() override {
        LONGS_EQUAL(0, machine.open_count());
        for (const char* name : {"fake-dma-heap", "fake-v4l2", "glintd-dmabuf"}) {
            LONGS_EQUAL_TEXT(0, live_descriptors(name), name);
            LONGS_EQUAL_TEXT(0, live_mappings(name), name);
        }
    }
    FrameMemory allocate(const std::string& heap, size_t bytes = 5000) {
        return allocate_dmabuf(machine, heap, bytes);
    }
    std::string refused(const std::string& heap, size_t bytes = 5000) {
        return refusal([&] { std::ignore = allocate(heap, bytes); });
    }
    static void expect_usable(const FrameMemory& memory) {
        LONGS_EQUAL(2 * page_bytes, memory.size());
        CHECK_TRUE(is_dma_buf(memory.dmabuf().get()));
        memory.data()[memory.size() - 1] = 1;
    }
};

TEST(DmaHeaps, AHeapGivesWholePagesUntilItIsFull) {
    expect_usable(allocate("linux,cma"));
    LONGS_EQUAL(1, cma->allocations());
    cma->limit(page_bytes);
    STRCMP_CONTAINS("<refused> DMA_HEAP_IOCTL_ALLOC: Cannot allocate memory",
                    refused("linux,cma").c_str());
}

TEST(DmaHeaps, UdmabufMakesOneOfOrdinaryPages) {
    expect_usable(allocate("udmabuf"));
    LONGS_EQUAL(1, udmabuf->creations());
}

TEST(DmaHeaps, AnotherDeviceExportsOneThatOutlivesItsNode) {
    v4l2::Traits traits = v4l2::vivid();
    for (const bool multi_planar : {false, true}) {
        traits.mplane = multi_planar;
        exporter = std::make_shared<v4l2::Driver>(traits);
        machine.add("/dev/video9", exporter);
        constexpr size_t bytes = 2 * 640 * 480;  // that the node is set to
        const FrameMemory memory = allocate("v4l2:/dev/video9", bytes + 1);
        LONGS_EQUAL(bytes + page_bytes, memory.size());
        CHECK_TRUE(is_dma_buf(memory.dmabuf().get()));
        LONGS_EQUAL(0, exporter->open_handles());
        memory.data()[bytes] = 1;
    }
}

TEST(DmaHeaps, AnExportersRefusalsNameTheIoctl) {
    exporter->fail_next(VIDIOC_CREATE_BUFS, ENOMEM);
    STRCMP_EQUAL(
        "", missing_in(refused("v4l2:/dev/video9"), {"<refused> VIDIOC_CREATE_BUFS on /dev/video9"})
                .c_str());
    exporter->fail_next(VIDIOC_EXPBUF, EIO);
    STRCMP_EQUAL("", missing_in(refused("v4l2:/dev/video9", 640 * 480 * 2),
                                {"VIDIOC_EXPBUF on /dev/video9: Input/output error"})
                         .c_str());
}

TEST(DmaHeaps, OneThatIsNotThereIsNamedByItsNode) {
    machine.remove("/dev/udmabuf");
    STRCMP_CONTAINS("/dev/dma_heap/reserved: No such file", refused("reserved").c_str());
    STRCMP_CONTAINS("/dev/udmabuf: No such file", refused("udmabuf").c_str());
    STRCMP_CONTAINS("cannot open /dev/video8: No such file", refused("v4l2:/dev/video8").c_str());
}

TEST(DmaHeaps, AFrameSourceFallsBackInTheOrderOfItsHeaps) {
    CaptureRig rig(v4l2::imx7_media_csi());
    rig.machine.add("/dev/dma_heap/system", system);
    rig.request.heaps = {"linux,cma", "system"};
    rig.heap->fail_with(ENOMEM);
    rig.run(Transport::dmabuf);
    LONGS_EQUAL(4, system->allocations());
    const auto captured = rig.frame();
    CHECK_TRUE(captured && rig.shows(captured->slot, 0));
    rig.close();
    system->fail_with(EACCES);
    rig.open();
    STRCMP_EQUAL("", missing_in(refusal([&] { rig.allocate(Transport::dmabuf); }),
                                {"<refused> linux,cma: ", "system: ", "Permission denied"})
                         .c_str());
    LONGS_EQUAL(0, rig.driver->live_buffers());
    rig.close();
    rig.request.heaps = {};
    rig.open();
    STRCMP_EQUAL("<refused> no heap is configured",
                 refusal([&] { rig.allocate(Transport::dmabuf); }).c_str());
    rig.close();
}
