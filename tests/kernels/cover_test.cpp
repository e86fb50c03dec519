// Every variant against the reference over sizes, strides, offsets and sample layouts: by default
// over a cover in which every pair of two values meets; with GLINT_TEST_EXHAUSTIVE="PART/PARTS"
// over every combination of the widths that leave PART when divided by PARTS.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/device.hpp"
#include "tests/kernels/layouts.hpp"
#include "zero_copy/formats.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

constexpr uint8_t poison = 0xA5;
constexpr size_t filter_kinds = 3;

std::vector<PlacedPicture> part_of_full_product(const char* part_and_parts) {
    uint32_t part = 0;
    uint32_t parts = 0;
    if (std::sscanf(part_and_parts, "%u/%u", &part, &parts) != 2 || part >= parts) {
        FAIL(fmt::format("GLINT_TEST_EXHAUSTIVE is '{}': PART/PARTS, e.g. 0/2", part_and_parts)
                 .c_str());
    }
    std::vector<PlacedPicture> all = full_product();
    std::erase_if(
        all, [=](const PlacedPicture& placed) { return placed.picture.width % parts != part; });
    return all;
}

const std::vector<PlacedPicture>& pictures() {
    static const std::vector<PlacedPicture> all = [] {
        if (const char* part = std::getenv("GLINT_TEST_EXHAUSTIVE")) {
            return part_of_full_product(part);
        }
        std::vector<PlacedPicture> cover = pairwise_cover();
#ifdef GLINT_SANITIZED
        // The sanitizers look for wrong accesses of the host's code; a sample shows those.
        std::erase_if(cover, [](const PlacedPicture& placed) {
            return (placed.picture.width + placed.picture.height) % 11 != 0;
        });
#endif
        return cover;
    }();
    return all;
}

/// Counts frames, and says how far the long run is.
class Progress {
  public:
    void frame_done(const Picture& picture) {
        ++frames_;
        if (picture.width == width_ || std::getenv("GLINT_TEST_EXHAUSTIVE") == nullptr) return;
        width_ = picture.width;
        fmt::print("width {} of {}, {} frames so far\n", width_, widths, frames_);
        std::fflush(stdout);
    }
    [[nodiscard]] uint32_t frames() const { return frames_; }

  private:
    uint32_t frames_ = 0;
    uint32_t width_ = 0;
};

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

/// Of each size a binomial one, one with an uneven shape and a loss of bits, one as large as they
/// get.
const gpu::Filter& test_filter(uint32_t size, size_t kind) {
    static const auto filters = [] {
        std::array<std::array<gpu::Filter, filter_kinds>, 2> result;
        for (const uint32_t taps : {3U, 5U}) {
            gpu::Filter uneven{.size = taps, .shift = 5};
            gpu::Filter large{.size = taps, .shift = 22};
            for (uint32_t i = 0; i < taps * taps; ++i) {
                uneven.coefficients[i] =
                    static_cast<int16_t>(static_cast<int32_t>(i * 11 % 29) - 10);
                large.coefficients[i] = i % 3 == 1 ? INT16_MIN : INT16_MAX;
            }
            result[taps / 2 - 1] = {*gpu::named_filter(taps == 3 ? "binomial3" : "binomial5"),
                                    uneven, large};
        }
        return result;
    }();
    return filters[size / 2 - 1][kind];
}

size_t kind_for(const gpu::ConvolutionLaunch& launch, size_t wanted) {
    const uint32_t size = launch.filter_size();
    if (launch.accepts(test_filter(size, wanted))) return wanted;
    return launch.accepts(test_filter(size, 1)) ? 1 : 0;
}

uint32_t output_stride(const gpu::Lane& lane) {
    return static_cast<uint32_t>(zero_copy::align_up(lane.width, 64));
}

/// The last row too, and the byte after it: nothing outside may be written.
size_t output_bytes(const gpu::Lane& lane) {
    return size_t{output_stride(lane)} * lane.height + 1;
}

