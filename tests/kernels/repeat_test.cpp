// What a single run does not show: the same launch again and again, every level of grey, long and
// narrow frames, and the known-answer test itself.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/known_answer.hpp"
#include "daemon/gpu/runtime.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/device.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

void fill_noise(std::span<uint8_t> bytes) {
    uint32_t state = 99;
    for (uint8_t& byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<uint8_t>(state >> 24);
    }
}

/// Rows times columns of equal weights: as small as they get, and as large as a float holds
/// exactly.
std::vector<gpu::Filter> products(uint32_t size, uint32_t shift) {
    if (size == 0) size = 7;
    std::vector<gpu::Filter> result;
    for (const int32_t whole : {0, 256}) {
        gpu::Filter filter{.size = size, .shift = shift};
        const auto side = static_cast<int32_t>(size);
        const int32_t weight = std::max(1, whole / side);
        const int32_t middle = whole == 0 ? 1 : whole - weight * (side - 1);
        for (uint32_t i = 0; i < filter.taps(); ++i) {
            const int32_t down = i / size == size / 2 ? middle : weight;
            const int32_t across = i % size == size / 2 ? middle : weight;
            filter.coefficients[i] = static_cast<int16_t>(down * across);
        }
        result.push_back(filter);
    }
    return result;
}

/// The largest work-group that the tuner may try, all else as by default.
gpu::TunableValues largest_group(const kernels::Variant& variant) {
    gpu::TunableValues values;
    for (const kernels::Tunable& tunable : variant.tunables) {
        if (!tunable.name.starts_with("LOCAL")) continue;
        values.emplace(tunable.name, std::ranges::max(tunable.candidates));
    }
    return values;
}

uint32_t a_filter_size(const kernels::Variant& variant) {
    const bool filters = variant.op == kernels::Operator::convolution ||
                         variant.op == kernels::Operator::convolution_float ||
                         variant.op == kernels::Operator::filtered_histogram;
    return filters && !variant.needs.any_size ? 5 : 0;
}

}  // namespace

TEST_GROUP(Repeat){};

/// There the private memory of a whole work-group may lie on the stack of one thread.
TEST(Repeat, VariantsForCpusRunInTheLargestWorkGroup) {
    gpu::BinaryCache no_cache("");
    for (const kernels::Variant& variant : kernels::catalogue()) {
        const bool legal = gpu::why_illegal(variant.needs, context().device.traits).empty();
        if (!variant.needs.cpu_device || !legal) continue;
        const auto built = gpu::build_variant(context(), no_cache, variant, a_filter_size(variant),
                                              largest_group(variant));
        STRCMP_EQUAL_TEXT("", gpu::recheck(context(), built).c_str(),
                          std::string(variant.name).c_str());
    }
}

TEST(Repeat, EveryVariantPassesItsKnownAnswerTest) {
    for (const NamedHistogram& variant : histograms()) {
        STRCMP_EQUAL_TEXT("", gpu::check_histogram(context(), queue(), *variant.launch).c_str(),
                          variant.name.c_str());
    }
    for (const NamedConvolution& variant : convolutions()) {
        STRCMP_EQUAL_TEXT("", gpu::check_convolution(context(), queue(), *variant.launch).c_str(),
                          variant.name.c_str());
    }
    for (const NamedFloatConvolution& variant : float_convolutions()) {
        STRCMP_EQUAL_TEXT("",
                          gpu::check_float_convolution(context(), queue(), *variant.launch).c_str(),
                          variant.name.c_str());
    }
}

