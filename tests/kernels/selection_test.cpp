// What serves a frame size when there is a tuning file for this very device.
#include <string>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/runtime.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/kernels/device.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using glint::kernels::Operator;
using glint::test::context;

namespace {

constexpr FrameSize size{640, 480};

TuningKey key(Operator op, uint32_t filter_size, const char* variant) {
    const DeviceTraits& traits = context().device.traits;
    return {.device = traits.name,
            .driver = traits.driver_version,
            .size = size,
            .op = op,
            .filter_size = filter_size,
            .variant = variant};
}

TunedVariant takes(double ms, TunableValues tunables, double cpu_ms = 1000) {
    return {.tunables = std::move(tunables),
            .ms = ms,
            .default_ms = 2,
            .wall_ms = 3,
            .cpu_ms = cpu_ms,
            .file = {}};
}

const TunableValues histogram_values{{"LOCAL", 8},
                                     {"ITEMS_PER_UNIT", 16},
                                     {"COPIES", 4},
                                     {"REDUCE_GLOBAL", 256},
                                     {"REDUCE_LOCAL", 32}};
const TunableValues global_values{
    {"LOCAL", 8}, {"ITEMS_PER_UNIT", 16}, {"REDUCE_GLOBAL", 256}, {"REDUCE_LOCAL", 32}};
const TunableValues rows_values{{"ROWS", 8}, {"LOCAL_X", 8}, {"LOCAL_Y", 2}};

}  // namespace

TEST_GROUP(Selection) {
    glint::fakes::TemporaryFolder folder;
    Tuning tuning;
    RuntimeRequest request{.cache_folder = folder.file("cache")};

    /// Whatever leads the ladder by default was measured to be slow, so that the tests mean the
    /// same on every device.
    void setup() override {
        tuning[key(Operator::histogram, 0, "local_copies")] = takes(9, {{"LOCAL", 64}});
        for (const char* variant :
             {"march_pairs", "march_exact", "march_rows", "float4_rows", "int_rows"})
            tuning[key(Operator::convolution, 3, variant)] = takes(9, rows_values);
    }
    std::shared_ptr<const Runtime> start() {
        request.tuning_files = {folder.write("tuning.toml", format_tuning(tuning))};
        auto runtime = bring_up(request);
        LONGS_EQUAL(0, runtime->tuning_problems.size());
        return runtime;
    }
    static std::string name_of(const Choice& choice) {
        return std::string(choice.built->variant->name);
    }
};

TEST(Selection, TunedValuesAndTheOrderOfTimesServeTheSizeTheyWereMeasuredFor) {
    tuning[key(Operator::histogram, 0, "private_counters")] = takes(1.5, histogram_values);
    tuning[key(Operator::histogram, 0, "global_counters")] = takes(1.0, global_values);
    tuning[key(Operator::convolution, 3, "wide_rows")] = takes(0.5, rows_values, 0.1);
    const auto runtime = start();
    STRCMP_EQUAL("default", runtime->by_default.histogram.source.c_str());

    const Choices& tuned = runtime->choices_for(size);
    STRCMP_EQUAL("global_counters", name_of(tuned.histogram).c_str());
    STRCMP_EQUAL("tuned", tuned.histogram.source.c_str());
    CHECK_TRUE(tuned.histogram.built->tunables == global_values);
    CHECK_FALSE(tuned.histogram.on_cpu);
    POINTERS_EQUAL(&tuned, &runtime->choices_for(size));
    STRCMP_EQUAL("", runtime->recheck("histogram", "global_counters").c_str());

    const Choice* sharpen = tuned.choice_for(*named_filter("sharpen3"));
    const Choice* box = tuned.choice_for(*named_filter("box5"));
    CHECK_TRUE(sharpen != nullptr && box != nullptr);
    STRCMP_EQUAL("wide_rows", name_of(*sharpen).c_str());
    CHECK_TRUE(sharpen->on_cpu);
    LONGS_EQUAL(2, sharpen->built->tunable("LOCAL_Y"));
    STRCMP_EQUAL("default", box->source.c_str());
    CHECK_TRUE(box->built == runtime->by_default.choice_for(*named_filter("box5"))->built);

    const Choices& far = runtime->choices_for({3840, 2160});
    CHECK_TRUE(far.histogram.built == runtime->by_default.histogram.built);
    STRCMP_EQUAL("default", far.histogram.source.c_str());
}

TEST(Selection, TheCpuIsChosenWhereItIsFasterUnlessAVariantIsPinned) {
    tuning[key(Operator::histogram, 0, "private_counters")] = takes(1, histogram_values, 0.5);
    const Choice choice = start()->choices_for(size).histogram;
    CHECK_TRUE(choice.on_cpu);
    STRCMP_EQUAL("measured", choice.source.c_str());
    STRCMP_CONTAINS("0.500 ms against 3.000 ms with private_counters", choice.reason.c_str());

    request.pinned = {{"histogram", "private_counters"}};
    const Choice pinned = start()->choices_for(size).histogram;
    CHECK_FALSE(pinned.on_cpu);
    STRCMP_EQUAL("tuned", pinned.source.c_str());
    CHECK_TRUE(pinned.built->tunables == histogram_values);
}

TEST(Selection, APinnedVariantLeadsWhateverTheTimesSay) {
    tuning[key(Operator::histogram, 0, "private_counters")] = takes(1.0, histogram_values);
    tuning[key(Operator::histogram, 0, "global_counters")] = takes(1.5, global_values);
    request.pinned = {{"histogram", "global_counters"}};
    STRCMP_EQUAL("global_counters", name_of(start()->choices_for(size).histogram).c_str());
}