/// What the reference makes of one picture, each filter once.
class ExpectedPictures {
  public:
    void compute(const uint8_t* frame, const gpu::Lane& lane, uint32_t size, size_t kind) {
        std::vector<uint8_t>& expected = pictures_[size / 2 - 1][kind];
        if (!expected.empty()) return;
        expected.assign(output_bytes(lane), poison);
        gpu::reference::convolve(frame, lane, test_filter(size, kind),
                                 {expected.data(), output_stride(lane)});
    }
    [[nodiscard]] const std::vector<uint8_t>& get(uint32_t size, size_t kind) const {
        return pictures_[size / 2 - 1][kind];
    }

  private:
    std::array<std::array<std::vector<uint8_t>, filter_kinds>, 2> pictures_;
};

void expect_equal(std::span<const uint8_t> got, const std::vector<uint8_t>& expected,
                  const gpu::Lane& lane, const std::string& what) {
    const auto [at, wanted] = std::ranges::mismatch(got.first(expected.size()), expected);
    if (wanted == expected.end()) return;
    const auto index = static_cast<uint32_t>(wanted - expected.begin());
    const uint32_t stride = output_stride(lane);
    FAIL(fmt::format("{}: {}: ({}, {}) is {}, expected {}", what, describe(lane), index % stride,
                     index / stride, *at, *wanted)
             .c_str());
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
        std::optional<gpu::Bins> expected;
        for (const Placement& placement : placements) {
            const gpu::Lane lane = lane_of(picture, placement);
            place(picture, lane, progress.frames(), frame.bytes());
            const auto task = std::make_shared<const gpu::HistogramTask>(lane);
            if (!expected) {
                gpu::reference::histogram(frame.bytes().data(), *task, expected.emplace());
            }
            frame.give();
            for (const NamedHistogram& variant : histograms()) {
                const auto own = bins.words().first(gpu::histogram_bins);
                const auto behind = bins.words().subspan(gpu::histogram_bins, gpu::histogram_bins);
                std::ranges::fill(behind, 0xDEADBEEF);
                std::ranges::fill(own, 0);
                bins.give();
                variant.launch->enqueue(queue(), frame.mem(), task, bins.mem());
                bins.take();
                if (!std::ranges::equal(own, *expected)) {
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

TEST(Cover, EveryConvolutionVariantEqualsTheReference) {
    gpu::ScratchBuffer frame(context(), queue(), largest_frame_bytes());
    gpu::ScratchBuffer output(context(), queue(), size_t{320} * 482);
    Progress progress;
    for (const auto& [picture, placements] : pictures()) {
        ExpectedPictures expected;
        for (const Placement& placement : placements) {
            const gpu::Lane lane = lane_of(picture, placement);
            place(picture, lane, progress.frames(), frame.bytes());
            const size_t wanted =
                (picture.width + placement.padding_bytes + placement.offset_bytes) % filter_kinds;
            // Once the frame is the device's, the CPU must not look at it any more.
            for (const NamedConvolution& variant : convolutions()) {
                expected.compute(frame.bytes().data(), lane, variant.launch->filter_size(),
                                 kind_for(*variant.launch, wanted));
            }
            frame.give();
            for (const NamedConvolution& variant : convolutions()) {
                const uint32_t size = variant.launch->filter_size();
                const size_t kind = kind_for(*variant.launch, wanted);
                std::fill_n(output.bytes().begin(), output_bytes(lane), poison);
                output.give();
                variant.launch->enqueue(queue(), frame.mem(), lane, test_filter(size, kind),
                                        output.mem(), output_stride(lane));
                output.take();
                expect_equal(output.bytes(), expected.get(size, kind), lane,
                             fmt::format("{}, filter {}", variant.name, kind));
            }
            frame.take();
            progress.frame_done(picture);
        }
    }
    fmt::print("\n{} frames x {} variants\n", progress.frames(), convolutions().size());
}
