// What becomes of a program's own memory in each mode: what the device sees, and what the host
// sees.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

constexpr size_t words = 64;
constexpr size_t bytes = words * sizeof(cl_uint);
constexpr cl_uint poison = 0xDBDBDBDB;
constexpr cl_int not_aligned = -1143;

constexpr const char* add_source =
    "__kernel void add_100(__global uint* data) { data[get_global_id(0)] += 100; }";

/// Room for aligned memory and for memory one word further on, with 0, 1, 2 ... in it.
struct HostMemory {
    explicit HostMemory(bool aligned) : data(room.data() + (aligned ? 0 : 1)) {
        for (cl_uint i = 0; i < words; ++i) data[i] = i;
    }
    alignas(4096) std::array<cl_uint, words + 1> room{};
    cl_uint* data;
};

/// One story, told by what each side sees: the device adds 100 twice, the host writes into a map
/// and, against the rules, once more after it.
struct Seen {
    cl_uint before_map = 0;  ///< word 1, after the device wrote 101
    bool same_pointer = false;
    cl_uint in_map = 0;       ///< word 1
    cl_uint after_unmap = 0;  ///< word 3, never written by the host; 103
    cl_uint map_write = 0;    ///< word 2 on the device: 700 was written into the map
    cl_uint later_write = 0;  ///< word 4 on the device: 900 was written after the unmap; it had 104
    cl_uint at_the_end = 0;   ///< word 5 in a second map
};

Seen see(const Played& played, cl_uint* host) {
    const cl_mem mem = played.buffer(bytes, CL_MEM_USE_HOST_PTR, host);
    const cl_kernel kernel = played.kernel(add_source, "add_100");
    Played::set(kernel, 0, mem);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {words}));
    Seen seen;
    seen.before_map = host[1];
    auto* mapped = static_cast<cl_uint*>(played.map(mem, CL_MAP_READ | CL_MAP_WRITE, 0, bytes));
    seen.same_pointer = mapped == host;
    seen.in_map = mapped[1];
    mapped[2] = 700;
    played.unmap(mem, mapped);
    seen.after_unmap = host[3];
    host[4] = 900;
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {words}));
    const std::vector<cl_uint> device = played.read(mem, words);
    seen.map_write = device[2];
    seen.later_write = device[4];
    mapped = static_cast<cl_uint*>(played.map(mem, CL_MAP_READ, 0, bytes));
    seen.at_the_end = mapped[5];
    played.unmap(mem, mapped);
    return seen;
}

/// What a map promises holds everywhere.
void check_promises(const Seen& seen) {
    CHECK(seen.same_pointer);
    LONGS_EQUAL(101, seen.in_map);
    LONGS_EQUAL(800, seen.map_write);
    LONGS_EQUAL(205, seen.at_the_end);
}

void check_zero_copy(const Seen& seen) {
    check_promises(seen);
    LONGS_EQUAL(101, seen.before_map);
    LONGS_EQUAL(103, seen.after_unmap);
    LONGS_EQUAL(1000, seen.later_write);
}

void check_shadow(const Seen& seen, cl_uint after_unmap) {
    check_promises(seen);
    LONGS_EQUAL(1, seen.before_map);
    LONGS_EQUAL(after_unmap, seen.after_unmap);
    LONGS_EQUAL(204, seen.later_write);
}

Seen see_in(const char* mode, bool aligned) {
    HostMemory memory(aligned);
    const Played played("gc2000", {{"MEMORY", mode}});
    return see(played, memory.data);
}

