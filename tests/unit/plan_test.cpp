// What is measured in a frame: regions and channels turned into lanes.
#include <string>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/plan.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::zero_copy;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

std::shared_ptr<const Plan> plan_of(const FrameLayout& layout,
                                    const std::vector<Region>& regions = {}) {
    return make_plan(layout, {.regions = regions}, 1);
}

void check_refused(const Region& region, std::initializer_list<std::string_view> parts) {
    const FrameLayout layout = make_layout(PixelFormat::grey, 641, 481);
    const std::string text = text_thrown<RegionError>([&] { (void)plan_of(layout, {region}); });
    STRCMP_EQUAL("", missing_in(text, parts).c_str());
}

}  // namespace

TEST_GROUP(Plans){};

TEST(Plans, TheWholeFrameIsAlwaysFirst) {
    const auto plan = plan_of(make_layout(PixelFormat::grey, 641, 481, 704), {{"sky", 1, 2, 3, 4}});
    LONGS_EQUAL(2, plan->regions.size());
    CHECK_TRUE((plan->regions[0] == Region{"frame", 0, 0, 641, 481}));
    CHECK_TRUE((plan->lanes[0] == gpu::Lane{0, 704, 1, 0, 8, 641, 481}));
    CHECK_TRUE((plan->lanes[1] == gpu::Lane{2 * 704 + 1, 704, 1, 0, 8, 3, 4}));
    LONGS_EQUAL(0, *plan->find_region("frame"));
    LONGS_EQUAL(1, *plan->find_region("sky"));
    CHECK_FALSE(plan->find_region("sk").has_value());
}

TEST(Plans, ColourHasALaneForEachChannelOfEachRegion) {
    const auto plan = plan_of(make_layout(PixelFormat::bgr24, 10, 5, 32), {{"a", 2, 1, 3, 2}});
    LONGS_EQUAL(3, plan->channels.size());
    STRCMP_EQUAL("R", plan->channels[0].c_str());
    STRCMP_EQUAL("G", plan->channels[1].c_str());
    STRCMP_EQUAL("B", plan->channels[2].c_str());
    LONGS_EQUAL(6, plan->lanes.size());
    CHECK_TRUE((plan->lane(0, 0) == gpu::Lane{2, 32, 3, 0, 8, 10, 5}));
    CHECK_TRUE((plan->lane(1, 0) == gpu::Lane{32 + 6 + 2, 32, 3, 0, 8, 3, 2}));
    CHECK_TRUE((plan->lane(1, 1) == gpu::Lane{32 + 6 + 1, 32, 3, 0, 8, 3, 2}));
    CHECK_TRUE((plan->lane(1, 2) == gpu::Lane{32 + 6 + 0, 32, 3, 0, 8, 3, 2}));
}

TEST(Plans, WideSamplesAreSeenByTheirTopEightBits) {
    struct Row {
        PixelFormat format;
        uint32_t offset, shift, bin_width;
        int32_t low;
    };
    for (const Row& row : {Row{PixelFormat::y10, 1, 2, 4, -1},
                           {PixelFormat::y12, 1, 4, 16, -1},
                           {PixelFormat::y16, 1, 8, 256, -1},
                           {PixelFormat::y16_be, 0, 8, 256, 1}}) {
        const auto plan = plan_of(make_layout(row.format, 7, 3), {{"a", 2, 1, 3, 2}});
        LONGS_EQUAL(row.bin_width, plan->bin_width());
        CHECK_TRUE((plan->lanes[0] == gpu::Lane{row.offset, 14, 2, row.low, row.shift, 7, 3}));
        CHECK_TRUE(
            (plan->lanes[1] == gpu::Lane{14 + 4 + row.offset, 14, 2, row.low, row.shift, 3, 2}));
    }
}

TEST(Plans, ADeclaredBitDepthBelowSixteenCounts) {
    FrameLayout layout = make_layout(PixelFormat::y16_be, 4, 4);
    layout.bit_depth = 9;
    const auto plan = plan_of(layout);
    LONGS_EQUAL(9, plan->bit_depth);
    LONGS_EQUAL(2, plan->bin_width());
    LONGS_EQUAL(1, plan->lanes[0].shift);
}

