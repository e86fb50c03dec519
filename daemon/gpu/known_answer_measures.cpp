#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/known_answer.hpp"
#include "daemon/gpu/known_answer_cases.hpp"
#include "daemon/gpu/scratch_buffer.hpp"

namespace glint::gpu {
namespace {

constexpr uint32_t dirt = 0xDEADBEEF;

std::string run_sharpness(const Context& context, cl_command_queue queue, SharpnessLaunch& launch,
                          const Lane& lane, ScratchBuffer& frame) {
    const size_t count = launch.partials(lane);
    ScratchBuffer partials(context, queue, (count + 1) * sizeof(uint32_t));
    std::ranges::fill(partials.words(), dirt);
    const uint64_t expected = reference::sharpness(frame.bytes().data(), lane);
    frame.give();
    partials.give();
    launch.enqueue(queue, frame.mem(), lane, partials.mem());
    partials.take();
    frame.take();
    const uint64_t got = added_up(partials.words().first(count));
    if (got != expected) {
        return fmt::format("{}: sharpness is {}, expected {}", describe(lane), got, expected);
    }
    if (partials.words()[count] != dirt) {
        return fmt::format("{}: memory behind the partial sums is overwritten", describe(lane));
    }
    return {};
}

/// Every square as large as it gets but at the border: a sum that does not fit shows.
void fill_checkerboard(const Lane& lane, std::span<uint8_t> bytes) {
    for (uint32_t y = 0; y < lane.height; ++y) {
        for (uint32_t x = 0; x < lane.width; ++x) {
            bytes[size_t{y} * lane.stride_bytes + x] = (x + y) % 2 == 0 ? 255 : 0;
        }
    }
}

std::vector<Filter> filters_of(uint32_t size) {
    Filter uneven{.size = size, .shift = 4};
    Filter large{.size = size, .shift = 23};
    for (uint32_t i = 0; i < uneven.taps(); ++i) {
        uneven.coefficients[i] = static_cast<int16_t>(static_cast<int32_t>(i * 7 % 23) - 9);
        large.coefficients[i] = i % 4 == 3 ? -32768 : 32767;
    }
    return {*named_filter(size == 3 ? "binomial3" : "binomial5"), uneven, large};
}

std::string run_filtered(const Context& context, cl_command_queue queue,
                         FilteredHistogramLaunch& launch, const KnownCase& test,
                         const Filter& filter) {
    ScratchBuffer frame(context, queue, frame_bytes(test.lane));
    ScratchBuffer bins(context, queue, 2 * sizeof(Bins));
    fill(test, frame.bytes());
    std::vector<uint32_t> expected(bins.words().size(), dirt);
    std::ranges::copy(reference::filtered_histogram(frame.bytes().data(), test.lane, filter),
                      expected.begin());
    std::ranges::fill(bins.words(), dirt);
    std::ranges::fill(bins.words().first(histogram_bins), 0);
    frame.give();
    bins.give();
    launch.enqueue(queue, frame.mem(), test.lane, filter, bins.mem());
    bins.take();
    const auto [wanted, got] = std::ranges::mismatch(expected, bins.words());
    if (wanted == expected.end()) return {};
    return fmt::format(
        "{}, filter {}x{} shift {} border {}: word {} of the bins is {}, expected {}",
        describe(test.lane), filter.size, filter.size, filter.shift,
        static_cast<uint32_t>(filter.border), wanted - expected.begin(), *got, *wanted);
}

}  // namespace

std::string check_sharpness(const Context& context, cl_command_queue queue,
                            SharpnessLaunch& launch) {
    for (const KnownCase& test : known_cases()) {
        ScratchBuffer frame(context, queue, frame_bytes(test.lane));
        fill(test, frame.bytes());
        std::string wrong = run_sharpness(context, queue, launch, test.lane, frame);
        if (!wrong.empty()) return wrong;
    }
    const Lane tall{.stride_bytes = 64, .width = 35, .height = 600};
    ScratchBuffer frame(context, queue, frame_bytes(tall));
    fill_checkerboard(tall, frame.bytes());
    return run_sharpness(context, queue, launch, tall, frame);
}

std::string check_filtered_histogram(const Context& context, cl_command_queue queue,
                                     FilteredHistogramLaunch& launch) {
    for (Filter filter : filters_of(launch.filter_size())) {
        filter.border_value = 77;
        for (const Border border : {Border::replicate, Border::constant, Border::reflect_101}) {
            filter.border = border;
            for (const KnownCase& test : known_cases()) {
                std::string wrong = run_filtered(context, queue, launch, test, filter);
                if (!wrong.empty()) return wrong;
            }
        }
    }
    return {};
}

}  // namespace glint::gpu
