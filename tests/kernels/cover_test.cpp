// Every histogram variant against the reference over sizes, strides, offsets and sample layouts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/cover.hpp"
#include "tests/kernels/device.hpp"
#include "tests/kernels/layouts.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

template <typename First, typename Second>
size_t count_pairs(First first, Second second) {
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const PlacedPicture& placed : pairwise_cover()) {
        for (const Placement& placement : placed.placements) {
            pairs.emplace(first(placed.picture, placement), second(placed.picture, placement));
        }
    }
    return pairs.size();
}

}  // namespace

TEST_GROUP(Cover){};

TEST(Cover, EveryPairOfValuesMeets) {
    const auto w = [](const Picture& picture, const Placement&) { return picture.width; };
    const auto h = [](const Picture& picture, const Placement&) { return picture.height; };
    const auto l = [](const Picture& picture, const Placement&) { return picture.layout; };
    const auto p = [](const Picture&, const Placement& place) { return place.padding_bytes; };
    const auto o = [](const Picture&, const Placement& place) { return place.offset_bytes; };
    LONGS_EQUAL(widths * heights.size(), count_pairs(w, h));
    LONGS_EQUAL(widths * paddings, count_pairs(w, p));
    LONGS_EQUAL(widths * offsets, count_pairs(w, o));
    LONGS_EQUAL(widths * sample_layouts.size(), count_pairs(w, l));
    LONGS_EQUAL(heights.size() * paddings, count_pairs(h, p));
    LONGS_EQUAL(heights.size() * offsets, count_pairs(h, o));
    LONGS_EQUAL(heights.size() * sample_layouts.size(), count_pairs(h, l));
    LONGS_EQUAL(paddings * offsets, count_pairs(p, o));
    LONGS_EQUAL(paddings * sample_layouts.size(), count_pairs(p, l));
    LONGS_EQUAL(offsets * sample_layouts.size(), count_pairs(o, l));
}

TEST(Cover, EveryHistogramVariantEqualsTheReference) {
    gpu::ScratchBuffer frame(context(), queue(), largest_frame_bytes());
    gpu::ScratchBuffer bins(context(), queue(), 2 * sizeof(gpu::Bins));
    Progress progress;
    for (const auto& [picture, placements] : pictures()) {
        const PlainPicture values = plain(picture);
        gpu::Bins expected;
        gpu::reference::histogram(values.frame.data(), gpu::HistogramTask(values.lane), expected);
        for (const Placement& placement : placements) {
            const gpu::Lane lane = lane_of(picture, placement);
            place(picture, lane, progress.frames(), frame.bytes());
            const auto task = std::make_shared<const gpu::HistogramTask>(lane);
            frame.give();
            for (uint32_t index = 0; index < histograms().size(); ++index) {
                const NamedHistogram& variant = histograms()[index];
                if (full_product_wanted() &&
                    (progress.frames() + index) % full_product_pause != 0) {
                    continue;
                }
                const auto own = bins.words().first(gpu::histogram_bins);
                const auto behind = bins.words().subspan(gpu::histogram_bins, gpu::histogram_bins);
                std::ranges::fill(behind, 0xDEADBEEF);
                std::ranges::fill(own, 0);
                bins.give();
                variant.launch->enqueue(queue(), frame.mem(), task, bins.mem());
                bins.take();
                if (!std::ranges::equal(own, expected)) {
                    FAIL(fmt::format("{}: {}", variant.name, describe(lane)).c_str());
                }
                LONGS_EQUAL(0xDEADBEEF, behind.front());
            }
            frame.take();
            progress.frame_done(picture);
        }
    }
    fmt::print("\n{} frames x {} variants\n", progress.frames(), histograms().size());
}