TEST(Plans, LumaOfPackedFormatsIsEveryOtherByte) {
    const auto yuyv = plan_of(make_layout(PixelFormat::yuyv, 5, 3), {{"a", 3, 2, 2, 1}});
    CHECK_TRUE((yuyv->lanes[0] == gpu::Lane{0, 12, 2, 0, 8, 5, 3}));
    CHECK_TRUE((yuyv->lanes[1] == gpu::Lane{24 + 6, 12, 2, 0, 8, 2, 1}));
    LONGS_EQUAL(1, plan_of(make_layout(PixelFormat::uyvy, 5, 3))->lanes[0].offset_bytes);
}

TEST(Plans, TheFilterSeesLumaOrGreenOfTheFrame) {
    const auto grey = plan_of(make_layout(PixelFormat::nv12, 8, 8), {{"a", 1, 1, 2, 2}});
    CHECK_TRUE(grey->filter_lane == grey->lane(0, 0));
    const auto colour = plan_of(make_layout(PixelFormat::rgb24, 8, 8), {{"a", 1, 1, 2, 2}});
    CHECK_TRUE(colour->filter_lane == colour->lane(0, 1));
}

TEST(Plans, ChannelsOfAMosaicAreItsSites) {
    const auto plan = plan_of(make_layout(PixelFormat::grbg10, 9, 7), {{"a", 3, 2, 4, 3}});
    STRCMP_EQUAL("R", plan->channels[0].c_str());
    STRCMP_EQUAL("Gr", plan->channels[1].c_str());
    STRCMP_EQUAL("Gb", plan->channels[2].c_str());
    STRCMP_EQUAL("B", plan->channels[3].c_str());
    // G R G R ...
    // B G B G ...
    CHECK_TRUE((plan->lane(0, 0) == gpu::Lane{3, 36, 4, -1, 2, 4, 4}));
    CHECK_TRUE((plan->lane(0, 1) == gpu::Lane{1, 36, 4, -1, 2, 5, 4}));
    CHECK_TRUE((plan->lane(0, 2) == gpu::Lane{18 + 3, 36, 4, -1, 2, 4, 3}));
    CHECK_TRUE((plan->lane(0, 3) == gpu::Lane{18 + 1, 36, 4, -1, 2, 5, 3}));
    // Columns 3 to 6 and rows 2 to 4: red in columns 3 and 5 of rows 2 and 4, blue in 4 and 6 of 3.
    CHECK_TRUE((plan->lane(1, 0) == gpu::Lane{2 * 18 + 2 * 3 + 1, 36, 4, -1, 2, 2, 2}));
    CHECK_TRUE((plan->lane(1, 3) == gpu::Lane{3 * 18 + 2 * 4 + 1, 36, 4, -1, 2, 2, 1}));
    uint64_t samples = 0;
    for (size_t channel = 0; channel < 4; ++channel) samples += plan->counts[4 + channel];
    LONGS_EQUAL(4 * 3, samples);
}

TEST(Plans, ARegionOfAMosaicHoldsEverySite) {
    const FrameLayout layout = make_layout(PixelFormat::rggb8, 8, 8);
    const std::string text = text_thrown<RegionError>([&] {
        (void)plan_of(layout, {{"a", 0, 0, 8, 1}});
    });
    STRCMP_EQUAL("", missing_in(text, {"8x1", "2x2"}).c_str());
}

TEST(Plans, PackedSamplesStartInTheirGroup) {
    const auto ten = plan_of(make_layout(PixelFormat::y10p, 13, 3), {{"a", 6, 1, 5, 2}});
    CHECK_TRUE((ten->lane(0, 0) == gpu::Lane{0, 20, 1, 0, 8, 13, 3, 2, 0}));
    CHECK_TRUE((ten->lane(1, 0) == gpu::Lane{20 + 5, 20, 1, 0, 8, 5, 2, 2, 2}));
    const auto twelve = plan_of(make_layout(PixelFormat::rggb12p, 8, 4), {{"a", 3, 0, 4, 2}});
    CHECK_TRUE((twelve->lane(0, 1) == gpu::Lane{0, 24, 2, 0, 8, 4, 2, 1, 1}));
    CHECK_TRUE((twelve->lane(1, 0) == gpu::Lane{2 * 3, 24, 2, 0, 8, 2, 1, 1, 0}));
}

