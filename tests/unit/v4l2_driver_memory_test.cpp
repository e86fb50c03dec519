// The memory of the scripted capture driver: mapped, exported, given by address or as a dma-buf.
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/mman.h>

#include <cerrno>
#include <vector>

#include "tests/fakes/dma_bufs.hpp"
#include "tests/fakes/v4l2_bench.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/unique_fd.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::fakes::v4l2;
using glint::zero_copy::FrameMemory;
using glint::zero_copy::page_bytes;
using glint::zero_copy::UniqueFd;

namespace {

constexpr uint32_t grey_bytes = 640 * 480;

bool shows(const uint8_t* bytes, uint32_t sequence) {
    for (size_t i = 0; i < grey_bytes; ++i) {
        if (bytes[i] != pattern(sequence, i)) return false;
    }
    return true;
}

/// Set to 640x480 GREY.
struct GreyBench : Bench {
    explicit GreyBench(const Traits& traits) : Bench(traits) {
        LONGS_EQUAL(0, set_format(V4L2_PIX_FMT_GREY, 640, 480));
    }
};

Traits mplane_vivid() {
    Traits traits = vivid();
    traits.mplane = true;
    return traits;
}

}  // namespace

TEST_GROUP(V4l2DriverMemory){void teardown() override{LONGS_EQUAL(0, live_mappings("fake-v4l2"));
}
}
;

TEST(V4l2DriverMemory, EachBufferIsMappedAtItsOffset) {
    for (const Traits& traits : {vivid(), imx8_isi()}) {
        GreyBench bench(traits);
        CHECK_TRUE(bench.run(3));
        LONGS_EQUAL(0, bench.query(1));
        POINTERS_EQUAL(nullptr, bench.map(grey_bytes + page_bytes));
        LONGS_EQUAL(EINVAL, errno);
        uint8_t* const bytes = bench.map(grey_bytes);
        CHECK_TRUE(bytes != nullptr);
        LONGS_EQUAL(1, live_mappings("fake-v4l2"));
        bench.driver->send();
        LONGS_EQUAL(0, bytes[1]);
        bench.driver->send();
        CHECK_TRUE(shows(bytes, 1));
        ::munmap(bytes, grey_bytes);
    }
}

TEST(V4l2DriverMemory, TruncatedFramesLeaveTheRest) {
    GreyBench bench(vivid());
    CHECK_TRUE(bench.run(2));
    LONGS_EQUAL(0, bench.query(0));
    uint8_t* const bytes = bench.map(grey_bytes);
    bench.driver->send({.bytes = std::vector<uint8_t>(grey_bytes, 7), .bytesused = 5});
    LONGS_EQUAL(7, bytes[4]);
    LONGS_EQUAL(0, bytes[5]);
    ::munmap(bytes, grey_bytes);
}

TEST(V4l2DriverMemory, MappedBuffersAreOrphanedOrHeld) {
    GreyBench bench(vivid());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 2));
    LONGS_EQUAL(0, bench.query(0));
    CHECK_FALSE((bench.buffer.flags & V4L2_BUF_FLAG_MAPPED) != 0);
    uint8_t* bytes = bench.map(grey_bytes);
    LONGS_EQUAL(0, bench.query(0));
    CHECK_TRUE((bench.buffer.flags & V4L2_BUF_FLAG_MAPPED) != 0);
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 0));
    LONGS_EQUAL(0, bench.driver->live_buffers());
    bytes[0] = 1;  // the mapping keeps its pages
    ::munmap(bytes, grey_bytes);

    Bench old(mxc_capture());
    LONGS_EQUAL(0, old.request(V4L2_MEMORY_MMAP, 2));
    LONGS_EQUAL(0, old.query(0));
    bytes = old.map(page_bytes);
    LONGS_EQUAL(EBUSY, old.request(V4L2_MEMORY_MMAP, 0));
    ::munmap(bytes, page_bytes);
    LONGS_EQUAL(0, old.request(V4L2_MEMORY_MMAP, 0));
}

