// The CPU's access to frames: announced to dma-bufs at both ends, and only there.
#include <linux/dma-buf.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/fakes/dma_bufs.hpp"
#include "tests/fakes/fake_machine.hpp"
#include "zero_copy/dma_heap.hpp"
#include "zero_copy/frame_memory.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using namespace glint::zero_copy;

namespace {

/// Keeps the flags of every DMA_BUF_IOCTL_SYNC.
class Recorder final : public FakeNode {
  public:
    explicit Recorder(std::shared_ptr<DmaBufs> behind) : behind_(std::move(behind)) {}
    int ioctl(int fd, unsigned long request, void* argument) override {
        if (request == DMA_BUF_IOCTL_SYNC) {
            flags.push_back(static_cast<const dma_buf_sync*>(argument)->flags);
        }
        return behind_->ioctl(fd, request, argument);
    }
    std::vector<uint64_t> flags;

  private:
    std::shared_ptr<DmaBufs> behind_;
};

}  // namespace

TEST_GROUP(CpuAccesses) {
    FakeMachine machine;
    std::shared_ptr<DmaBufs> dma_bufs = std::make_shared<DmaBufs>();
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>(dma_bufs);

    void setup() override {
        machine.add("/dev/dma_heap/system", std::make_shared<DmaHeap>());
        machine.set_memory_node(recorder);
    }
    void teardown() override {
        LONGS_EQUAL(0, dma_bufs->wrong_ends());
        LONGS_EQUAL(0, dma_bufs->left_open().size());
        LONGS_EQUAL(0, live_descriptors("fake-dma-heap"));
        LONGS_EQUAL(0, live_mappings("fake-dma-heap"));
    }
    FrameMemory dma_buf() {
        return allocate_dmabuf(machine, "system", page_bytes);
    }
};

TEST(CpuAccesses, AreAnnouncedAtBothEnds) {
    const FrameMemory memory = dma_buf();
    {
        const CpuAccess access(memory);
        CHECK_TRUE(access.granted());
        LONGS_EQUAL(1, dma_bufs->left_open().size());
    }
    { const CpuAccess access(memory, CpuAccess::Kind::write); }
    const std::vector<uint64_t> expected{
        DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ,
        DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW};
    CHECK_TRUE(recorder->flags == expected);
}

TEST(CpuAccesses, CostNothingElsewhere) {
    const FrameMemory memory(page_bytes);
    const CpuAccess access(memory);
    CHECK_TRUE(access.granted());
    LONGS_EQUAL(0, recorder->flags.size());
}

TEST(CpuAccesses, AreAskedForAgainWhileTheKernelSaysSo) {
    const FrameMemory memory = dma_buf();
    dma_bufs->fail_next(EAGAIN, 3);
    {
        const CpuAccess access(memory);
        CHECK_TRUE(access.granted());
        dma_bufs->fail_next(EAGAIN, 2);  // at the end, too
    }
    LONGS_EQUAL(1, dma_bufs->starts());
    LONGS_EQUAL(1, dma_bufs->ends());
    LONGS_EQUAL(7, recorder->flags.size());
}

TEST(CpuAccesses, ThatAreRefusedAreNotGrantedAndDoNotEnd) {
    const FrameMemory memory = dma_buf();
    dma_bufs->fail_next(EIO);
    {
        const CpuAccess access(memory);
        CHECK_FALSE(access.granted());
    }
    LONGS_EQUAL(0, dma_bufs->ends());
    const CpuAccess next(memory);
    CHECK_TRUE(next.granted());
}

TEST(CpuAccesses, AMovedMemoryKeepsItsDmaBuf) {
    FrameMemory first = dma_buf();
    const int fd = first.dmabuf().get();
    FrameMemory second = std::move(first);
    CHECK_FALSE(static_cast<bool>(first.dmabuf()));
    LONGS_EQUAL(fd, second.dmabuf().get());
    first = std::move(second);
    LONGS_EQUAL(fd, first.dmabuf().get());
    first = FrameMemory(page_bytes);
    CHECK_FALSE(static_cast<bool>(first.dmabuf()));
    LONGS_EQUAL(0, live_descriptors("fake-dma-heap"));
}

TEST(CpuAccesses, MeasuringHowFastMemoryIsReadIsAnAccessToo) {
    const FrameMemory memory = dma_buf();
    std::ignore = is_slow_to_read(memory);
    CHECK_TRUE(dma_bufs->starts() >= 2);
    LONGS_EQUAL(dma_bufs->starts(), dma_bufs->ends());
}