TEST(Plans, BinsThatArePowersOfTwoAreTheTopBits) {
    const FrameLayout layout = make_layout(PixelFormat::y12, 8, 4);
    for (const uint32_t bins : {256U, 512U, 1024U, 4096U}) {
        const auto plan = make_plan(layout, {.bins = bins}, 1);
        LONGS_EQUAL(bins, plan->counting->bins);
        LONGS_EQUAL(4096 / bins, plan->bin_width());
        LONGS_EQUAL(4096 / bins, 1U << plan->lanes[0].shift);
        CHECK_TRUE(plan->counting->table.empty());
    }
    LONGS_EQUAL(4,
                make_plan(make_layout(PixelFormat::y012, 8, 4), {.bins = 4096}, 1)->lanes[0].shift);
    LONGS_EQUAL(6,
                make_plan(make_layout(PixelFormat::y10p, 8, 4), {.bins = 1024}, 1)->lanes[0].shift);
    // Filters see bytes whatever the bins.
    LONGS_EQUAL(4, make_plan(layout, {.bins = 4096}, 1)->filter_lane.shift);
}

TEST(Plans, ByteLanesAreTheRegionsOwnInEightBitsWhateverTheBins) {
    const FrameLayout layout = make_layout(PixelFormat::y12, 8, 4);
    const MeteringGrid metering{.columns = 1, .rows = 1, .weights = {1}};
    const auto plan =
        make_plan(layout, {.regions = {{"a", 2, 1, 3, 2}}, .bins = 1024, .metering = metering}, 1);
    const std::vector<gpu::Lane> lanes = plan->byte_lanes(1);
    LONGS_EQUAL(1, lanes.size());
    gpu::Lane expected = plan->lane(1, 0);
    LONGS_EQUAL(2, expected.shift);
    expected.shift = 4;
    CHECK_TRUE(lanes[0] == expected);
    LONGS_EQUAL(0, plan->byte_lanes(2).size());
}

TEST(Plans, OtherBinsComeFromATable) {
    const auto plan = make_plan(make_layout(PixelFormat::y10, 8, 4), {.bins = 300}, 1);
    const std::vector<uint16_t>& table = plan->counting->table;
    LONGS_EQUAL(1024, table.size());
    LONGS_EQUAL(0, plan->lanes[0].shift);
    for (uint32_t value = 0; value < 1024; ++value) LONGS_EQUAL(value * 300 / 1024, table[value]);
    DOUBLES_EQUAL(1024.0 / 300, plan->bin_width(), 1e-12);
}

TEST(Plans, BinsThatCannotBeAreRefusedWithTheNumbers) {
    const FrameLayout layout = make_layout(PixelFormat::y10, 8, 4);
    for (const uint32_t bins : {0U, 4U, 255U, 258U, 4100U}) {
        const std::string text =
            text_thrown<PlanError>([&] { (void)make_plan(layout, {.bins = bins}, 1); });
        STRCMP_EQUAL("", missing_in(text, {std::to_string(bins), "multiples of 4"}).c_str());
    }
    const std::string text =
        text_thrown<PlanError>([&] { (void)make_plan(layout, {.bins = 2048}, 1); });
    STRCMP_EQUAL("", missing_in(text, {"2048", "10 bits", "1024"}).c_str());
}

