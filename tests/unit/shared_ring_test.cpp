// The ring that clients map: what they find in it, that it is never half written, that they cannot
// write.
#include <fcntl.h>
#include <glintd/stream.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "daemon/shared_ring.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using zero_copy::UniqueFd;

namespace {

glintd_stream_header shape_of(uint32_t payload_bytes) {
    glintd_stream_header shape{};
    shape.kind = GLINTD_STREAM_PICTURES;
    shape.payload_bytes = payload_bytes;
    shape.generation = 7;
    return shape;
}

/// Entry `number` of these tests.
void write(SharedRing& ring, uint32_t number) {
    const std::vector<uint8_t> payload(ring.header().payload_bytes, static_cast<uint8_t>(number));
    ring.write({.sequence = number, .timestamp_nsec = uint64_t{number} << 33, .generation = number},
               payload);
}

void write_and_publish(SharedRing& ring, uint32_t number) {
    write(ring, number);
    ring.publish();
}

bool is_whole(const glintd_stream_entry& entry, const std::vector<uint8_t>& payload) {
    const auto number = static_cast<uint32_t>(entry.sequence);
    return entry.number == number && entry.generation == number &&
           entry.timestamp_nsec == uint64_t{number} << 33 &&
           std::ranges::count(payload, static_cast<uint8_t>(number)) ==
               static_cast<std::ptrdiff_t>(payload.size());
}

}  // namespace

TEST_GROUP(SharedRings) {
    SharedRing ring{shape_of(1000)};
    glintd_stream stream{};
    glintd_stream_entry entry{};
    std::vector<uint8_t> payload = std::vector<uint8_t>(1000);

    void setup() override {
        LONGS_EQUAL(0, glintd_stream_map(&stream, ring.open_read_only().get()));
    }
    void teardown() override {
        glintd_stream_unmap(&stream);
    }
    int read() {
        return glintd_stream_read(&stream, &entry, payload.data(), payload.size());
    }
};

TEST(SharedRings, TheHeaderSaysWhatThereIs) {
    const glintd_stream_header& header = *stream.header;
    LONGS_EQUAL(0, std::memcmp(&header, "glst", 4));
    LONGS_EQUAL(1, header.layout_version);
    LONGS_EQUAL(sizeof header, header.header_bytes);
    LONGS_EQUAL(GLINTD_STREAM_PICTURES, header.kind);
    LONGS_EQUAL(3, header.slot_count);
    LONGS_EQUAL(4096, header.first_slot);
    LONGS_EQUAL(64 * 17, header.slot_stride);
    LONGS_EQUAL(1000, header.payload_bytes);
    LONGS_EQUAL(7, header.generation);
    LONGS_EQUAL(4096 + 3 * 64 * 17, stream.mapped_bytes);
    CHECK_FALSE(glintd_stream_ended(&stream));
    ring.end();
    CHECK_TRUE(glintd_stream_ended(&stream));
}

TEST(SharedRings, TheNewestEntryIsReadOnceAndTheMissedAreCounted) {
    LONGS_EQUAL(0, read());
    write(ring, 1);
    LONGS_EQUAL(0, read());
    ring.publish();
    LONGS_EQUAL(1, read());
    CHECK_TRUE(is_whole(entry, payload));
    LONGS_EQUAL(0, entry.missed);
    LONGS_EQUAL(0, read());
    for (uint32_t number = 2; number <= 9; ++number) write_and_publish(ring, number);
    LONGS_EQUAL(1, read());
    CHECK_TRUE(is_whole(entry, payload));
    LONGS_EQUAL(9, entry.sequence);
    LONGS_EQUAL(7, entry.missed);
}

TEST(SharedRings, WhoComesLateHasMissedNothing) {
    for (uint32_t number = 1; number <= 5; ++number) write_and_publish(ring, number);
    LONGS_EQUAL(1, read());
    LONGS_EQUAL(5, entry.number);
    LONGS_EQUAL(0, entry.missed);
}

TEST(SharedRings, AnEntryThatIsNotShownIsWrittenOver) {
    write_and_publish(ring, 1);
    write(ring, 77);
    write(ring, 2);
    LONGS_EQUAL(1, read());
    LONGS_EQUAL(1, entry.sequence);
    ring.publish();
    LONGS_EQUAL(1, read());
    CHECK_TRUE(is_whole(entry, payload));
    LONGS_EQUAL(2, entry.sequence);
}

TEST(SharedRings, AnEntryIsReadWhileTheNextIsWritten) {
    write_and_publish(ring, 1);
    write(ring, 2);
    LONGS_EQUAL(1, read());
    CHECK_TRUE(is_whole(entry, payload));
}

TEST(SharedRings, AReaderWithoutRoomIsTold) {
    write_and_publish(ring, 1);
    LONGS_EQUAL(-ENOBUFS, glintd_stream_read(&stream, &entry, payload.data(), 999));
    LONGS_EQUAL(1, read());
}

