// What a launch may ask for: each limit is crossed by one, and kept to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer::test;

namespace {

/// Each work-item writes its place, so that a launch that was let in can be seen to be whole.
constexpr const char* places = R"(
__kernel void places(__global uint* out) {
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    out[y * get_global_size(0) + x - get_global_offset(0)] = x + 1000000 * y;
}
)";

constexpr size_t hardware = 65536;

struct Writer {
    explicit Writer(const Played& played)
        : out(played.buffer(hardware * sizeof(cl_uint))),
          kernel(played.kernel(places, "places")),
          device(played) {
        Played::set(kernel, 0, out);
    }
    [[nodiscard]] cl_uint at(size_t index) const { return device.read(out, hardware)[index]; }

    cl_mem out;
    cl_kernel kernel;
    const Played& device;
};

/// The limit that the kernel has under this seed, after it was kept to and crossed by one.
size_t limit_with_seed(const std::string& profile, int seed) {
    const Outcome outcome = in_child([&] {
        const Played played(profile, {{"SEED", fmt::format("{}", seed)}});
        const Writer writer(played);
        const size_t limit = played.work_group_limit(writer.kernel);
        LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {2 * limit}, {limit}));
        LONGS_EQUAL(2 * limit - 1, writer.at(2 * limit - 1));
        LONGS_EQUAL(CL_INVALID_WORK_GROUP_SIZE,
                    played.launch(writer.kernel, {limit + 1}, {limit + 1}));
        if (profile == "gc7000l") {
            LONGS_EQUAL(CL_INVALID_WORK_GROUP_SIZE, played.launch(writer.kernel, {1350}, {135}));
        }
        fmt::print("{}", limit);
    });
    STRCMP_EQUAL("", outcome.err.c_str());
    LONGS_EQUAL(0, outcome.code);
    return std::stoul(outcome.out);
}

std::string limits_of_all_seeds(const std::string& profile) {
    std::set<size_t> limits;
    for (int seed = 0; seed <= 6; ++seed) limits.insert(limit_with_seed(profile, seed));
    return fmt::format("{}", fmt::join(limits, " "));
}

}  // namespace

TEST_GROUP(LaunchLimits){};

TEST(LaunchLimits, GlobalSizeWithoutAnOffset) {
    const Played played("gc2000");
    const Writer writer(played);
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {hardware}));
    LONGS_EQUAL(hardware - 1, writer.at(hardware - 1));
    LONGS_EQUAL(CL_INVALID_GLOBAL_WORK_SIZE, played.launch(writer.kernel, {hardware + 1}));
}

TEST(LaunchLimits, GlobalSizeEndsWithItsOffset) {
    const Played played("gc7000l");
    const Writer writer(played);
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {hardware - 1}, {}, {1}));
    LONGS_EQUAL(hardware - 1, writer.at(hardware - 2));
    LONGS_EQUAL(CL_INVALID_GLOBAL_WORK_SIZE, played.launch(writer.kernel, {hardware}, {}, {1}));
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {1}, {}, {hardware - 1}));
    LONGS_EQUAL(CL_INVALID_GLOBAL_WORK_SIZE, played.launch(writer.kernel, {1}, {}, {hardware}));
}

TEST(LaunchLimits, GlobalSizeInEachDimension) {
    const Played played("gc2000");
    const Writer writer(played);
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {1, hardware}));
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {1, 1, hardware}));
    for (const Played::Sizes& global : {Played::Sizes{1, hardware + 1}, {1, 1, hardware + 1}}) {
        LONGS_EQUAL(CL_INVALID_GLOBAL_WORK_SIZE, played.launch(writer.kernel, global));
    }
}