TEST(Plans, AMaskLeavesPixelsOutOfEveryRegion) {
    for (const PixelFormat format : {PixelFormat::grey, PixelFormat::bggr8, PixelFormat::y12p}) {
        const FrameLayout layout = make_layout(format, 211, 9);
        std::vector<uint8_t> bytes(211 * 9);
        for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = i * i % 7 < 3 ? 200 : 0;
        const auto mask = std::make_shared<const Mask>(Mask::of_bytes(211, 9, bytes));
        const auto plan = make_plan(layout, {.regions = {{"a", 5, 1, 190, 7}}, .mask = mask}, 1);
        const std::vector<uint8_t> frame(layout.size_bytes, 0);
        std::vector<uint32_t> bins(plan->counting->counters());
        gpu::reference::histogram(frame.data(), *plan->counting, bins);
        const size_t channels = plan->channels.size();
        uint64_t expected = 0;
        uint64_t counted = 0;
        for (uint32_t y = 1; y < 8; ++y) {
            for (uint32_t x = 5; x < 195; ++x) expected += bytes[y * 211 + x] != 0;
        }
        for (size_t channel = 0; channel < channels; ++channel) {
            const size_t result = channels + channel;
            counted += plan->counts[result];
            UNSIGNED_LONGS_EQUAL(plan->counts[result], bins[result * 256]);
        }
        UNSIGNED_LONGS_EQUAL(expected, counted);
    }
}

TEST(Plans, AMaskOfAnotherSizeIsRefused) {
    const auto mask =
        std::make_shared<const Mask>(Mask::of_bytes(4, 2, std::vector<uint8_t>(8, 1)));
    const std::string text = text_thrown<PlanError>(
        [&] { (void)make_plan(make_layout(PixelFormat::grey, 8, 4), {.mask = mask}, 1); });
    STRCMP_EQUAL("", missing_in(text, {"4x2", "8x4"}).c_str());
}

TEST(Plans, MeteringCellsCoverTheFrameByTheirWeights) {
    const FrameLayout layout = make_layout(PixelFormat::grey, 103, 50);
    MeteringGrid grid{.columns = 4, .rows = 3, .weights = {1, 1, 0, 2, 5, 5, 5, 5, 0, 9, 255, 0}};
    const auto plan = make_plan(layout, {.metering = grid}, 1);
    LONGS_EQUAL(1, *plan->find_region("metering"));
    std::vector<uint32_t> expected(256);
    std::vector<uint8_t> frame(103 * 50);
    for (uint32_t y = 0; y < 50; ++y) {
        for (uint32_t x = 0; x < 103; ++x) {
            // The last cell that begins at or before the pixel.
            uint32_t column = 3;
            uint32_t row = 2;
            while (column * 103 / 4 > x) --column;
            while (row * 50 / 3 > y) --row;
            frame[y * 103 + x] = static_cast<uint8_t>(x * 7 + y);
            expected[frame[y * 103 + x]] += grid.weights[row * 4 + column];
        }
    }
    std::vector<uint32_t> bins(plan->counting->counters());
    gpu::cpu::histogram(frame.data(), *plan->counting, bins);
    for (uint32_t bin = 0; bin < 256; ++bin) LONGS_EQUAL(expected[bin], bins[256 + bin]);
    uint64_t sum = 0;
    for (const uint32_t count : expected) sum += count;
    UNSIGNED_LONGS_EQUAL(sum, plan->counts[1]);
    // Neighbours of one weight are one rectangle, and cells that do not count are none.
    LONGS_EQUAL(1 + 2 + 1 + 2, plan->counting->lanes.size());
}

TEST(Plans, GridsThatCannotBeAreRefusedWithTheNumbers) {
    struct Row {
        MeteringGrid grid;
        std::initializer_list<std::string_view> parts;
    };
    const FrameLayout layout = make_layout(PixelFormat::grey, 20000, 20000);
    for (const Row& row :
         std::initializer_list<Row>{{{0, 3, {}}, {"0x3", "32x32"}},
                                    {{33, 1, std::vector<uint8_t>(33, 1)}, {"33x1", "32x32"}},
                                    {{2, 2, {1, 2, 3}}, {"3 weights", "takes 4"}},
                                    {{2, 1, {0, 0}}, {"every weight"}},
                                    {{1, 1, {11}}, {"4400000000", "4294967295"}}}) {
        const std::string text =
            text_thrown<PlanError>([&] { (void)make_plan(layout, {.metering = row.grid}, 1); });
        STRCMP_EQUAL("", missing_in(text, row.parts).c_str());
    }
    const std::string text = text_thrown<PlanError>([&] {
        (void)make_plan(make_layout(PixelFormat::rggb8, 7, 8),
                        {.metering = MeteringGrid{4, 1, {1, 1, 1, 1}}}, 1);
    });
    STRCMP_EQUAL("", missing_in(text, {"4x1", "7x8"}).c_str());
}

