// The further operators against their references: a cover of widths, heights, strides, offsets and
// sample layouts, and every variant's known-answer test.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/known_answer.hpp"
#include "daemon/gpu/runtime.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/device.hpp"
#include "tests/kernels/layouts.hpp"
#include "zero_copy/formats.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

constexpr uint8_t poison = 0xA5;

std::vector<gpu::PictureTask> tasks() {
    gpu::Lookup inverted;
    for (uint32_t i = 0; i < 256; ++i) inverted.table[i] = static_cast<uint8_t>(~i * 3);
    return {inverted,
            gpu::Sobel{},
            gpu::Sobel{.border = gpu::Border::reflect_101},
            gpu::Downscale{},
            gpu::Normalise{.threshold = 30, .mean = 100, .gain = 90, .shift = 5, .offset = 100},
            gpu::Planar{.planes = 2, .bytes = {1, 0, 0}}};
}

uint32_t stride_for(uint32_t width) {
    return static_cast<uint32_t>(zero_copy::align_up(width, 64));
}

std::vector<uint8_t> expected_picture(const uint8_t* pixels, const gpu::Lane& lane,
                                      const gpu::PictureTask& task) {
    const gpu::PictureSize size = output_size(task, lane);
    std::vector<uint8_t> expected(size_t{stride_for(size.width)} * size.height + 1, poison);
    gpu::reference::make_picture(pixels, lane, task, {expected.data(), stride_for(size.width)});
    return expected;
}

void expect_picture(NamedPicture& variant, const gpu::Lane& lane, const gpu::PictureTask& task,
                    const std::vector<uint8_t>& expected, gpu::ScratchBuffer& frame,
                    gpu::ScratchBuffer& output) {
    const uint32_t stride = stride_for(output_size(task, lane).width);
    std::ranges::fill(output.bytes().first(expected.size()), poison);
    output.give();
    variant.launch->enqueue(queue(), frame.mem(), lane, task, output.mem(), stride);
    output.take();
    const auto [got, wanted] =
        std::ranges::mismatch(output.bytes().first(expected.size()), expected);
    if (wanted == expected.end()) return;
    const auto at = static_cast<uint32_t>(wanted - expected.begin());
    FAIL(fmt::format("{}: {}: ({}, {}) is {}, expected {}", variant.name, describe(lane),
                     at % stride, at / stride, *got, *wanted)
             .c_str());
}

}  // namespace

TEST_GROUP(Operators) {
    gpu::ScratchBuffer frame{context(), queue(), largest_frame_bytes()};
    std::vector<uint8_t> pixels;  ///< the frame once more, for the CPU
    PlainPicture values;          ///< its lane, for the references

    void use(const Picture& picture, const gpu::Lane& lane, uint32_t number) {
        place(picture, lane, number, frame.bytes());
        pixels.assign(frame.bytes().begin(), frame.bytes().end());
        values = plain(picture);
        frame.give();
    }
};

TEST(Operators, EveryLayoutMeetsEveryHeightPaddingAndOffset) {
    std::set<std::pair<uint32_t, uint32_t>> with_heights;
    std::set<std::pair<uint32_t, uint32_t>> with_paddings;
    std::set<std::pair<uint32_t, uint32_t>> with_offsets;
    for (const auto& [picture, placement] : thinned_cover()) {
        with_heights.emplace(picture.layout, picture.height);
        with_paddings.emplace(picture.layout, placement.padding_bytes);
        with_offsets.emplace(picture.layout, placement.offset_bytes);
    }
    LONGS_EQUAL(sample_layouts.size() * heights.size(), with_heights.size());
    LONGS_EQUAL(sample_layouts.size() * paddings, with_paddings.size());
    LONGS_EQUAL(sample_layouts.size() * offsets, with_offsets.size());
}

TEST(Operators, EveryPictureVariantEqualsTheReference) {
    gpu::ScratchBuffer output(context(), queue(), size_t{320} * 481 * 2 + 1);
    uint32_t number = 0;
    for (const auto& [picture, placement] : thinned_cover()) {
        const gpu::Lane lane = lane_of(picture, placement);
        use(picture, lane, ++number);
        for (const gpu::PictureTask& task : tasks()) {
            if (!takes(task, lane)) continue;
            // Planes are made of bytes, whatever they mean.
            const bool of_bytes = std::holds_alternative<gpu::Planar>(task);
            const std::vector<uint8_t> expected =
                of_bytes ? expected_picture(pixels.data(), lane, task)
                         : expected_picture(values.frame.data(), values.lane, task);
            for (NamedPicture& variant : picture_variants()) {
                if (variant.launch->variant().op != operator_of(task)) continue;
                expect_picture(variant, lane, task, expected, frame, output);
            }
        }
        frame.take();
    }
}