TEST(LaunchLimits, LocalSizeMustDivide) {
    const Played played("gc7000l");
    const Writer writer(played);
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {96}, {8}));
    LONGS_EQUAL(95, writer.at(95));
    LONGS_EQUAL(CL_INVALID_WORK_GROUP_SIZE, played.launch(writer.kernel, {97}, {8}));
    LONGS_EQUAL(CL_INVALID_WORK_GROUP_SIZE, played.launch(writer.kernel, {8, 9}, {4, 4}));
    LONGS_EQUAL(CL_INVALID_WORK_GROUP_SIZE, played.launch(writer.kernel, {8}, {0}));
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {8, 8}, {4, 4}));
    LONGS_EQUAL(7000007, writer.at(63));
}

TEST(LaunchLimits, EveryWorkGroupLimitOfGc2000Occurs) {
    STRCMP_EQUAL("16 48 64 100 128 192 256", limits_of_all_seeds("gc2000").c_str());
}

TEST(LaunchLimits, EveryWorkGroupLimitOfGc7000lOccursAndNoneLetsIn135) {
    STRCMP_EQUAL("64 100 128 134", limits_of_all_seeds("gc7000l").c_str());
}

TEST(LaunchLimits, TheProductOfTheDimensionsCounts) {
    const Played played("gc7000l");
    const Writer writer(played);
    const size_t half = played.work_group_limit(writer.kernel) / 2;
    LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {half, 2}, {half, 2}));
    LONGS_EQUAL(CL_INVALID_WORK_GROUP_SIZE,
                played.launch(writer.kernel, {half + 1, 2}, {half + 1, 2}));
}

TEST(LaunchLimits, LocalSizeInADimension) {
    // With seed 0, 1 or 2 the kernel's own limit is the device's 1024.
    for (int seed = 0; seed < 3; ++seed) {
        const Outcome outcome = in_child([&] {
            const Played played("gc7000xsvx", {{"SEED", fmt::format("{}", seed)}});
            const Writer writer(played);
            if (played.work_group_limit(writer.kernel) != 1024) return;
            LONGS_EQUAL(CL_SUCCESS, played.launch(writer.kernel, {1024}, {1024}));
            LONGS_EQUAL(1023, writer.at(1023));
            LONGS_EQUAL(CL_INVALID_WORK_ITEM_SIZE, played.launch(writer.kernel, {1025}, {1025}));
            fmt::print("seen");
        });
        LONGS_EQUAL(0, outcome.code);
        if (outcome.out == "seen") return;
    }
    FAIL("no seed gave the kernel 1024 work-items");
}

TEST(LaunchLimits, RequiredSizeMustBeGiven) {
    const Played played("gc7000l");
    const cl_kernel kernel = played.kernel(R"(
        __kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(__global uint* out) {
            out[get_global_id(0)] = get_local_size(0);
        })",
                                           "eight");
    const cl_mem out = played.buffer(64);
    Played::set(kernel, 0, out);
    LONGS_EQUAL(CL_INVALID_WORK_GROUP_SIZE, played.launch(kernel, {16}));
    LONGS_EQUAL(CL_SUCCESS, played.launch(kernel, {16}, {8}));
    LONGS_EQUAL(8, played.read(out, 16)[15]);
}

TEST(LaunchLimits, TasksAreLaunchesOfOne) {
    const Played played("gc2000");
    const Writer writer(played);
    LONGS_EQUAL(CL_SUCCESS, clEnqueueTask(played.queue, writer.kernel, 0, nullptr, nullptr));
    LONGS_EQUAL(0, writer.at(0));
}

TEST(LaunchLimits, TheDriverWordsWhatIsNoLimit) {
    const Played played("gc2000");
    const Writer writer(played);
    constexpr size_t one = 1;
    LONGS_EQUAL(CL_INVALID_WORK_DIMENSION,
                clEnqueueNDRangeKernel(played.queue, writer.kernel, 4, nullptr, &one, nullptr, 0,
                                       nullptr, nullptr));
    LONGS_EQUAL(CL_INVALID_KERNEL, played.launch(nullptr, {1}));
    LONGS_EQUAL(CL_INVALID_EVENT_WAIT_LIST,
                clEnqueueNDRangeKernel(played.queue, writer.kernel, 1, nullptr, &one, nullptr, 1,
                                       nullptr, nullptr));
}
