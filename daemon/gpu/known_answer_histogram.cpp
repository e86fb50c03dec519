#include "daemon/gpu/known_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "daemon/gpu/known_answer_cases.hpp"
#include "daemon/gpu/scratch_buffer.hpp"

namespace glint::gpu {
namespace {

std::string run_histogram(const Context& context, cl_command_queue queue, HistogramLaunch& launch,
                          const HistogramTask& task, const KnownCase& test) {
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

}  // namespace

std::string check_histogram(const Context& context, cl_command_queue queue,
                            HistogramLaunch& launch) {
    for (const KnownCase& test : known_cases()) {
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

}  // namespace glint::gpu