TEST(Selection, AVariantThatFailedInServiceIsNotChosenForBeingFast) {
    tuning[key(Operator::histogram, 0, "private_counters")] = takes(1.5, histogram_values);
    tuning[key(Operator::histogram, 0, "global_counters")] = takes(1.0, global_values);
    request.excluded = {"histogram/global_counters"};
    const Choice choice = start()->choices_for(size).histogram;
    STRCMP_EQUAL("private_counters", name_of(choice).c_str());
    STRCMP_EQUAL("tuned", choice.source.c_str());
}

TEST(Selection, WhatWasMeasuredOfTheOtherOperatorsThatTheServiceOffersServesToo) {
    tuning[key(Operator::sobel, 0, "sobel_pairs")] = takes(1, {{"ROWS", 8}});
    tuning[key(Operator::sobel, 0, "march_sobel")] = takes(9, {{"ROWS", 4}});
    tuning[key(Operator::sharpness, 0, "sharpness_pairs")] = takes(1, {{"ROWS", 64}}, 0.5);
    tuning[key(Operator::sharpness, 0, "sharpness_groups")] = takes(9, {{"ROWS", 1}});
    const Choices tuned = start()->choices_for(size);
    STRCMP_EQUAL("tuned", tuned.sobel.source.c_str());
    STRCMP_EQUAL("sobel_pairs", name_of(tuned.sobel).c_str());
    LONGS_EQUAL(8, tuned.sobel.built->tunable("ROWS"));
    STRCMP_EQUAL("measured", tuned.sharpness.source.c_str());
    CHECK_TRUE(tuned.sharpness.on_cpu);
}

TEST(Selection, FloatFiltersAreBuiltWhenAskedForAndTunedForTheirSizes) {
    tuning[key(Operator::convolution_float, 3, "float_rows")] = takes(0.5, {{"ROWS", 8}});
    tuning[key(Operator::convolution_float, 3, "march_float")] = takes(9, {{"ROWS", 8}});
    tuning[key(Operator::convolution_float, 3, "float_rows_floats")] = takes(0.1, {{"ROWS", 8}});
    tuning[key(Operator::convolution_float, 5, "float_rows")] = takes(0.5, {{"ROWS", 8}}, 0.1);
    tuning[key(Operator::convolution_float, 5, "march_float")] = takes(9, {{"ROWS", 8}});
    const auto runtime = start();
    const FloatChoice& three = runtime->float_choice_for(size, 3);
    STRCMP_EQUAL("tuned", three.choice.source.c_str());
    STRCMP_EQUAL("float_rows", name_of(three.choice).c_str());
    LONGS_EQUAL(8, three.choice.built->tunable("ROWS"));
    LONGS_EQUAL(3, three.choice.built->filter_size);
    POINTERS_EQUAL(&three, &runtime->float_choice_for(size, 3));
    STRCMP_EQUAL("", runtime->recheck("convolution_float", "float_rows").c_str());

    CHECK_TRUE(runtime->float_choice_for(size, 5).choice.on_cpu);
    STRCMP_EQUAL("default", runtime->float_choice_for({3840, 2160}, 3).choice.source.c_str());
    const Choice& large = runtime->float_choice_for(size, 7).choice;
    CHECK_TRUE(large.built == nullptr);
    STRCMP_CONTAINS("7x7", large.reason.c_str());
}

TEST(Selection, AFloatVariantThatFailedInServiceIsRefusedAndTheNextServes) {
    request.pinned = {{"convolution_float", "float_rows"}};
    request.excluded = {"convolution_float/float_rows"};
    request.only = glint::kernels::Set::ep;
    const auto refused = start()->float_choice_for(size, 3);
    CHECK_TRUE(refused.choice.built == nullptr);
    STRCMP_EQUAL("fallback", refused.choice.source.c_str());
    LONGS_EQUAL(1, refused.refused.size());
    STRCMP_EQUAL("convolution_float", refused.refused[0].op.c_str());
    STRCMP_CONTAINS("while in service", refused.refused[0].reason.c_str());

    request.pinned = {{"convolution_float", "cpu"}};
    const Choice pinned = start()->float_choice_for(size, 3).choice;
    CHECK_TRUE(pinned.built == nullptr);
    STRCMP_EQUAL("default", pinned.source.c_str());
}

TEST(Selection, OneMeasurementOfAVariantForAnySizeServesThemAll) {
    for (const char* slower : {"wide_fours", "tiled_any"})
        tuning[key(Operator::convolution, 0, slower)] = takes(9, {{"LOCAL_X", 1}});
    tuning[key(Operator::convolution, 0, "any_size")] = takes(0.5, {{"LOCAL_X", 8}});
    const Choices tuned = start()->choices_for(size);
    // Neither of these is a sum of two outer products.
    const auto general = [](uint32_t filter_size) {
        Filter filter{.size = filter_size, .shift = 9};
        for (uint32_t i = 0; i < filter.taps(); ++i)
            filter.coefficients[i] = static_cast<int16_t>(i * i * 37 % 41);
        return filter;
    };
    for (const uint32_t filter_size : {7U, 31U}) {
        const Choice* choice = tuned.choice_for(general(filter_size));
        CHECK_TRUE(choice != nullptr);
        STRCMP_EQUAL("any_size", name_of(*choice).c_str());
        STRCMP_EQUAL("tuned", choice->source.c_str());
        LONGS_EQUAL(8, choice->built->tunable("LOCAL_X"));
    }
}