TEST(SharedRings, OtherMemoryIsRefused) {
    const UniqueFd memory(::memfd_create("test", MFD_CLOEXEC));
    glintd_stream other{};
    LONGS_EQUAL(-EPROTO, glintd_stream_map(&other, memory.get()));
    LONGS_EQUAL(0, ::ftruncate(memory.get(), 1 << 16));
    LONGS_EQUAL(-EPROTO, glintd_stream_map(&other, memory.get()));
    const auto try_header = [&](auto spoil) {
        glintd_stream_header header = ring.header();
        spoil(header);
        LONGS_EQUAL(sizeof header, ::pwrite(memory.get(), &header, sizeof header, 0));
        const int result = glintd_stream_map(&other, memory.get());
        glintd_stream_unmap(&other);
        return result;
    };
    LONGS_EQUAL(0, try_header([](glintd_stream_header&) {}));
    LONGS_EQUAL(-EPROTO, try_header([](auto& header) { ++header.layout_version; }));
    LONGS_EQUAL(-EPROTO, try_header([](auto& header) { ++header.magic; }));
    LONGS_EQUAL(-EPROTO, try_header([](auto& header) { header.slot_count = 0; }));
    LONGS_EQUAL(-EPROTO, try_header([](auto& header) { header.slot_count = 1 << 16; }));
    LONGS_EQUAL(-EPROTO, try_header([](auto& header) { header.slot_count = 1U << 31; }));
    LONGS_EQUAL(-EPROTO, try_header([](auto& header) { header.payload_bytes = 64 * 17 - 63; }));
    LONGS_EQUAL(-EPROTO, try_header([](auto& header) { header.slot_stride = 63; }));
    LONGS_EQUAL(-EBADF, glintd_stream_map(&other, -1));
}

/// Each time it looks, the slot is being written, or has been written anew.
TEST(SharedRings, AReaderThatIsTooSlowIsTold) {
    const UniqueFd memory(::memfd_create("test", MFD_CLOEXEC));
    LONGS_EQUAL(0, ::ftruncate(memory.get(), 1 << 16));
    glintd_stream_header header = ring.header();
    header.newest = 1;
    LONGS_EQUAL(sizeof header, ::pwrite(memory.get(), &header, sizeof header, 0));
    glintd_stream other{};
    LONGS_EQUAL(0, glintd_stream_map(&other, memory.get()));
    const auto read_slot = [&](const glintd_stream_slot& slot) {
        LONGS_EQUAL(sizeof slot, ::pwrite(memory.get(), &slot, sizeof slot,
                                          header.first_slot + header.slot_stride));
        return glintd_stream_read(&other, &entry, payload.data(), payload.size());
    };
    LONGS_EQUAL(-EBUSY, read_slot({.lock = 1, .number = 1}));
    LONGS_EQUAL(-EBUSY, read_slot({.lock = 4, .number = 4}));
    LONGS_EQUAL(1, read_slot({.lock = 2, .number = 1}));
    glintd_stream_unmap(&other);
}

TEST(SharedRings, NobodyCanWriteIt) {
    const UniqueFd memory = ring.open_read_only();
    struct stat status {};
    LONGS_EQUAL(0, ::fstat(memory.get(), &status));
    LONGS_EQUAL(0444, status.st_mode & 0777);
    LONGS_EQUAL(-1, ::pwrite(memory.get(), "x", 1, 0));
    LONGS_EQUAL(-1, ::ftruncate(memory.get(), 0));
    POINTERS_EQUAL(MAP_FAILED, ::mmap(nullptr, 64, PROT_WRITE, MAP_SHARED, memory.get(), 0));
    LONGS_EQUAL(-1, ::mprotect(const_cast<glintd_stream_header*>(stream.header), 64,
                               PROT_READ | PROT_WRITE));
    LONGS_EQUAL(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE,
                ::fcntl(memory.get(), F_GET_SEALS));
    write_and_publish(ring, 1);  // but for us
    LONGS_EQUAL(1, read());
}

// ThreadSanitizer knows no fences.
#ifndef __SANITIZE_THREAD__
TEST(SharedRings, NoReaderSeesHalfAnEntry) {
    constexpr uint32_t entries = 20'000;
    SharedRing large(shape_of(16384));
    glintd_stream mapped{};
    LONGS_EQUAL(0, glintd_stream_map(&mapped, large.open_read_only().get()));
    std::atomic<bool> begun = false;
    std::thread writer([&] {
        while (!begun) std::this_thread::yield();
        for (uint32_t number = 1; number <= entries; ++number) write_and_publish(large, number);
    });
    std::vector<uint8_t> copy(16384);
    uint32_t whole = 0;
    uint32_t torn = 0;
    uint64_t seen = 0;
    bool in_order = true;
    begun = true;
    while (mapped.last < entries) {
        if (glintd_stream_read(&mapped, &entry, copy.data(), copy.size()) != 1) continue;
        ++(is_whole(entry, copy) ? whole : torn);
        in_order &= entry.number > seen && (seen == 0 || entry.missed == entry.number - seen - 1);
        seen = entry.number;
    }
    writer.join();
    glintd_stream_unmap(&mapped);
    LONGS_EQUAL(0, torn);
    CHECK_TRUE(in_order);
    CHECK(whole > 0);
    LONGS_EQUAL(entries, seen);
}
#endif
