#include "daemon/gpu/known_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "zero_copy/formats.hpp"

namespace glint::gpu {
namespace {

struct Case {
    Lane lane;
    uint8_t lowest;   ///< samples are spread from here
    uint8_t highest;  ///< to here
};

// Widths on both sides of a 16-byte load and of a work-group; heights that leave strips ragged;
// offsets and strides that make every row start elsewhere within 16 bytes.
constexpr Case cases[] = {
    {{.offset_bytes = 0, .stride_bytes = 64, .width = 1, .height = 1}, 7, 7},
    {{.offset_bytes = 5, .stride_bytes = 41, .width = 37, .height = 3}, 0, 255},
    {{.offset_bytes = 3, .stride_bytes = 275, .width = 257, .height = 35}, 0, 255},
    {{.offset_bytes = 64, .stride_bytes = 128, .width = 128, .height = 17}, 255, 255},
    {{.offset_bytes = 0, .stride_bytes = 16, .width = 2, .height = 129}, 0, 1},
    {{.offset_bytes = 1, .stride_bytes = 151, .step_bytes = 2, .width = 75, .height = 9}, 0, 255},
    {{.offset_bytes = 2, .stride_bytes = 131, .step_bytes = 3, .width = 43, .height = 6}, 0, 255},
    {{.offset_bytes = 1,
      .stride_bytes = 99,
      .step_bytes = 2,
      .low_bytes = -1,
      .shift = 2,
      .width = 49,
      .height = 5},
     0,
     3},
    {{.offset_bytes = 8,
      .stride_bytes = 99,
      .step_bytes = 2,
      .low_bytes = 1,
      .shift = 8,
      .width = 45,
      .height = 5},
     0,
     255},
    {{.offset_bytes = 1, .stride_bytes = 192, .step_bytes = 2, .width = 93, .height = 7}, 0, 255},
    {{.offset_bytes = 7, .stride_bytes = 256, .step_bytes = 4, .width = 61, .height = 3}, 0, 255},
    {{.offset_bytes = 5,
      .stride_bytes = 128,
      .step_bytes = 2,
      .low_bytes = -1,
      .shift = 6,
      .width = 59,
      .height = 5},
     0,
     255},
    {{.offset_bytes = 2,
      .stride_bytes = 107,
      .shift = 6,
      .width = 81,
      .height = 3,
      .packed_log2 = 2,
      .first_sample = 3},
     0,
     255},
    {{.offset_bytes = 0,
      .stride_bytes = 91,
      .step_bytes = 2,
      .shift = 4,
      .width = 29,
      .height = 4,
      .packed_log2 = 1,
      .first_sample = 1},
     0,
     255},
};

/// Generous: a lane reaches at most as far as its rows and one sample more.
size_t frame_bytes(const Lane& lane) {
    return lane.offset_bytes + size_t{lane.stride_bytes} * lane.height + lane.step_bytes + 8;
}

/// Poison everywhere, then samples from `lowest` to `highest` where the lane has them. A linear
/// congruential generator (Numerical Recipes, 2nd edition, 7.1): the same on every machine.
void fill(const Case& test, std::span<uint8_t> bytes) {
    uint32_t state = test.lane.width * 2654435761U + test.lane.height;
    const auto next = [&state] { return (state = state * 1664525U + 1013904223U) >> 16; };
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(next());
    if (test.lane.packed_log2 != 0) return;  // noise all over is a fine packed picture
    const uint32_t spread = uint32_t{test.highest} - test.lowest + 1;
    for (uint32_t y = 0; y < test.lane.height; ++y) {
        for (uint32_t x = 0; x < test.lane.width; ++x) {
            const size_t at = test.lane.offset_bytes + size_t{y} * test.lane.stride_bytes +
                              size_t{x} * test.lane.step_bytes;
            bytes[at] = static_cast<uint8_t>(test.lowest + next() % spread);
        }
    }
}

std::string describe(const Lane& lane) {
    return fmt::format("{}x{} offset {} stride {} step {} low {} shift {} packed {}", lane.width,
                       lane.height, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
                       lane.low_bytes, lane.shift, lane.packed_log2);
}

std::string run_histogram(const Context& context, cl_command_queue queue, HistogramLaunch& launch,
                          const HistogramTask& task, const Case& test) {
    // With dirt behind the results, so that a wrong index is seen.
    constexpr uint32_t dirt = 0xDEADBEEF;
    constexpr size_t beyond = histogram_bins;
    ScratchBuffer frame(context, queue, frame_bytes(test.lane));
    ScratchBuffer results(context, queue, (task.counters() + beyond) * sizeof(uint32_t));
    fill(test, frame.bytes());
    std::vector<uint32_t> expected(task.counters() + beyond, dirt);
    reference::histogram(frame.bytes().data(), task, std::span(expected).first(task.counters()));
    std::ranges::fill(results.words(), dirt);
    std::ranges::fill(results.words().first(task.counters()), 0);
    frame.give();
    results.give();
    launch.enqueue(queue, frame.mem(), std::make_shared<const HistogramTask>(task), results.mem());
    results.take();
    const auto [wanted, got] = std::ranges::mismatch(expected, results.words());
    if (wanted == expected.end()) return {};
    const auto at = static_cast<size_t>(wanted - expected.begin());
    return fmt::format("{}{}: {} {} is {}, expected {}", describe(test.lane),
                       task.lanes.size() > 1 ? " and others" : "",
                       at < task.counters() ? "bin" : "memory behind the bins at", at, *got,
                       *wanted);
}

/// All that a task can ask for at once: a whole picture, rectangles of it that share a result with
/// different weights, and a masked one.
HistogramTask many_lanes(const Lane& whole, uint32_t bins) {
    HistogramTask task(whole);
    task.bins = bins;
    task.results = 3;
    Lane part = whole;
    part.width = std::max(1U, whole.width / 2);
    task.lanes.push_back({.lane = part, .result = 1, .weight = 3});
    part.height = std::max(1U, whole.height / 3);
    part.offset_bytes += whole.stride_bytes * (whole.height - part.height);
    task.lanes.push_back({.lane = part, .result = 1, .weight = 200});
    task.lanes.push_back({.lane = whole,
                          .result = 2,
                          .mask_first_bit = 3,
                          .mask_step_bits = 1,
                          .mask_row_bits = whole.width + 5});
    task.mask.resize((size_t{whole.width + 5} * whole.height + 3) / 8 + 1);
    for (size_t i = 0; i < task.mask.size(); ++i) task.mask[i] = static_cast<uint8_t>(i * 37 + 11);
    return task;
}

/// Bins of uneven width, as a camera with a bin count that is no power of two has.
std::vector<uint16_t> uneven_table(uint32_t bins) {
    std::vector<uint16_t> table(1024);
    for (uint32_t value = 0; value < table.size(); ++value) {
        table[value] = static_cast<uint16_t>(value * value % bins);
    }
    return table;
}

std::vector<Filter> filters_for(const ConvolutionLaunch& launch) {
    std::vector<Filter> filters;
    for (const auto name : {"binomial3", "binomial5", "sharpen3", "sobel_x3", "laplacian3"}) {
        filters.push_back(*named_filter(name));
    }
    for (const uint32_t size : {3U, 5U}) {
        // Asymmetric, of both signs, with sums beyond both ends of a byte.
        Filter uneven{.size = size, .shift = 4};
        for (uint32_t i = 0; i < uneven.taps(); ++i) {
            uneven.coefficients[i] = static_cast<int16_t>(static_cast<int32_t>(i * 7 % 23) - 9);
        }
        filters.push_back(uneven);
        // As large as the 32-bit bound allows, so that a narrower sum shows.
        Filter large{.size = size, .shift = 23};
        for (uint32_t i = 0; i < large.taps(); ++i)
            large.coefficients[i] = i % 4 == 3 ? -32768 : 32767;
        filters.push_back(large);
    }
    std::erase_if(filters, [&](const Filter& filter) { return !launch.accepts(filter); });
    return filters;
}

std::string run_convolution(const Context& context, cl_command_queue queue,
                            ConvolutionLaunch& launch, const Case& test, const Filter& filter) {
    const Lane& lane = test.lane;
    const auto stride = static_cast<uint32_t>(zero_copy::align_up(lane.width, 64));
    constexpr uint8_t poison = 0xA5;
    ScratchBuffer frame(context, queue, frame_bytes(lane));
    ScratchBuffer output(context, queue, size_t{stride} * lane.height);
    fill(test, frame.bytes());
    std::ranges::fill(output.bytes(), poison);
    std::vector<uint8_t> expected(output.bytes().size(), poison);
    reference::convolve(frame.bytes().data(), lane, filter, {expected.data(), stride});
    frame.give();
    output.give();
    launch.enqueue(queue, frame.mem(), lane, filter, output.mem(), stride);
    output.take();
    const auto [got, wanted] = std::ranges::mismatch(output.bytes(), expected);
    if (wanted == expected.end()) return {};
    const auto at = static_cast<size_t>(wanted - expected.begin());
    return fmt::format("{}, filter {}x{} shift {} border {}: pixel ({}, {}) is {}, expected {}",
                       describe(lane), filter.size, filter.size, filter.shift,
                       static_cast<uint32_t>(filter.border), at % stride, at / stride, *got,
                       *wanted);
}

}  // namespace

std::string check_histogram(const Context& context, cl_command_queue queue,
                            HistogramLaunch& launch) {
    for (const Case& test : cases) {
        HistogramTask task(test.lane);
        task.bins = launch.bins();
        std::string wrong = run_histogram(context, queue, launch, task, test);
        if (wrong.empty()) {
            wrong =
                run_histogram(context, queue, launch, many_lanes(test.lane, launch.bins()), test);
        }
        if (wrong.empty()) {
            task.table = uneven_table(task.bins);
            wrong = run_histogram(context, queue, launch, task, test);
        }
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string check_convolution(const Context& context, cl_command_queue queue,
                              ConvolutionLaunch& launch) {
    for (Filter filter : filters_for(launch)) {
        filter.border_value = 77;
        for (const Border border : {Border::replicate, Border::constant, Border::reflect_101}) {
            filter.border = border;
            for (const Case& test : cases) {
                std::string wrong = run_convolution(context, queue, launch, test, filter);
                if (!wrong.empty()) return wrong;
            }
        }
    }
    return {};
}

}  // namespace glint::gpu
