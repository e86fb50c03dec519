// Every variant against the reference over sizes, strides, offsets and sample layouts.
//
// Widths 1 to 300, heights 1, 2, 3, 17, 64, 481, strides from the row's bytes to 17 more, offsets 0
// to 16 and the six layouts of samples. By default a cover in which every pair of two values
// meets; with GLINT_TEST_EXHAUSTIVE every combination.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/device.hpp"
#include "zero_copy/formats.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

constexpr uint32_t widths = 300;
constexpr std::array<uint32_t, 6> heights{1, 2, 3, 17, 64, 481};
constexpr uint32_t paddings = 18;
constexpr uint32_t offsets = 17;

struct Layout {
    uint32_t step;
    int32_t low;
    uint32_t shift;
};
constexpr std::array<Layout, 6> layouts{
    {{1, 0, 8}, {2, 0, 8}, {3, 0, 8}, {4, 0, 8}, {2, -1, 2}, {2, 1, 8}}};

struct Point {
    uint32_t width;    ///< minus 1
    uint32_t height;   ///< index
    uint32_t padding;  ///< bytes
    uint32_t offset;   ///< bytes
    uint32_t layout;   ///< index
};

/// All pairs: width x padding in full, the others cycling at different speeds.
std::vector<Point> pairwise_cover() {
    std::vector<Point> points;
    for (uint32_t w = 0; w < widths; ++w) {
        for (uint32_t p = 0; p < paddings; ++p) {
            points.push_back({w, (w + p) % 6, p, (5 * w + p) % offsets, (w / 6 + p) % 6});
        }
    }
    return points;
}

std::vector<Point> full_product() {
    std::vector<Point> points;
    for (uint32_t w = 0; w < widths; ++w) {
        for (uint32_t h = 0; h < heights.size(); ++h) {
            for (uint32_t p = 0; p < paddings; ++p) {
                for (uint32_t o = 0; o < offsets; ++o) {
                    for (uint32_t l = 0; l < layouts.size(); ++l) points.push_back({w, h, p, o, l});
                }
            }
        }
    }
    return points;
}

const std::vector<Point>& points() {
    static const std::vector<Point> all = [] {
        if (std::getenv("GLINT_TEST_EXHAUSTIVE") != nullptr) return full_product();
        std::vector<Point> cover = pairwise_cover();
#ifdef GLINT_SANITIZED
        // The sanitizers look for wrong accesses of the host's code; a sample shows those.
        std::erase_if(cover,
                      [](const Point& point) { return (point.width + point.padding) % 11 != 0; });
#endif
        return cover;
    }();
    return all;
}

gpu::Lane lane_of(const Point& point) {
    const Layout& layout = layouts[point.layout];
    const uint32_t width = point.width + 1;
    // The high byte of a little-endian sample is not the first, and the last sample has one more.
    const uint32_t before = layout.low < 0 ? 1 : 0;
    return {.offset_bytes = point.offset + before,
            .stride_bytes = width * layout.step + point.padding,
            .step_bytes = layout.step,
            .low_bytes = layout.low,
            .shift = layout.shift,
            .width = width,
            .height = heights[point.height]};
}

constexpr size_t largest_frame = size_t{(widths + 1) * 4 + paddings} * 482 + 64;
constexpr uint8_t poison = 0xA5;

/// Random bytes, the same in every run: poison for whoever reads beside the lane.
const std::vector<uint8_t>& random_bytes() {
    static const std::vector<uint8_t> bytes = [] {
        std::vector<uint8_t> result(largest_frame + 4096);
        uint32_t state = 12345;
        for (uint8_t& byte : result) {
            state = state * 1664525U + 1013904223U;
            byte = static_cast<uint8_t>(state >> 24);
        }
        return result;
    }();
    return bytes;
}

size_t frame_bytes(const gpu::Lane& lane) {
    return lane.offset_bytes + size_t{lane.stride_bytes} * lane.height + 8;
}

void fill(std::span<uint8_t> frame, const gpu::Lane& lane, uint32_t number) {
    std::copy_n(random_bytes().begin() + number % 4096, frame_bytes(lane), frame.begin());
    if (lane.low_bytes >= 0 || lane.shift == 8) return;
    // Right-aligned samples of 10 bits: their high byte holds two.
    for (uint32_t y = 0; y < lane.height; ++y) {
        for (uint32_t x = 0; x < lane.width; ++x) {
            frame[lane.offset_bytes + size_t{y} * lane.stride_bytes +
                  size_t{x} * lane.step_bytes] &= 3;
        }
    }
}

std::string describe(const gpu::Lane& lane) {
    return fmt::format("{}x{} stride {} offset {} step {} low {} shift {}", lane.width, lane.height,
                       lane.stride_bytes, lane.offset_bytes, lane.step_bytes, lane.low_bytes,
                       lane.shift);
}

template <typename First, typename Second>
size_t count_pairs(First first, Second second) {
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const Point& point : pairwise_cover()) pairs.emplace(first(point), second(point));
    return pairs.size();
}