TEST(Plans, GenerationAndFilterAreKept) {
    const std::optional<gpu::AnyFilter> filter = gpu::named_filter("box5");
    const auto plan = make_plan(make_layout(PixelFormat::grey, 8, 8), {.filter = filter}, 42);
    LONGS_EQUAL(42, plan->generation);
    CHECK_TRUE(plan->filter == filter);
    CHECK_FALSE(plan_of(make_layout(PixelFormat::grey, 8, 8))->filter.has_value());
}

TEST(Plans, TheOperatorGoesByTheKindOfFilter) {
    STRCMP_EQUAL("convolution", filter_operator(std::nullopt));
    STRCMP_EQUAL("convolution", filter_operator(gpu::named_filter("box5")));
    STRCMP_EQUAL("sobel", filter_operator(gpu::named_filter("sobel")));
    STRCMP_EQUAL("convolution_float", filter_operator(gpu::FloatFilter{}));
}

TEST(Plans, RegionsMayTouchEveryEdge) {
    const auto plan = plan_of(make_layout(PixelFormat::grey, 641, 481),
                              {{"all", 0, 0, 641, 481}, {"corner", 640, 480, 1, 1}});
    LONGS_EQUAL(480 * 641 + 640, plan->lanes[2].offset_bytes);
}

TEST(Plans, RegionsOutsideTheFrameAreRefusedWithTheNumbers) {
    check_refused({"sky", 0, 0, 642, 1}, {"sky", "642x1", "(0, 0)", "641x481"});
    check_refused({"sky", 0, 0, 1, 482}, {"1x482", "641x481"});
    check_refused({"sky", 641, 0, 1, 1}, {"(641, 0)"});
    check_refused({"sky", 0, 481, 1, 1}, {"(0, 481)"});
    check_refused({"sky", 640, 0, 2, 1}, {"2x1", "(640, 0)"});
    check_refused({"sky", 0, 480, 1, 2}, {"1x2", "(0, 480)"});
    check_refused({"sky", 1, 0, 4294967295U, 1}, {"4294967295x1"});
    check_refused({"sky", 4294967295U, 4294967295U, 2, 2}, {"(4294967295, 4294967295)"});
}

TEST(Plans, EmptyRegionsAreRefused) {
    check_refused({"sky", 5, 5, 0, 1}, {"0x1", "at least one pixel"});
    check_refused({"sky", 5, 5, 1, 0}, {"1x0", "at least one pixel"});
}

TEST(Plans, BadAndRepeatedNamesAreRefused) {
    check_refused({"frame", 0, 0, 1, 1}, {"\"frame\""});
    check_refused({"", 0, 0, 1, 1}, {"\"\"", "[a-z][a-z0-9_]{0,31}"});
    check_refused({"Sky", 0, 0, 1, 1}, {"\"Sky\""});
    check_refused({"1a", 0, 0, 1, 1}, {"\"1a\""});
    check_refused({std::string(33, 'a'), 0, 0, 1, 1}, {std::string(33, 'a')});
    const FrameLayout layout = make_layout(PixelFormat::grey, 8, 8);
    const std::string twice = text_thrown<RegionError>([&] {
        (void)plan_of(layout, {{"a", 0, 0, 1, 1}, {"b", 0, 0, 1, 1}, {"a", 1, 1, 1, 1}});
    });
    STRCMP_EQUAL("", missing_in(twice, {"two regions", "\"a\""}).c_str());
    LONGS_EQUAL(2, plan_of(layout, {{std::string(32, 'a'), 0, 0, 1, 1}})->regions.size());
}
