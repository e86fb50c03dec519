// What the tools measure: that nothing of the catalogue is left out, what work needs by definition,
// and that a wrong result is told from a right one.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "tools/task.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::tools;
using glint::gpu::Lane;
using glint::kernels::Operator;
using glint::kernels::Variant;

namespace {

constexpr uint64_t pixels = 40 * 6;

/// 40 x 6 pixels.
Lane lane_of(const Task& task) {
    return {.stride_bytes = 40 * task.pixel_bytes,
            .step_bytes = task.pixel_bytes,
            .width = 40,
            .height = 6};
}

/// The last of that name: of float samples, where there are two.
const Task& task_named(std::string_view name) {
    const Task* found = nullptr;
    for (const Task& task : tasks()) {
        if (task.name == name) found = &task;
    }
    CHECK_TEXT(found != nullptr, std::string(name).c_str());
    return *found;
}

void check_cost(std::string_view name, double read, double written, double multiply_adds) {
    const Task& task = task_named(name);
    const Cost cost = cost_of(task, lane_of(task));
    const std::string text(name);
    DOUBLES_EQUAL_TEXT(read, static_cast<double>(cost.bytes_read) / pixels, 0, text.c_str());
    DOUBLES_EQUAL_TEXT(written, static_cast<double>(cost.bytes_written) / pixels, 0, text.c_str());
    DOUBLES_EQUAL_TEXT(multiply_adds, static_cast<double>(cost.multiply_adds) / pixels, 0,
                       text.c_str());
}

/// Noise from xorshift32; as floats where the task takes those.
std::vector<uint8_t> frame_for(const Task& task) {
    uint32_t state = 1;
    std::vector<uint8_t> bytes(pixels * task.pixel_bytes);
    for (uint8_t& byte : bytes) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        byte = static_cast<uint8_t>(state >> 9);
    }
    if (!has_float_samples(task)) return bytes;
    std::vector<uint8_t> floats(bytes.size() * sizeof(float));
    std::ranges::copy(bytes, reinterpret_cast<float*>(floats.data()));
    return floats;
}

}  // namespace

TEST_GROUP(Task){};

TEST(Task, EveryVariantOfTheCatalogueHasOne) {
    for (const Variant& variant : glint::kernels::catalogue()) {
        const bool found = std::ranges::any_of(tasks(), [&](const Task& task) {
            return task.op == variant.op && has_float_samples(task) == variant.float_samples;
        });
        CHECK_TEXT(found, std::string(variant.name).c_str());
    }
}

TEST(Task, FiltersOfEverySizeAreSeparableAndNot) {
    std::map<uint32_t, std::set<bool>> separable;
    for (const Task& task : tasks()) {
        if (task.op != Operator::convolution) continue;
        const uint64_t each = cost_of(task, lane_of(task)).multiply_adds / pixels;
        separable[task.filter_size].insert(each < task.filter_size * task.filter_size);
    }
    LONGS_EQUAL(5, separable.size());
    for (const uint32_t size : {3U, 5U, 7U, 15U, 31U}) LONGS_EQUAL(2, separable[size].size());
}

TEST(Task, BytesAndOperationsAreThoseOfTheDefinition) {
    check_cost("histogram", 1, 0, 1);
    check_cost("binomial3", 1, 1, 6);
    check_cost("binomial5", 1, 1, 10);
    check_cost("general3", 1, 1, 9);
    check_cost("general5", 1, 1, 25);
    check_cost("gaussian7", 1, 1, 14);
    check_cost("gaussian31", 1, 1, 62);
    check_cost("general31", 1, 1, 961);
    check_cost("float5", 4, 4, 25);
    check_cost("lookup", 1, 1, 0);
    check_cost("sobel", 1, 1, 12);
    check_cost("downscale", 1, 0.25, 1);
    check_cost("normalise", 1, 1, 2);
    check_cost("planar", 3, 3, 0);
    check_cost("sharpness", 1, 0, 6);
    check_cost("general5_histogram", 1, 0, 26);
}

TEST(Task, SamplesThatLieApartAreReadWithWhatIsBetweenThem) {
    const Lane apart{.stride_bytes = 120, .step_bytes = 3, .width = 40, .height = 6};
    LONGS_EQUAL(3 * pixels, cost_of(task_named("binomial3"), apart).bytes_read);
    LONGS_EQUAL(pixels, cost_of(task_named("binomial3"), apart).bytes_written);
}

TEST(Task, OnlyWhatTakesPixelsApartAsksForALayout) {
    const Lane grey{.stride_bytes = 40, .width = 40, .height = 6};
    for (const Task& task : tasks()) {
        CHECK_EQUAL_TEXT(task.name != "planar", takes(task, grey), std::string(task.name).c_str());
        CHECK_TEXT(takes(task, lane_of(task)), std::string(task.name).c_str());
    }
}

TEST(Task, AResultThatIsWrongAnywhereIsTold) {
    for (const Task& task : tasks()) {
        const std::string name(task.name);
        const Lane lane = lane_of(task);
        const std::vector<uint8_t> frame = frame_for(task);
        std::vector<uint8_t> expected(result_bytes(task, lane));
        compute_on_cpu(task, frame.data(), lane, expected);
        // Sharpness: one sum, which is its own only part.
        STRCMP_EQUAL_TEXT("", difference(task, lane, expected, expected).c_str(), name.c_str());
        for (const size_t at : {size_t{0}, expected.size() / 8 * 4, expected.size() - 4}) {
            std::vector<uint8_t> got = expected;
            // The highest byte of a number of four, or a pixel.
            got[at + 3] = static_cast<uint8_t>(got[at + 3] + 0x40);
            const std::string wrong = difference(task, lane, got, expected);
            CHECK_TEXT(!wrong.empty(), fmt::format("{} at {}", name, at).c_str());
        }
    }
}

TEST(Task, FloatsMayDifferAsMuchAsTheirBoundSays) {
    for (const Task& task : tasks()) {
        if (!is_of_floats(task)) continue;
        const Lane lane = lane_of(task);
        const std::vector<uint8_t> frame = frame_for(task);
        std::vector<uint8_t> expected(result_bytes(task, lane));
        compute_on_cpu(task, frame.data(), lane, expected);
        std::vector<uint8_t> near = expected;
        if (has_float_samples(task)) {
            *reinterpret_cast<float*>(near.data()) *= 1 + 1e-6F;
        } else {
            near[0] = static_cast<uint8_t>(near[0] == 0 ? 1 : near[0] - 1);
        }
        STRCMP_EQUAL("", difference(task, lane, near, expected).c_str());
    }
}