/// The answers about a buffer are those of the buffer that was asked for.
void check_answers(const Played& played) {
    HostMemory memory(true);
    const cl_mem mem = played.buffer(bytes, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, memory.data);
    LONGS_EQUAL(CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, ask_mem<cl_mem_flags>(mem, CL_MEM_FLAGS));
    POINTERS_EQUAL(memory.data, ask_mem<void*>(mem, CL_MEM_HOST_PTR));
    LONGS_EQUAL(bytes, ask_mem<size_t>(mem, CL_MEM_SIZE));
    LONGS_EQUAL(0, ask_mem<cl_uint>(mem, CL_MEM_MAP_COUNT));
    void* first = played.map(mem, CL_MAP_READ, 0, bytes / 2);
    void* second = played.map(mem, CL_MAP_READ, bytes / 2, bytes / 2);
    LONGS_EQUAL(2, ask_mem<cl_uint>(mem, CL_MEM_MAP_COUNT));
    played.unmap(mem, first);
    played.unmap(mem, second);
    LONGS_EQUAL(0, ask_mem<cl_uint>(mem, CL_MEM_MAP_COUNT));
    const cl_mem own = played.buffer(bytes, CL_MEM_ALLOC_HOST_PTR);
    LONGS_EQUAL(CL_MEM_ALLOC_HOST_PTR, ask_mem<cl_mem_flags>(own, CL_MEM_FLAGS) &
                                           (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR));
}

/// A part of a buffer behaves like the whole.
void check_part(const Played& played, bool zero_copy) {
    HostMemory memory(true);
    const cl_mem whole = played.buffer(bytes, CL_MEM_USE_HOST_PTR, memory.data);
    const cl_buffer_region region{128, 64};
    cl_int code = CL_SUCCESS;
    const cl_mem part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    const cl_kernel kernel = played.kernel(add_source, "add_100");
    Played::set(kernel, 0, part);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {16}));
    LONGS_EQUAL(zero_copy ? 132 : 32, memory.data[32]);
    auto* mapped = static_cast<cl_uint*>(played.map(part, CL_MAP_READ | CL_MAP_WRITE, 0, 64));
    POINTERS_EQUAL(memory.data + 32, mapped);
    LONGS_EQUAL(132, mapped[0]);
    mapped[1] = 5;
    played.unmap(part, mapped);
    LONGS_EQUAL(5, played.read(whole, words)[33]);
    LONGS_EQUAL(31, played.read(whole, words)[31]);
    LONGS_EQUAL(48, played.read(whole, words)[48]);
}

/// The device's own memory, which the host sees through maps.
void check_allocated(const Played& played) {
    const cl_mem mem = played.buffer(bytes, CL_MEM_ALLOC_HOST_PTR);
    auto* mapped = static_cast<cl_uint*>(played.map(mem, CL_MAP_WRITE, 0, bytes));
    std::fill_n(mapped, words, 7);
    played.unmap(mem, mapped);
    const cl_kernel kernel = played.kernel(add_source, "add_100");
    Played::set(kernel, 0, mem);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {words}));
    mapped = static_cast<cl_uint*>(played.map(mem, CL_MAP_READ, 0, bytes));
    LONGS_EQUAL(107, mapped[0]);
    LONGS_EQUAL(107, mapped[words - 1]);
    played.unmap(mem, mapped);
}

/// Where the kernel says that a page is; 0 where it does not.
uint64_t physical_address(const void* memory) {
    const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    uint64_t entry = 0;
    const auto page = reinterpret_cast<uintptr_t>(memory) / 4096;
    const bool known = ::pread(pagemap, &entry, sizeof entry,
                               static_cast<off_t>(page * sizeof entry)) == sizeof entry;
    ::close(pagemap);
    return known ? (entry & ((uint64_t{1} << 55) - 1)) * 4096 : 0;
}

}  // namespace

TEST_GROUP(Memory){};

TEST(Memory, PassLeavesItAlone) {
    check_zero_copy(see_in("pass", true));
}

TEST(Memory, PassLeavesItAloneWhereverItIs) {
    check_zero_copy(see_in("pass", false));
}

TEST(Memory, ShadowLeavesWholeCacheLinesAlone) {
    check_zero_copy(see_in("shadow", true));
}

TEST(Memory, ShadowCopiesTheRest) {
    check_shadow(see_in("shadow", false), 103);
}

TEST(Memory, ShadowLooksAtTheSizeToo) {
    HostMemory memory(true);
    const Played played("gc2000", {{"MEMORY", "shadow"}});
    const cl_kernel kernel = played.kernel(add_source, "add_100");
    const cl_mem mem = played.buffer(bytes - 1, CL_MEM_USE_HOST_PTR, memory.data);
    Played::set(kernel, 0, mem);
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {words - 1}));
    LONGS_EQUAL(1, memory.data[1]);
}