const gpu::Filter& filter_for(const gpu::ConvolutionLaunch& launch, uint32_t number) {
    static const std::array<std::array<gpu::Filter, 3>, 2> filters = [] {
        std::array<std::array<gpu::Filter, 3>, 2> result;
        for (const uint32_t size : {3U, 5U}) {
            gpu::Filter uneven{.size = size, .shift = 5};
            gpu::Filter large{.size = size, .shift = 22};
            for (uint32_t i = 0; i < size * size; ++i) {
                uneven.coefficients[i] =
                    static_cast<int16_t>(static_cast<int32_t>(i * 11 % 29) - 10);
                large.coefficients[i] = i % 3 == 1 ? INT16_MIN : INT16_MAX;
            }
            result[size / 2 - 1] = {*gpu::named_filter(size == 3 ? "binomial3" : "binomial5"),
                                    uneven, large};
        }
        return result;
    }();
    const auto& own = filters[launch.filter_size() / 2 - 1];
    const gpu::Filter& wanted = own[number % own.size()];
    return launch.accepts(wanted) ? wanted : own[launch.accepts(own[1]) ? 1 : 0];
}

}  // namespace

TEST_GROUP(Cover){};

TEST(Cover, EveryPairOfValuesMeets) {
    const auto w = [](const Point& p) { return p.width; };
    const auto h = [](const Point& p) { return p.height; };
    const auto p = [](const Point& point) { return point.padding; };
    const auto o = [](const Point& point) { return point.offset; };
    const auto l = [](const Point& point) { return point.layout; };
    LONGS_EQUAL(widths * heights.size(), count_pairs(w, h));
    LONGS_EQUAL(widths * paddings, count_pairs(w, p));
    LONGS_EQUAL(widths * offsets, count_pairs(w, o));
    LONGS_EQUAL(widths * layouts.size(), count_pairs(w, l));
    LONGS_EQUAL(heights.size() * paddings, count_pairs(h, p));
    LONGS_EQUAL(heights.size() * offsets, count_pairs(h, o));
    LONGS_EQUAL(heights.size() * layouts.size(), count_pairs(h, l));
    LONGS_EQUAL(paddings * offsets, count_pairs(p, o));
    LONGS_EQUAL(paddings * layouts.size(), count_pairs(p, l));
    LONGS_EQUAL(offsets * layouts.size(), count_pairs(o, l));
}

TEST(Cover, EveryHistogramVariantEqualsTheReference) {
    gpu::ScratchBuffer frame(context(), queue(), largest_frame);
    gpu::ScratchBuffer bins(context(), queue(), 2 * sizeof(gpu::Bins));
    uint32_t number = 0;
    for (const Point& point : points()) {
        const gpu::Lane lane = lane_of(point);
        fill(frame.bytes(), lane, ++number);
        const gpu::Bins expected = gpu::reference::histogram(frame.bytes().data(), lane);
        frame.give();
        for (const NamedHistogram& variant : histograms()) {
            std::ranges::fill(bins.words(), 0xDEADBEEF);
            std::ranges::fill(bins.words().subspan(gpu::histogram_bins, gpu::histogram_bins), 0);
            bins.give();
            variant.launch->enqueue(queue(), frame.mem(), lane, bins.mem(), gpu::histogram_bins);
            bins.take();
            const auto got = bins.words().subspan(gpu::histogram_bins, gpu::histogram_bins);
            if (!std::ranges::equal(got, expected)) {
                FAIL(fmt::format("{}: {}", variant.name, describe(lane)).c_str());
            }
            LONGS_EQUAL(0xDEADBEEF, bins.words()[gpu::histogram_bins - 1]);
        }
        frame.take();
    }
    fmt::print("\n{} layouts x {} variants\n", points().size(), histograms().size());
}

TEST(Cover, EveryConvolutionVariantEqualsTheReference) {
    gpu::ScratchBuffer frame(context(), queue(), largest_frame);
    gpu::ScratchBuffer output(context(), queue(), size_t{320} * 482);
    std::vector<uint8_t> expected(output.bytes().size());
    uint32_t number = 0;
    for (const Point& point : points()) {
        const gpu::Lane lane = lane_of(point);
        const auto stride = static_cast<uint32_t>(zero_copy::align_up(lane.width, 64));
        const size_t used = size_t{stride} * lane.height + 1;
        fill(frame.bytes(), lane, ++number);
        frame.give();
        const gpu::Filter* computed = nullptr;
        for (const NamedConvolution& variant : convolutions()) {
            const gpu::Filter& filter = filter_for(*variant.launch, number);
            if (computed != &filter) {
                std::fill_n(expected.begin(), used, poison);
                gpu::reference::convolve(frame.bytes().data(), lane, filter,
                                         {expected.data(), stride});
                computed = &filter;
            }
            std::fill_n(output.bytes().begin(), used, poison);
            output.give();
            variant.launch->enqueue(queue(), frame.mem(), lane, filter, output.mem(), stride);
            output.take();
            // The byte after the last row too: nothing outside may be written.
            const auto [got, wanted] = std::mismatch(
                output.bytes().begin(), output.bytes().begin() + static_cast<ptrdiff_t>(used),
                expected.begin());
            if (wanted != expected.begin() + static_cast<ptrdiff_t>(used)) {
                const auto at = static_cast<uint32_t>(wanted - expected.begin());
                FAIL(fmt::format("{}: {}, shift {}: ({}, {}) is {}, expected {}", variant.name,
                                 describe(lane), filter.shift, at % stride, at / stride, *got,
                                 *wanted)
                         .c_str());
            }
        }
        frame.take();
    }
    fmt::print("\n{} layouts x {} variants\n", points().size(), convolutions().size());
}
