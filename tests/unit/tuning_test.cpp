// What a tuning answers: which size, which variants in which order, or rather the CPU.
#include <string>
#include <vector>

#include "daemon/gpu/tuning.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using glint::kernels::find;
using glint::kernels::Operator;
using glint::kernels::Variant;
using glint::test::missing_in;

namespace {

TuningKey key(FrameSize size, const char* variant = "", uint32_t filter_size = 3) {
    return {.device = "gc",
            .driver = "drv",
            .size = size,
            .op = Operator::convolution,
            .filter_size = filter_size,
            .variant = variant};
}

TunedVariant takes(double ms) {
    return {.tunables = {{"ROWS", 8}},
            .ms = ms,
            .default_ms = 2,
            .wall_ms = 3,
            .cpu_ms = 4,
            .file = "t.toml"};
}

std::string names(const std::vector<Measured>& measured) {
    std::string text;
    for (const Measured& one : measured) text += std::string(one.variant) + " ";
    return text;
}

std::string names(const std::vector<const Variant*>& ladder) {
    std::string text;
    for (const Variant* one : ladder) text += std::string(one->name) + " ";
    return text;
}

std::vector<const Variant*> ladder(std::initializer_list<const char*> names) {
    std::vector<const Variant*> result;
    for (const char* name : names) result.push_back(find(Operator::convolution, name));
    return result;
}

}  // namespace

TEST_GROUP(Tunings) {
    Tuning tuning;
    std::string size_found(FrameSize wanted) {
        const auto measured = find_measured(tuning, key(wanted));
        return measured.empty() ? "none" : to_string(measured.front().size);
    }
};

TEST(Tunings, TheFastestVariantComesFirst) {
    tuning[key({640, 480}, "int_rows")] = takes(1.5);
    tuning[key({640, 480}, "float4_rows")] = takes(1.0);
    tuning[key({640, 480}, "march_rows")] = takes(1.2);
    STRCMP_EQUAL("float4_rows march_rows int_rows ",
                 names(find_measured(tuning, key({640, 480}))).c_str());
}

TEST(Tunings, NothingOfAnotherDeviceDriverOrFilterCounts) {
    tuning[key({640, 480}, "int_rows", 5)] = takes(1);
    TuningKey other = key({640, 480}, "int_rows");
    other.device = "gc2";
    tuning[other] = takes(1);
    other = key({640, 480}, "int_rows");
    other.driver = "drv2";
    tuning[other] = takes(1);
    LONGS_EQUAL(0, find_measured(tuning, key({640, 480})).size());
}

TEST(Tunings, TheExactSizeThenTheNearestThatHasUpToTwiceAsManyPixels) {
    tuning[key({640, 480}, "int_rows")] = takes(1);
    tuning[key({1280, 720}, "int_rows")] = takes(1);
    tuning[key({720, 1280}, "int_rows")] = takes(1);
    STRCMP_EQUAL("640x480", size_found({640, 480}).c_str());
    STRCMP_EQUAL("720x1280", size_found({720, 1280}).c_str());
    STRCMP_EQUAL("640x480", size_found({640, 400}).c_str());
    STRCMP_EQUAL("640x480", size_found({800, 600}).c_str());  // 1.56 times as many
    STRCMP_EQUAL("640x480", size_found({320, 480}).c_str());  // exactly half
    STRCMP_EQUAL("none", size_found({319, 480}).c_str());
    STRCMP_EQUAL("720x1280", size_found({1024, 768}).c_str());
    STRCMP_EQUAL("none", size_found({1920, 1080}).c_str());  // 2.25 times 1280x720
}

TEST(Tunings, MeasuredVariantsCompeteForTheirPlacesInTheLadder) {
    for (const auto& [name, ms] : {std::pair{"march_rows", 2.0}, {"int_rows", 1.0}}) {
        tuning[key({640, 480}, name)] = takes(ms);
    }
    const auto measured = find_measured(tuning, key({640, 480}));
    STRCMP_EQUAL(
        "march_binomial int_rows float4_rows march_rows ",
        names(order_by_time(ladder({"march_binomial", "march_rows", "float4_rows", "int_rows"}),
                            Operator::convolution, measured))
            .c_str());
}

TEST(Tunings, OneThatIsNotInTheLadderTakesPart) {
    for (const auto& [name, ms] : {std::pair{"march_rows", 2.0}, {"wide_rows", 1.0}}) {
        tuning[key({640, 480}, name)] = takes(ms);
    }
    const auto measured = find_measured(tuning, key({640, 480}));
    STRCMP_EQUAL(
        "wide_rows int_rows march_rows ",
        names(order_by_time(ladder({"march_rows", "int_rows"}), Operator::convolution, measured))
            .c_str());
    // Nothing says that it is faster than those that were not measured.
    STRCMP_EQUAL(
        "float4_rows wide_rows march_rows ",
        names(order_by_time(ladder({"float4_rows"}), Operator::convolution, measured)).c_str());
}

TEST(Tunings, TheCpuMustBeAFifthFaster) {
    TunedVariant figures = takes(1);
    figures.wall_ms = 1;
    figures.cpu_ms = 0.79;
    CHECK_TRUE(cpu_is_faster(figures));
    figures.cpu_ms = 0.81;
    CHECK_FALSE(cpu_is_faster(figures));
}

TEST(Tunings, ReasonsHaveFileSizeAndFigures) {
    const TunedVariant figures = takes(1.5);
    const Measured exact{"int_rows", {640, 480}, &figures};
    STRCMP_EQUAL("", missing_in(tuned_reason(exact, {640, 480}),
                                {"640x480 in t.toml", "1.500 ms", "25 %", "2.000 ms"})
                         .c_str());
    STRCMP_EQUAL("", missing_in(tuned_reason(exact, {700, 480}), {"640x480, the nearest"}).c_str());
    STRCMP_EQUAL("", missing_in(cpu_reason(exact, {640, 480}),
                                {"640x480 in t.toml", "4.000 ms", "3.000 ms with int_rows"})
                         .c_str());
    const TunedVariant kept = takes(2);
    STRCMP_EQUAL("", missing_in(tuned_reason({"int_rows", {640, 480}, &kept}, {640, 480}),
                                {"with the default values"})
                         .c_str());
}

TEST(Tunings, OperatorsByName) {
    CHECK_TRUE(operator_named("histogram") == Operator::histogram);
    CHECK_TRUE(operator_named("convolution") == Operator::convolution);
    CHECK_FALSE(operator_named("blur").has_value());
}