TEST(Memory, ShadowAllCopiesEverything) {
    check_shadow(see_in("shadow-all", true), 103);
}

TEST(Memory, ShadowAllCopiesEverythingWhereverItIs) {
    check_shadow(see_in("shadow-all", false), 103);
}

TEST(Memory, StrictCopiesAndSpoils) {
    check_shadow(see_in("strict", true), poison);
}

TEST(Memory, StrictCopiesAndSpoilsWhereverItIs) {
    check_shadow(see_in("strict", false), poison);
}

TEST(Memory, NotAlignedTakesWholeCacheLines) {
    check_zero_copy(see_in("not-aligned", true));
}

TEST(Memory, NotAlignedRefusesTheRest) {
    HostMemory memory(false);
    const Played played("gc2000", {{"MEMORY", "not-aligned"}});
    const auto code = [&](size_t size, cl_uint* host) {
        return played.buffer_code(size, CL_MEM_USE_HOST_PTR, host);
    };
    LONGS_EQUAL(not_aligned, code(bytes, memory.data));
    LONGS_EQUAL(not_aligned, code(bytes - 1, memory.room.data()));
    LONGS_EQUAL(CL_SUCCESS, code(bytes - 64, memory.room.data() + 16));
    LONGS_EQUAL(CL_SUCCESS, played.buffer_code(bytes, CL_MEM_COPY_HOST_PTR, memory.data));
}

TEST(Memory, WrongFlagsAreRefusedInEveryMode) {
    for (const char* mode : {"pass", "shadow-all", "strict"}) {
        const Outcome outcome = in_child([&] {
            HostMemory memory(true);
            const Played played("gc2000", {{"MEMORY", mode}});
            for (const cl_mem_flags more :
                 std::array<cl_mem_flags, 2>{CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR}) {
                LONGS_EQUAL(CL_INVALID_VALUE,
                            played.buffer_code(bytes, CL_MEM_USE_HOST_PTR | more, memory.data));
            }
            LONGS_EQUAL(CL_INVALID_HOST_PTR, played.buffer_code(bytes, CL_MEM_USE_HOST_PTR));
        });
        LONGS_EQUAL(0, outcome.code);
    }
}

TEST(Memory, AnswersInPass) {
    check_answers(Played("gc2000", {{"MEMORY", "pass"}}));
}

TEST(Memory, AnswersInShadowAll) {
    check_answers(Played("gc2000", {{"MEMORY", "shadow-all"}}));
}

TEST(Memory, AnswersInStrict) {
    check_answers(Played("gc2000", {{"MEMORY", "strict"}}));
}

TEST(Memory, PartsInPass) {
    check_part(Played("gc2000", {{"MEMORY", "pass"}}), true);
}

TEST(Memory, PartsInShadowAll) {
    check_part(Played("gc2000", {{"MEMORY", "shadow-all"}}), false);
}

TEST(Memory, PartsInStrict) {
    check_part(Played("gc2000", {{"MEMORY", "strict"}}), false);
}

TEST(Memory, AllocatedInPass) {
    check_allocated(Played("gc2000", {{"MEMORY", "pass"}}));
}

TEST(Memory, AllocatedInStrict) {
    check_allocated(Played("gc2000", {{"MEMORY", "strict"}}));
}

TEST(Memory, PagesAbove4GiB) {
    constexpr size_t pages = 64;
    constexpr uint64_t limit = uint64_t{1} << 32;
    void* memory =
        ::mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::fill_n(static_cast<char*>(memory), pages * 4096, 'x');
    const Played played("gc7000l", {{"MEMORY", "pass"}, {"LOW_PAGES", "1"}});
    for (size_t i = 0; i < pages; ++i) {
        char* page = static_cast<char*>(memory) + i * 4096;
        const uint64_t address = physical_address(page);
        const bool fine = address != 0 && address < limit;
        LONGS_EQUAL(fine ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE,
                    played.buffer_code(4096, CL_MEM_USE_HOST_PTR, page));
    }
    LONGS_EQUAL(CL_SUCCESS, played.buffer_code(4096));
}