TEST(V4l2DriverMemory, ExportedBuffersShareTheirPages) {
    GreyBench bench(imx7_media_csi());
    CHECK_TRUE(bench.run(3));
    LONGS_EQUAL(0, bench.export_buffer(0, O_RDWR | O_CLOEXEC));
    UniqueFd exported(bench.exported.fd);
    LONGS_EQUAL(FD_CLOEXEC, ::fcntl(exported.get(), F_GETFD));
    CHECK_TRUE(is_dma_buf(exported.get()));
    LONGS_EQUAL(4, live_descriptors("fake-v4l2"));
    auto* const bytes = static_cast<uint8_t*>(bench.machine.map(grey_bytes, exported.get(), 0));
    bench.driver->send();
    CHECK_TRUE(shows(bytes, 0));
    bench.close();
    CHECK_TRUE(shows(bytes, 0));
    ::munmap(bytes, grey_bytes);
    exported.reset();
    LONGS_EQUAL(0, live_descriptors("fake-v4l2"));
}

TEST(V4l2DriverMemory, AnExportWithoutRightsCannotBeWritten) {
    GreyBench bench(imx7_media_csi());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_MMAP, 3));
    LONGS_EQUAL(0, bench.export_buffer(0, O_CLOEXEC));
    const UniqueFd exported(bench.exported.fd);
    POINTERS_EQUAL(MAP_FAILED, bench.machine.map(grey_bytes, exported.get(), 0));
    LONGS_EQUAL(EACCES, errno);
    LONGS_EQUAL(EINVAL, bench.export_buffer(3, O_CLOEXEC));
    LONGS_EQUAL(EINVAL, bench.export_buffer(0, O_NONBLOCK));
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_DMABUF, 3));
    LONGS_EQUAL(EINVAL, bench.export_buffer(0, O_CLOEXEC));
    Bench old(mxc_capture());
    LONGS_EQUAL(0, old.request(V4L2_MEMORY_MMAP, 3));
    LONGS_EQUAL(EINVAL, old.export_buffer(0, O_CLOEXEC));
}

TEST(V4l2DriverMemory, FramesAreWrittenThroughUserPointers) {
    for (const Traits& traits : {vivid(), mplane_vivid()}) {
        GreyBench bench(traits);
        LONGS_EQUAL(0, bench.request(V4L2_MEMORY_USERPTR, 2));
        const FrameMemory memory(grey_bytes);
        LONGS_EQUAL(EINVAL, bench.queue_memory(0, memory.data(), grey_bytes - 1));
        LONGS_EQUAL(EFAULT, bench.queue_memory(0, nullptr, grey_bytes));
        LONGS_EQUAL(0, bench.queue_memory(0, memory.data(), memory.size()));
        LONGS_EQUAL(0, bench.stream(true));
        bench.driver->send();
        LONGS_EQUAL(0, bench.dequeue(V4L2_MEMORY_USERPTR));
        CHECK_TRUE(shows(memory.data(), 0));
        const auto at = reinterpret_cast<unsigned long>(memory.data());
        CHECK_TRUE((bench.mplane ? bench.plane.m.userptr : bench.buffer.m.userptr) == at);
        LONGS_EQUAL(grey_bytes, bench.mplane ? bench.plane.bytesused : bench.buffer.bytesused);
    }
}

TEST(V4l2DriverMemory, UserPointersAreRefusedInThreeWays) {
    const FrameMemory memory(grey_bytes + page_bytes);
    GreyBench liar(vendor_isi());
    LONGS_EQUAL(0, liar.request(V4L2_MEMORY_USERPTR, 3));
    CHECK_TRUE((liar.requested.capabilities & V4L2_BUF_CAP_SUPPORTS_USERPTR) != 0);
    LONGS_EQUAL(EFAULT, liar.queue_memory(0, memory.data(), memory.size()));

    Traits traits = vivid();
    traits.userptr_refused = true;
    GreyBench refusing(traits);
    LONGS_EQUAL(EINVAL, refusing.request(V4L2_MEMORY_USERPTR, 3));
    Bench contiguous(vivid_dma_contig());
    LONGS_EQUAL(EINVAL, contiguous.request(V4L2_MEMORY_USERPTR, 3));

    traits = vivid();
    traits.userptr_alignment = 64;
    GreyBench aligned(traits);
    LONGS_EQUAL(0, aligned.request(V4L2_MEMORY_USERPTR, 3));
    LONGS_EQUAL(EINVAL, aligned.queue_memory(0, memory.data() + 8, grey_bytes));
    LONGS_EQUAL(EINVAL, aligned.queue_memory(0, memory.data(), grey_bytes + 8));
    LONGS_EQUAL(0, aligned.queue_memory(0, memory.data() + 64, grey_bytes));
}

