// Every variant once on a frame of a few hundred pixels: for checkers under which everything is a
// thousand times slower (oclgrind looks for data races), and for another driver's compiler.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/device.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

constexpr uint32_t stride = 45;
constexpr uint32_t rows = 11;
constexpr gpu::Lane lane{.offset_bytes = 3, .stride_bytes = stride, .width = 37, .height = rows};

void fill(std::span<uint8_t> bytes) {
    uint32_t state = 7;
    for (uint8_t& byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<uint8_t>(state >> 24);
    }
}

/// Several lanes into one result, so that several work-groups count into the same bins.
std::shared_ptr<const gpu::HistogramTask> several_lanes() {
    gpu::HistogramTask task(lane);
    for (uint32_t x = 0; x < 4; ++x) {
        task.lanes.push_back({.lane = lane.part(x * 9, 0, 9, rows), .result = 0, .weight = x + 1});
    }
    return std::make_shared<const gpu::HistogramTask>(std::move(task));
}

}  // namespace

TEST_GROUP(Small){};

TEST(Small, EveryHistogramVariantOnce) {
    gpu::ScratchBuffer frame(context(), queue(), size_t{stride} * (rows + 1));
    gpu::ScratchBuffer bins(context(), queue(), sizeof(gpu::Bins));
    fill(frame.bytes());
    const auto task = several_lanes();
    gpu::Bins expected;
    gpu::reference::histogram(frame.bytes().data(), *task, expected);
    frame.give();
    for (const NamedHistogram& variant : histograms()) {
        std::ranges::fill(bins.words(), 0);
        bins.give();
        variant.launch->enqueue(queue(), frame.mem(), task, bins.mem());
        bins.take();
        CHECK_TEXT(std::ranges::equal(bins.words().first(expected.size()), expected),
                   variant.name.c_str());
    }
}

TEST(Small, EveryConvolutionVariantOnce) {
    constexpr uint32_t output_stride = 64;
    gpu::ScratchBuffer frame(context(), queue(), size_t{stride} * (rows + 1));
    gpu::ScratchBuffer output(context(), queue(), size_t{output_stride} * rows);
    fill(frame.bytes());
    std::vector<std::vector<uint8_t>> expected;
    for (const NamedConvolution& variant : convolutions()) {
        expected.emplace_back(output.bytes().size());
        gpu::reference::convolve(frame.bytes().data(), lane, gpu::smoothing_filter(*variant.launch),
                                 {expected.back().data(), output_stride});
    }
    frame.give();
    for (size_t i = 0; i < convolutions().size(); ++i) {
        const NamedConvolution& variant = convolutions()[i];
        std::ranges::fill(output.bytes(), 0);
        output.give();
        variant.launch->enqueue(queue(), frame.mem(), lane, gpu::smoothing_filter(*variant.launch),
                                output.mem(), output_stride);
        output.take();
        CHECK_TEXT(std::ranges::equal(output.bytes(), expected[i]), variant.name.c_str());
    }
}