TEST(Operators, EverySharpnessVariantEqualsTheReference) {
    gpu::ScratchBuffer partials(context(), queue(), size_t{1} << 20);
    uint32_t number = 0;
    for (const auto& [picture, placement] : thinned_cover()) {
        const gpu::Lane lane = lane_of(picture, placement);
        use(picture, lane, ++number);
        const uint64_t expected = gpu::reference::sharpness(values.frame.data(), values.lane);
        for (NamedSharpness& variant : sharpnesses()) {
            const size_t count = variant.launch->partials(lane);
            std::ranges::fill(partials.words().first(count), UINT32_MAX);
            partials.give();
            variant.launch->enqueue(queue(), frame.mem(), lane, partials.mem());
            partials.take();
            CHECK_EQUAL_TEXT(expected, gpu::added_up(partials.words().first(count)),
                             fmt::format("{}: {}", variant.name, describe(lane)).c_str());
        }
        frame.take();
    }
}

TEST(Operators, AWrongPartialSumIsFoundSoonerOrLater) {
    constexpr uint64_t tries = 1000;
    gpu::ScratchBuffer partials(context(), queue(), size_t{1} << 16);
    const Picture picture{300, 64, 1};
    const gpu::Lane lane = lane_of(picture, {3, 5});
    use(picture, lane, 1);
    for (NamedSharpness& variant : sharpnesses()) {
        const auto sums = partials.words().first(variant.launch->partials(lane));
        partials.give();
        variant.launch->enqueue(queue(), frame.mem(), lane, partials.mem());
        partials.take();
        const auto all_match = [&] {
            for (uint64_t seed = 0; seed < tries; ++seed) {
                if (!variant.launch->one_matches(pixels.data(), lane, sums, seed)) return false;
            }
            return true;
        };
        CHECK_TRUE_TEXT(all_match(), variant.name.c_str());
        // Of the first, and of the last that stands for samples.
        for (uint32_t* wrong :
             {&sums.front(), &*std::ranges::find_if(sums.rbegin(), sums.rend(),
                                                    [](uint32_t sum) { return sum != 0; })}) {
            *wrong ^= 1;
            CHECK_FALSE_TEXT(all_match(), variant.name.c_str());
            *wrong ^= 1;
        }
    }
    frame.take();
}

TEST(Operators, EveryFilteredHistogramEqualsTheFiltersHistogram) {
    gpu::ScratchBuffer bins(context(), queue(), sizeof(gpu::Bins));
    uint32_t number = 0;
    for (const auto& [picture, placement] : thinned_cover()) {
        const gpu::Lane lane = lane_of(picture, placement);
        use(picture, lane, ++number);
        for (NamedFiltered& variant : filtered_histograms()) {
            gpu::Filter filter =
                *gpu::named_filter(variant.launch->filter_size() == 3 ? "sharpen3" : "binomial5");
            filter.border = static_cast<gpu::Border>(number % 3);
            const gpu::Bins expected =
                gpu::reference::filtered_histogram(values.frame.data(), values.lane, filter);
            std::ranges::fill(bins.words(), 0);
            bins.give();
            variant.launch->enqueue(queue(), frame.mem(), lane, filter, bins.mem());
            bins.take();
            CHECK_TEXT(std::ranges::equal(bins.words().first(gpu::histogram_bins), expected),
                       fmt::format("{}: {}", variant.name, describe(lane)).c_str());
        }
        frame.take();
    }
}

TEST(Operators, EveryVariantPassesItsKnownAnswerTest) {
    for (NamedPicture& variant : picture_variants()) {
        STRCMP_EQUAL_TEXT("", gpu::check_picture(context(), queue(), *variant.launch).c_str(),
                          variant.name.c_str());
    }
    for (NamedSharpness& variant : sharpnesses()) {
        STRCMP_EQUAL_TEXT("", gpu::check_sharpness(context(), queue(), *variant.launch).c_str(),
                          variant.name.c_str());
    }
    for (NamedFiltered& variant : filtered_histograms()) {
        STRCMP_EQUAL_TEXT(
            "", gpu::check_filtered_histogram(context(), queue(), *variant.launch).c_str(),
            variant.name.c_str());
    }
}
