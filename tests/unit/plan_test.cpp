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
    return make_plan(layout, regions, std::nullopt, 1);
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
        LONGS_EQUAL(row.bin_width, plan->bin_width);
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
    LONGS_EQUAL(2, plan->bin_width);
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

TEST(Plans, GenerationAndFilterAreKept) {
    const auto filter = gpu::named_filter("box5");
    const auto plan = make_plan(make_layout(PixelFormat::grey, 8, 8), {}, filter, 42);
    LONGS_EQUAL(42, plan->generation);
    CHECK_TRUE(plan->filter == filter);
    CHECK_FALSE(plan_of(make_layout(PixelFormat::grey, 8, 8))->filter.has_value());
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