TEST(Repeat, AThousandLaunchesGiveTheSameHistogram) {
    const gpu::Lane lane{.offset_bytes = 3, .stride_bytes = 345, .width = 337, .height = 91};
    gpu::ScratchBuffer frame(context(), queue(), size_t{345} * 92);
    gpu::ScratchBuffer bins(context(), queue(), sizeof(gpu::Bins));
    fill_noise(frame.bytes());
    const auto task = std::make_shared<const gpu::HistogramTask>(lane);
    gpu::Bins expected;
    gpu::reference::histogram(frame.bytes().data(), *task, expected);
    frame.give();
    for (const NamedHistogram& variant : histograms()) {
        if (!variant.default_shape || variant.launch->variant().baseline) continue;
        for (int run = 0; run < 1000; ++run) {
            if (!variant.launch->accepts(*task)) continue;
            std::ranges::fill(bins.words(), 0);
            bins.give();
            variant.launch->enqueue(queue(), frame.mem(), task, bins.mem());
            bins.take();
            CHECK_TEXT(std::ranges::equal(bins.words().first(gpu::histogram_bins), expected),
                       fmt::format("{}, run {}", variant.name, run).c_str());
        }
    }
}

TEST(Repeat, AThousandLaunchesGiveTheSamePicture) {
    const gpu::Lane lane{.offset_bytes = 3, .stride_bytes = 145, .width = 137, .height = 41};
    gpu::ScratchBuffer frame(context(), queue(), size_t{145} * 42);
    gpu::ScratchBuffer output(context(), queue(), size_t{192} * 41);
    fill_noise(frame.bytes());
    std::vector<uint8_t> expected(output.bytes().size());
    for (const NamedConvolution& variant : convolutions()) {
        if (!variant.default_shape || variant.launch->variant().baseline) continue;
        const gpu::Filter filter = gpu::smoothing_filter(*variant.launch);
        std::ranges::fill(expected, uint8_t{0});
        std::ranges::fill(output.bytes(), uint8_t{0});
        gpu::reference::convolve(frame.bytes().data(), lane, filter, {expected.data(), 192});
        frame.give();
        for (int run = 0; run < 1000; ++run) {
            output.give();
            variant.launch->enqueue(queue(), frame.mem(), lane, filter, output.mem(), 192);
            output.take();
            CHECK_TEXT(std::ranges::equal(output.bytes(), expected),
                       fmt::format("{}, run {}", variant.name, run).c_str());
        }
        frame.take();
    }
}

TEST(Repeat, EveryShiftDividesAsTheReferenceDoes) {
    const gpu::Lane lane{.offset_bytes = 0, .stride_bytes = 64, .width = 61, .height = 19};
    gpu::ScratchBuffer frame(context(), queue(), size_t{64} * 19);
    gpu::ScratchBuffer output(context(), queue(), size_t{64} * 19);
    fill_noise(frame.bytes());
    std::ranges::fill(frame.bytes().first(size_t{64} * 9), uint8_t{255});  // the largest sums
    frame.give();
    std::vector<uint8_t> expected(output.bytes().size());
    for (const NamedConvolution& variant : convolutions()) {
        if (!variant.default_shape) continue;
        for (uint32_t shift = 0; shift < 32; ++shift) {
            for (const gpu::Filter& filter : products(variant.launch->filter_size(), shift)) {
                if (!variant.launch->accepts(filter)) continue;
                frame.take();
                gpu::reference::convolve(frame.bytes().data(), lane, filter, {expected.data(), 64});
                frame.give();
                output.give();
                variant.launch->enqueue(queue(), frame.mem(), lane, filter, output.mem(), 64);
                output.take();
                for (size_t y = 0; y < 19; ++y) {
                    const auto row = output.bytes().subspan(y * 64, 61);
                    CHECK_TEXT(std::ranges::equal(row, std::span(expected).subspan(y * 64, 61)),
                               fmt::format("{}, shift {}", variant.name, shift).c_str());
                }
            }
        }
    }
    frame.take();
}

