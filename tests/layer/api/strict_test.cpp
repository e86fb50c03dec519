// Strict memory: a missing map shows as wrong data, and whoever maps and unmaps is served right.
#include <algorithm>
#include <array>
#include <cstring>

#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

constexpr size_t words = 64;
constexpr size_t bytes = words * sizeof(cl_uint);
constexpr cl_uint poison = 0xDBDBDBDB;

/// A buffer over memory of the host's with 0, 1, 2 ... in it, and a kernel that adds 100.
struct Strict {
    Strict() : played("gc2000", {{"MEMORY", "strict"}}) {
        for (cl_uint i = 0; i < words; ++i) host[i] = i;
        mem = played.buffer(bytes, CL_MEM_USE_HOST_PTR, host.data());
        kernel = played.kernel(
            "__kernel void add_100(__global uint* data) { data[get_global_id(0)] += 100; }",
            "add_100");
        Played::set(kernel, 0, mem);
    }
    void add_100() const { LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {words})); }
    [[nodiscard]] cl_uint* map(cl_map_flags flags, size_t first = 0, size_t count = words) const {
        return static_cast<cl_uint*>(played.map(mem, flags, first * 4, count * 4));
    }
    void unmap(cl_uint* pointer) const { played.unmap(mem, pointer); }
    [[nodiscard]] cl_uint on_device(size_t index) const { return played.read(mem, words)[index]; }

    Played played;
    alignas(4096) std::array<cl_uint, words> host{};
    cl_mem mem = nullptr;
    cl_kernel kernel = nullptr;
};

cl_command_type type_of(cl_event event) {
    cl_command_type type = 0;
    LONGS_EQUAL(CL_SUCCESS,
                clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
    return type;
}

/// The event completes, and says that it was this.
void check_event(cl_event event, cl_command_type type) {
    CHECK(event != nullptr);
    LONGS_EQUAL(CL_SUCCESS, clWaitForEvents(1, &event));
    LONGS_EQUAL(type, type_of(event));
    LONGS_EQUAL(CL_SUCCESS, clReleaseEvent(event));
}

}  // namespace

TEST_GROUP(Strict){};

TEST(Strict, ResultsAreNotSeenWithoutAMap) {
    Strict strict;
    strict.unmap(strict.map(CL_MAP_READ));
    strict.add_100();
    LONGS_EQUAL(poison, strict.host[1]);
    LONGS_EQUAL(101, strict.map(CL_MAP_READ)[1]);
}

TEST(Strict, AReadIsAsGoodAsAMap) {
    Strict strict;
    strict.add_100();
    LONGS_EQUAL(CL_SUCCESS, clEnqueueReadBuffer(strict.played.queue, strict.mem, CL_TRUE, 0, bytes,
                                                strict.host.data(), 0, nullptr, nullptr));
    LONGS_EQUAL(163, strict.host[63]);
}

TEST(Strict, WritesReachTheDeviceInTheMapOnly) {
    Strict strict;
    strict.host[1] = 5000;
    cl_uint* mapped = strict.map(CL_MAP_WRITE);
    mapped[2] = 6000;
    strict.unmap(mapped);
    strict.host[3] = 7000;
    strict.add_100();
    LONGS_EQUAL(101, strict.on_device(1));
    LONGS_EQUAL(6100, strict.on_device(2));
    LONGS_EQUAL(103, strict.on_device(3));
}

TEST(Strict, WhatIsWrittenIntoAMapForReadingIsLost) {
    Strict strict;
    cl_uint* mapped = strict.map(CL_MAP_READ);
    mapped[2] = 6000;
    strict.unmap(mapped);
    LONGS_EQUAL(2, strict.on_device(2));
}

TEST(Strict, PartsAreMappedAlone) {
    Strict strict;
    strict.add_100();
    cl_uint* mapped = strict.map(CL_MAP_READ | CL_MAP_WRITE, 10, 5);
    POINTERS_EQUAL(strict.host.data() + 10, mapped);
    LONGS_EQUAL(110, mapped[0]);
    LONGS_EQUAL(9, strict.host[9]);
    LONGS_EQUAL(15, strict.host[15]);
    mapped[4] = 1;
    strict.unmap(mapped);
    LONGS_EQUAL(9, strict.host[9]);
    LONGS_EQUAL(poison, strict.host[10]);
    LONGS_EQUAL(poison, strict.host[14]);
    LONGS_EQUAL(15, strict.host[15]);
    LONGS_EQUAL(1, strict.on_device(14));
    LONGS_EQUAL(115, strict.on_device(15));
}

TEST(Strict, TwoPartsAtOnce) {
    Strict strict;
    cl_uint* left = strict.map(CL_MAP_WRITE, 0, 32);
    cl_uint* right = strict.map(CL_MAP_WRITE, 32, 32);
    left[0] = 7;
    right[0] = 8;
    strict.unmap(left);
    right[1] = 9;
    strict.unmap(right);
    LONGS_EQUAL(7, strict.on_device(0));
    LONGS_EQUAL(8, strict.on_device(32));
    LONGS_EQUAL(9, strict.on_device(33));
}

TEST(Strict, TwoReadersOfTheSamePart) {
    Strict strict;
    strict.add_100();
    cl_uint* first = strict.map(CL_MAP_READ);
    cl_uint* second = strict.map(CL_MAP_READ, 0, 32);
    strict.unmap(first);
    LONGS_EQUAL(101, second[1]);
    LONGS_EQUAL(131, second[31]);
    LONGS_EQUAL(poison, strict.host[32]);
    strict.unmap(second);
    LONGS_EQUAL(poison, strict.host[1]);
    LONGS_EQUAL(101, strict.on_device(1));
}

