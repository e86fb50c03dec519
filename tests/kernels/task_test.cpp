// The tools' tasks: each variant has one at least, and does what the cpu variant does.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/kernels/device.hpp"
#include "tools/workload.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

constexpr gpu::FrameSize size{61, 37};

/// Empty for a variant that this device has no room for.
std::string wrong_result(const kernels::Variant& variant, const tools::Task& task) {
    static const gpu::QueueHandle measuring = context().make_queue(true);
    gpu::BinaryCache no_cache("");
    try {
        auto built =
            gpu::build_variant(context(), no_cache, variant, tools::built_size(variant, task));
        tools::Workload workload(context(), measuring.get(), task, size);
        return workload.wrong_result(workload.launch(std::move(built)));
    } catch (const gpu::ClError& error) {
        const bool refused =
            error.code() == CL_OUT_OF_RESOURCES || error.code() == CL_IMAGE_FORMAT_NOT_SUPPORTED;
        return refused ? "" : error.what();
    }
}

/// How many filter sizes the table has for a variant.
size_t sizes_taken(const kernels::Variant& variant, bool takes_no_filter) {
    if (takes_no_filter) return 1;
    return variant.needs.any_size ? 5 : 2;
}

}  // namespace

TEST_GROUP(Tasks){};

TEST(Tasks, EveryVariantDoesEachTaskThatItTakes) {
    for (const kernels::Variant& variant : kernels::catalogue()) {
        if (!gpu::why_illegal(variant.needs, context().device.traits).empty()) continue;
        std::set<uint32_t> filter_sizes;
        for (const tools::Task& task : tools::tasks()) {
            if (!takes(variant, task)) continue;
            filter_sizes.insert(task.filter_size);
            STRCMP_EQUAL_TEXT("", wrong_result(variant, task).c_str(),
                              fmt::format("{} of {}", task.name, variant.name).c_str());
        }
        LONGS_EQUAL_TEXT(sizes_taken(variant, filter_sizes.contains(0)), filter_sizes.size(),
                         std::string(variant.name).c_str());
    }
}

TEST(Tasks, TheHardestIsTheMostGeneralOfItsSize) {
    const auto hardest = [](kernels::Operator op, const char* name, uint32_t filter_size) {
        const tools::Task* task = tools::hardest_task(*kernels::find(op, name), filter_size);
        return task == nullptr ? std::string("none") : std::string(task->name);
    };
    using kernels::Operator;
    STRCMP_EQUAL("general5", hardest(Operator::convolution, "march_rows", 5).c_str());
    STRCMP_EQUAL("binomial5", hardest(Operator::convolution, "march_binomial", 5).c_str());
    STRCMP_EQUAL("gaussian15", hardest(Operator::convolution, "separable", 15).c_str());
    STRCMP_EQUAL("general15", hardest(Operator::convolution, "any_size", 15).c_str());
    STRCMP_EQUAL("none", hardest(Operator::convolution, "march_rows", 7).c_str());
    STRCMP_EQUAL("sobel", hardest(Operator::sobel, "sobel_pairs", 0).c_str());
}
