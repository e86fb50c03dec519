// The fake dma-bufs, heaps and udmabuf refuse what the kernel refuses, and count.
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/mman.h>

#include <cerrno>
#include <memory>

#include "tests/fakes/dma_bufs.hpp"
#include "tests/fakes/fake_machine.hpp"
#include "zero_copy/frame_memory.hpp"
#include "zero_copy/unique_fd.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::fakes;
using glint::zero_copy::page_bytes;
using glint::zero_copy::UniqueFd;

TEST_GROUP(DmaBufs) {
    FakeMachine machine;
    std::shared_ptr<DmaBufs> bufs = std::make_shared<DmaBufs>();
    std::shared_ptr<DmaHeap> heap = std::make_shared<DmaHeap>();
    std::shared_ptr<Udmabuf> udmabuf = std::make_shared<Udmabuf>();
    int heap_fd = -1;
    int udmabuf_fd = -1;

    void setup() override {
        machine.set_memory_node(bufs);
        machine.add("/dev/dma_heap/linux,cma", heap);
        machine.add("/dev/udmabuf", udmabuf);
        heap_fd = machine.open("/dev/dma_heap/linux,cma", O_RDONLY);
        udmabuf_fd = machine.open("/dev/udmabuf", O_RDWR);
    }
    void teardown() override {
        machine.close(heap_fd);
        machine.close(udmabuf_fd);
        LONGS_EQUAL(0, live_descriptors("fake-dma-heap"));
    }
    int call(int fd, unsigned long request, void* argument) {
        const int result = machine.ioctl(fd, request, argument);
        return result < 0 ? -errno : result;
    }
    int allocate(uint64_t bytes, uint32_t flags = O_RDWR | O_CLOEXEC) {
        dma_heap_allocation_data data{};
        data.len = bytes;
        data.fd_flags = flags;
        const int result = call(heap_fd, DMA_HEAP_IOCTL_ALLOC, &data);
        return result < 0 ? result : static_cast<int>(data.fd);
    }
    int create(int memory, uint64_t offset, uint64_t bytes) {
        udmabuf_create asked{};
        asked.memfd = static_cast<uint32_t>(memory);
        asked.flags = UDMABUF_FLAGS_CLOEXEC;
        asked.offset = offset;
        asked.size = bytes;
        return call(udmabuf_fd, UDMABUF_CREATE, &asked);
    }
    int sync(int fd, uint64_t flags) {
        dma_buf_sync asked{};
        asked.flags = flags;
        return call(fd, DMA_BUF_IOCTL_SYNC, &asked);
    }
};

TEST(DmaBufs, AHeapGivesWholePages) {
    const UniqueFd memory(allocate(5000));
    CHECK_TRUE(is_dma_buf(memory.get()));
    LONGS_EQUAL(2 * page_bytes, memory_bytes(memory.get()));
    LONGS_EQUAL(1, live_descriptors("fake-dma-heap"));
    LONGS_EQUAL(-EINVAL, allocate(0));
    LONGS_EQUAL(-EINVAL, allocate(5000, O_NONBLOCK));
    heap->fail_with(ENOMEM);
    LONGS_EQUAL(-ENOMEM, allocate(5000));
    heap->fail_with(0);
    heap->limit(page_bytes);
    LONGS_EQUAL(-ENOMEM, allocate(5000));
    const UniqueFd last(allocate(1));
    LONGS_EQUAL(-ENOMEM, allocate(1));
    LONGS_EQUAL(2, heap->allocations());
}

TEST(DmaBufs, UdmabufWantsSealedWholePages) {
    const UniqueFd memory = make_memory("test-memory", 2 * page_bytes);
    LONGS_EQUAL(-EINVAL, create(memory.get(), 0, page_bytes));  // it could shrink
    LONGS_EQUAL(0, ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK));
    LONGS_EQUAL(-EINVAL, create(memory.get(), 0, page_bytes + 1));
    LONGS_EQUAL(-EINVAL, create(memory.get(), 0, 3 * page_bytes));
    LONGS_EQUAL(-EBADFD, create(udmabuf_fd, 0, page_bytes));
    const UniqueFd shared(create(memory.get(), 0, 2 * page_bytes));
    CHECK_TRUE(is_dma_buf(shared.get()));
    LONGS_EQUAL(1, udmabuf->creations());
    auto* const written = static_cast<uint8_t*>(machine.map(page_bytes, shared.get(), 0));
    auto* const read = static_cast<uint8_t*>(machine.map(page_bytes, memory.get(), 0));
    written[5] = 9;
    LONGS_EQUAL(9, read[5]);
    LONGS_EQUAL(2, live_mappings("test-memory"));
    ::munmap(written, page_bytes);
    ::munmap(read, page_bytes);
    LONGS_EQUAL(0, live_mappings("test-memory"));
}

TEST(DmaBufs, AccessesArePaired) {
    const UniqueFd memory(allocate(page_bytes));
    LONGS_EQUAL(0, sync(memory.get(), DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
    LONGS_EQUAL(1, bufs->left_open().size());
    LONGS_EQUAL(memory.get(), bufs->left_open().front());
    LONGS_EQUAL(0, sync(memory.get(), DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE));
    LONGS_EQUAL(1, bufs->wrong_ends());
    LONGS_EQUAL(0, sync(memory.get(), DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ));
    LONGS_EQUAL(0, bufs->left_open().size());
    LONGS_EQUAL(1, bufs->starts());
    LONGS_EQUAL(2, bufs->ends());
}

TEST(DmaBufs, SyncFailsOnWhatIsNoDmaBufAndOnDemand) {
    const UniqueFd memory(allocate(page_bytes));
    LONGS_EQUAL(-EINVAL, sync(memory.get(), DMA_BUF_SYNC_START));
    LONGS_EQUAL(-EINVAL, sync(memory.get(), DMA_BUF_SYNC_READ | 64));
    bufs->fail_next(EAGAIN);
    LONGS_EQUAL(-EAGAIN, sync(memory.get(), DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
    LONGS_EQUAL(0, bufs->starts());
    const UniqueFd plain = make_memory("test-memory", page_bytes);
    LONGS_EQUAL(-ENOTTY, sync(plain.get(), DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
}