TEST(Strict, AMapThatInvalidatesReachesTheDeviceWhole) {
    Strict strict;
    cl_int code = CL_SUCCESS;
    auto* mapped = static_cast<cl_uint*>(clEnqueueMapBuffer(strict.played.queue, strict.mem,
                                                            CL_TRUE, CL_MAP_WRITE, 0, bytes, 0,
                                                            nullptr, nullptr, &code));
    LONGS_EQUAL(CL_SUCCESS, code);
    std::fill_n(mapped, words, 11);
    strict.unmap(mapped);
    strict.add_100();
    LONGS_EQUAL(111, strict.on_device(0));
    LONGS_EQUAL(111, strict.on_device(63));
}

TEST(Strict, InvalidatingIsFor12) {
    const Played played("gc7000l", {{"MEMORY", "strict"}});
    alignas(4096) static std::array<cl_uint, words> host{};
    const cl_mem mem = played.buffer(bytes, CL_MEM_USE_HOST_PTR, host.data());
    cl_event mapped_event = nullptr;
    cl_int code = CL_SUCCESS;
    auto* mapped = static_cast<cl_uint*>(
        clEnqueueMapBuffer(played.queue, mem, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0,
                           nullptr, &mapped_event, &code));
    LONGS_EQUAL(CL_SUCCESS, code);
    check_event(mapped_event, CL_COMMAND_MAP_BUFFER);
    std::fill_n(mapped, words, 12);
    played.unmap(mem, mapped);
    LONGS_EQUAL(12, played.read(mem, words)[63]);
}

TEST(Strict, EventsSayWhatWasAskedFor) {
    Strict strict;
    cl_event event = nullptr;
    cl_int code = CL_SUCCESS;
    for (const cl_map_flags flags : {cl_map_flags{CL_MAP_READ}, cl_map_flags{CL_MAP_WRITE}}) {
        void* mapped = clEnqueueMapBuffer(strict.played.queue, strict.mem, CL_FALSE, flags, 0,
                                          bytes, 0, nullptr, &event, &code);
        LONGS_EQUAL(CL_SUCCESS, code);
        check_event(event, CL_COMMAND_MAP_BUFFER);
        LONGS_EQUAL(CL_SUCCESS, clEnqueueUnmapMemObject(strict.played.queue, strict.mem, mapped, 0,
                                                        nullptr, &event));
        check_event(event, CL_COMMAND_UNMAP_MEM_OBJECT);
    }
    LONGS_EQUAL(CL_SUCCESS, clEnqueueTask(strict.played.queue, strict.kernel, 0, nullptr, &event));
    strict.played.finish();
    CHECK(type_of(event) == CL_COMMAND_TASK || type_of(event) == CL_COMMAND_NDRANGE_KERNEL);
}

TEST(Strict, MapsWaitForWhatTheyAreToldTo) {
    Strict strict;
    cl_int code = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(strict.played.context, &code);
    LONGS_EQUAL(CL_SUCCESS, code);
    cl_event mapped = nullptr;
    CHECK(nullptr != clEnqueueMapBuffer(strict.played.queue, strict.mem, CL_FALSE, CL_MAP_READ, 0,
                                        bytes, 1, &gate, &mapped, &code));
    LONGS_EQUAL(CL_SUCCESS, clFlush(strict.played.queue));
    cl_int status = 0;
    LONGS_EQUAL(CL_SUCCESS, clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                           &status, nullptr));
    CHECK(status > CL_COMPLETE);
    LONGS_EQUAL(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    check_event(mapped, CL_COMMAND_MAP_BUFFER);
}

TEST(Strict, WhatIsNotMappedCannotBeUnmapped) {
    Strict strict;
    cl_uint* mapped = strict.map(CL_MAP_READ);
    strict.unmap(mapped);
    LONGS_EQUAL(CL_INVALID_VALUE, clEnqueueUnmapMemObject(strict.played.queue, strict.mem, mapped,
                                                          0, nullptr, nullptr));
    LONGS_EQUAL(CL_INVALID_VALUE,
                clEnqueueUnmapMemObject(strict.played.queue, strict.mem, strict.host.data() + 1, 0,
                                        nullptr, nullptr));
}

TEST(Strict, APlaceOutsideIsTheDriversToRefuse) {
    Strict strict;
    cl_int code = CL_SUCCESS;
    POINTERS_EQUAL(nullptr, clEnqueueMapBuffer(strict.played.queue, strict.mem, CL_TRUE,
                                               CL_MAP_READ, 4, bytes, 0, nullptr, nullptr, &code));
    LONGS_EQUAL(CL_INVALID_VALUE, code);
    LONGS_EQUAL(0, ask_mem<cl_uint>(strict.mem, CL_MEM_MAP_COUNT));
}

TEST(Strict, AllocatedMemoryIsSpoiledToo) {
    const Played played("gc2000", {{"MEMORY", "strict"}});
    const cl_mem mem = played.buffer(bytes, CL_MEM_ALLOC_HOST_PTR);
    auto* mapped = static_cast<cl_uint*>(played.map(mem, CL_MAP_WRITE, 0, bytes));
    std::fill_n(mapped, words, 7);
    played.unmap(mem, mapped);
    LONGS_EQUAL(poison, mapped[0]);  // a careless program still has the pointer
    mapped[1] = 9;
    LONGS_EQUAL(7, played.read(mem, words)[1]);
    auto* part = static_cast<cl_uint*>(played.map(mem, CL_MAP_READ, 16, 16));
    POINTERS_EQUAL(mapped + 4, part);
    LONGS_EQUAL(7, part[0]);
}