TEST(Repeat, AConstantPictureHasOneBinAndStaysConstantAtEveryLevel) {
    const gpu::Lane lane{.offset_bytes = 0, .stride_bytes = 64, .width = 61, .height = 19};
    gpu::ScratchBuffer frame(context(), queue(), size_t{64} * 19);
    gpu::ScratchBuffer bins(context(), queue(), sizeof(gpu::Bins));
    gpu::ScratchBuffer output(context(), queue(), size_t{64} * 19);
    const auto task = std::make_shared<const gpu::HistogramTask>(lane);
    for (uint32_t level = 0; level < 256; ++level) {
        std::ranges::fill(frame.bytes(), static_cast<uint8_t>(level));
        frame.give();
        for (const NamedHistogram& variant : histograms()) {
            if (!variant.default_shape || variant.launch->variant().baseline) continue;
            if (!variant.launch->accepts(*task)) continue;
            std::ranges::fill(bins.words(), 0);
            bins.give();
            variant.launch->enqueue(queue(), frame.mem(), task, bins.mem());
            bins.take();
            for (uint32_t bin = 0; bin < gpu::histogram_bins; ++bin) {
                LONGS_EQUAL_TEXT(bin == level ? 61 * 19 : 0, bins.words()[bin],
                                 variant.name.c_str());
            }
        }
        for (const NamedConvolution& variant : convolutions()) {
            if (!variant.default_shape || variant.launch->variant().baseline) continue;
            const gpu::Filter filter = gpu::smoothing_filter(*variant.launch);
            std::ranges::fill(output.bytes(), static_cast<uint8_t>(~level));
            output.give();
            variant.launch->enqueue(queue(), frame.mem(), lane, filter, output.mem(), 64);
            output.take();
            for (uint32_t y = 0; y < 19; ++y) {
                const auto row = output.bytes().subspan(size_t{y} * 64, 61);
                CHECK_TEXT(std::ranges::all_of(row, [&](uint8_t v) { return v == level; }),
                           variant.name.c_str());
            }
        }
        frame.take();
    }
}

TEST(Repeat, EveryOffsetOfARegionCountsOnlyItsOwnPixels) {
    constexpr uint32_t stride = 256;
    gpu::ScratchBuffer frame(context(), queue(), size_t{stride} * 40);
    gpu::ScratchBuffer bins(context(), queue(), sizeof(gpu::Bins));
    fill_noise(frame.bytes());
    for (uint32_t x = 0; x <= 70; ++x) {
        const gpu::Lane lane{
            .offset_bytes = 5 * stride + x, .stride_bytes = stride, .width = 100 + x, .height = 30};
        const auto task = std::make_shared<const gpu::HistogramTask>(lane);
        gpu::Bins expected;
        gpu::reference::histogram(frame.bytes().data(), *task, expected);
        frame.give();
        for (const NamedHistogram& variant : histograms()) {
            if (!variant.launch->accepts(*task)) continue;
            std::ranges::fill(bins.words(), 0);
            bins.give();
            variant.launch->enqueue(queue(), frame.mem(), task, bins.mem());
            bins.take();
            CHECK_TEXT(std::ranges::equal(bins.words().first(gpu::histogram_bins), expected),
                       fmt::format("{}, x = {}", variant.name, x).c_str());
        }
        frame.take();
    }
}

TEST(Repeat, TallAndWideFramesAreCountedWhole) {
    gpu::ScratchBuffer frame(context(), queue(), size_t{65535} * 8);
    gpu::ScratchBuffer bins(context(), queue(), sizeof(gpu::Bins));
    fill_noise(frame.bytes());
    struct Size {
        uint32_t width;
        uint32_t height;
    };
    for (const auto [width, height] :
         {Size{64, 512}, Size{512, 64}, Size{65535, 5}, Size{7, 65535}, Size{1, 65535}}) {
        const gpu::Lane lane{
            .offset_bytes = 0, .stride_bytes = width, .width = width, .height = height};
        const auto task = std::make_shared<const gpu::HistogramTask>(lane);
        gpu::Bins expected;
        gpu::reference::histogram(frame.bytes().data(), *task, expected);
        frame.give();
        for (const NamedHistogram& variant : histograms()) {
            if (!variant.launch->accepts(*task)) continue;
            std::ranges::fill(bins.words(), 0);
            bins.give();
            variant.launch->enqueue(queue(), frame.mem(), task, bins.mem());
            bins.take();
            CHECK_TEXT(std::ranges::equal(bins.words().first(gpu::histogram_bins), expected),
                       fmt::format("{} {}x{}", variant.name, width, height).c_str());
        }
        frame.take();
    }
}
