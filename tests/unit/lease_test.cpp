// Who holds a buffer: every lease gives it back exactly once, and never to a stopped stream.
#include <sys/mman.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/fakes/fake_source.hpp"
#include "zero_copy/lease.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;

TEST_GROUP(Leases) {
    glint::fakes::FakeSource source{make_layout(PixelFormat::grey, 100, 50)};
    std::shared_ptr<BufferPool> pool =
        std::make_shared<BufferPool>(host_pages(3, source.layout().size_bytes));
};

TEST(Leases, BuffersAreZeroedWholePagesAndApart) {
    LONGS_EQUAL(3, pool->buffers().size());
    for (const FrameMemory& buffer : pool->buffers()) {
        LONGS_EQUAL(2 * page_bytes, buffer.size());
        LONGS_EQUAL(0, reinterpret_cast<uintptr_t>(buffer.data()) % page_bytes);
        for (const uint8_t byte : buffer.bytes()) LONGS_EQUAL(0, byte);
        buffer.data()[0] = 1;
    }
}

TEST(Leases, ALeaseGivesItsBufferBackOnce) {
    pool->start(source);
    {
        Lease lease = pool->lease(2);
        CHECK_TRUE(static_cast<bool>(lease));
        LONGS_EQUAL(2, lease.slot());
        POINTERS_EQUAL(pool->buffers()[2].data(), lease.memory().data());
        LONGS_EQUAL(1, pool->leased());
        lease.reset();
        CHECK_FALSE(static_cast<bool>(lease));
        lease.reset();
    }
    LONGS_EQUAL(0, pool->leased());
    LONGS_EQUAL(1, source.queue_calls);
    LONGS_EQUAL(2, source.queued.back());
}

TEST(Leases, AMovedFromLeaseDoesNothing) {
    pool->start(source);
    {
        Lease first = pool->lease(1);
        Lease second = std::move(first);
        first.reset();
        LONGS_EQUAL(0, source.queue_calls);
        LONGS_EQUAL(1, pool->leased());
        CHECK_TRUE(static_cast<bool>(second));
    }
    LONGS_EQUAL(1, source.queue_calls);
}

TEST(Leases, AssignmentGivesTheOldBufferBack) {
    pool->start(source);
    Lease lease = pool->lease(0);
    lease = pool->lease(1);
    LONGS_EQUAL(1, source.queue_calls);
    LONGS_EQUAL(0, source.queued.back());
    LONGS_EQUAL(1, lease.slot());
    lease = Lease();
    LONGS_EQUAL(2, source.queue_calls);
    LONGS_EQUAL(0, pool->leased());
}

TEST(Leases, SelfMoveKeepsTheBuffer) {
    pool->start(source);
    Lease lease = pool->lease(1);
    Lease& same = lease;
    lease = std::move(same);
    CHECK_TRUE(static_cast<bool>(lease));
    LONGS_EQUAL(1, lease.slot());
    LONGS_EQUAL(0, source.queue_calls);
    LONGS_EQUAL(1, pool->leased());
}

TEST(Leases, ALeaseThatOutlivesTheStreamFreesWithoutRequeueing) {
    pool->start(source);
    Lease lease = pool->lease(1);
    pool->stop();
    LONGS_EQUAL(1, source.stops);
    lease.reset();
    LONGS_EQUAL(0, pool->leased());
    LONGS_EQUAL(0, source.queue_calls);
}

TEST(Leases, ALeaseOfAnOldStreamNeverReachesTheRestartedSource) {
    pool->start(source);
    Lease old = pool->lease(1);
    pool->stop();
    const auto next = std::make_shared<BufferPool>(host_pages(3, 64));
    next->start(source);
    LONGS_EQUAL(3, source.queued.size());
    old.reset();
    LONGS_EQUAL(0, source.queue_calls);
    LONGS_EQUAL(3, source.queued.size());
}

TEST(Leases, ALeaseKeepsItsMemoryAlive) {
    pool->start(source);
    Lease lease = pool->lease(0);
    pool->stop();
    const std::weak_ptr<BufferPool> watched = pool;
    pool.reset();
    CHECK_FALSE(watched.expired());
    lease.memory().data()[lease.memory().size() - 1] = 3;
    lease.reset();
    CHECK_TRUE(watched.expired());
}

TEST(Leases, StopIsDoneOnce) {
    pool->stop();
    LONGS_EQUAL(0, source.stops);
    pool->start(source);
    pool->stop();
    pool->stop();
    LONGS_EQUAL(1, source.stops);
}

TEST(Leases, AStreamThatDidNotStartIsNotStreaming) {
    source.refuse_start = true;
    CHECK_THROWS(SourceError, pool->start(source));
    { const Lease lease = pool->lease(0); }
    pool->stop();
    LONGS_EQUAL(0, source.queue_calls);
    LONGS_EQUAL(0, source.stops);
}

TEST(Leases, FrameMemoryMovesAndUnmapsOnce) {
    FrameMemory first(1);
    uint8_t* const at = first.data();
    FrameMemory second = std::move(first);
    POINTERS_EQUAL(at, second.data());
    POINTERS_EQUAL(nullptr, first.data());
    LONGS_EQUAL(0, first.size());
    second = FrameMemory(page_bytes + 1);
    LONGS_EQUAL(2 * page_bytes, second.size());
}

TEST(Leases, AbandonedMemoryStaysForADeviceThatStillWrites) {
    uint8_t* kept = nullptr;
    {
        FrameMemory memory(page_bytes);
        kept = memory.data();
        memory.abandon();
        const FrameMemory moved = std::move(memory);
    }
    kept[0] = 1;  // would end the process if the page were gone
    LONGS_EQUAL(0, ::munmap(kept, page_bytes));
}