TEST(V4l2DriverMemory, FramesAreWrittenToDmaBufs) {
    for (const Traits& traits : {imx7_media_csi(), imx8_isi()}) {
        GreyBench bench(traits);
        LONGS_EQUAL(0, bench.request(V4L2_MEMORY_DMABUF, 3));
        const UniqueFd memory = make_memory("test-memory", grey_bytes);
        UniqueFd shared(export_memory(memory.get(), O_RDWR | O_CLOEXEC));
        LONGS_EQUAL(EINVAL, bench.queue_dma_buf(0, memory.get()));  // a memfd is no dma-buf
        LONGS_EQUAL(EINVAL, bench.queue_dma_buf(0, -1));
        const UniqueFd little = make_memory("test-memory", page_bytes);
        const UniqueFd too_small(export_memory(little.get(), O_RDWR | O_CLOEXEC));
        LONGS_EQUAL(EINVAL, bench.queue_dma_buf(0, too_small.get()));
        LONGS_EQUAL(0, bench.queue_dma_buf(0, shared.get()));
        LONGS_EQUAL(0, bench.queue_dma_buf(1, shared.get()));
        LONGS_EQUAL(0, bench.stream(true));
        const int given = shared.get();
        shared.reset();  // the driver holds a reference
        bench.driver->send();
        LONGS_EQUAL(0, bench.dequeue(V4L2_MEMORY_DMABUF));
        LONGS_EQUAL(given, bench.mplane ? bench.plane.m.fd : bench.buffer.m.fd);
        auto* const bytes = static_cast<uint8_t*>(bench.machine.map(grey_bytes, memory.get(), 0));
        CHECK_TRUE(shows(bytes, 0));
        ::munmap(bytes, grey_bytes);
    }
    LONGS_EQUAL(0, live_descriptors("test-memory"));
}

TEST(V4l2DriverMemory, MultiPlanarCallsNeedTheirPlane) {
    GreyBench bench(mplane_vivid());
    LONGS_EQUAL(0, bench.request(V4L2_MEMORY_USERPTR, 2));
    const FrameMemory memory(grey_bytes + 64);
    LONGS_EQUAL(0, bench.queue_memory(0, memory.data(), memory.size()));
    LONGS_EQUAL(0, bench.stream(true));
    bench.driver->send({.data_offset = 64});
    v4l2_buffer without{};
    without.type = bench.type();
    without.memory = V4L2_MEMORY_USERPTR;
    LONGS_EQUAL(EINVAL, bench.call(VIDIOC_DQBUF, &without));
    LONGS_EQUAL(EINVAL, bench.call(VIDIOC_QBUF, &without));
    LONGS_EQUAL(0, bench.dequeue(V4L2_MEMORY_USERPTR));  // the frame waited
    LONGS_EQUAL(64, bench.plane.data_offset);
    LONGS_EQUAL(grey_bytes + 64, bench.plane.bytesused);
    CHECK_TRUE(shows(memory.data() + 64, 0));
}

TEST(V4l2DriverMemory, EveryDriverCapturesInTheMemoryItIsKnownFor) {
    for (const Traits& traits : {imx7_media_csi(), imx8_isi(), vendor_isi(), mxc_capture(),
                                 uvcvideo(), vivid(), vivid_dma_contig()}) {
        Bench bench(traits);
        CHECK_TRUE_TEXT(bench.run(2), traits.driver.c_str());
        CHECK_TRUE(bench.driver->send().has_value());
        LONGS_EQUAL(0, bench.dequeue());
        const uint32_t bytes = bench.mplane ? bench.plane.bytesused : bench.buffer.bytesused;
        LONGS_EQUAL(640 * 480 * 2, bytes);  // 4:2:2 is the first format of each
        LONGS_EQUAL(0, bench.stream(false));
        LONGS_EQUAL(traits.userptr ? 0 : EINVAL, bench.request(V4L2_MEMORY_USERPTR, 3));
        LONGS_EQUAL(traits.dmabuf ? 0 : EINVAL, bench.request(V4L2_MEMORY_DMABUF, 3));
    }
}
