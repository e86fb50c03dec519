#include "daemon/gpu/known_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/known_answer_cases.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "zero_copy/formats.hpp"

namespace glint::gpu {
namespace {

/// Of both signs, with sums beyond both ends of a byte.
Filter uneven(uint32_t size) {
    Filter filter{.size = size, .shift = 4};
    for (uint32_t i = 0; i < filter.taps(); ++i) {
        filter.coefficients[i] = static_cast<int16_t>(static_cast<int32_t>(i * 7 % 23) - 9);
    }
    return filter;
}

/// As large as the 32-bit bound allows, so that a narrower sum shows.
Filter large(uint32_t size) {
    Filter filter{.size = size, .shift = 23};
    const auto most =
        static_cast<int32_t>(std::min<uint32_t>(INT16_MAX, (1U << 31) / 255 / filter.taps()));
    for (uint32_t i = 0; i < filter.taps(); ++i) {
        filter.coefficients[i] = static_cast<int16_t>(i % 4 == 3 ? -most : most);
    }
    return filter;
}

/// An outer product of both signs whose row sums take more than 16 bits.
Filter large_product(uint32_t size) {
    Filter filter{.size = size, .shift = 12};
    for (uint32_t i = 0; i < filter.taps(); ++i) {
        const uint32_t down = i / size % 2 == 0 ? 181 : 180;
        const uint32_t along = i % size;
        const auto product = static_cast<int32_t>(down * (181 - along));
        filter.coefficients[i] = static_cast<int16_t>(along % 3 == 1 ? -product : product);
    }
    return filter;
}

std::vector<Filter> filters_for(const ConvolutionLaunch& launch) {
    std::vector<Filter> filters;
    for (const auto name : {"binomial3", "binomial5", "sharpen3", "sobel_x3", "laplacian3", "box7",
                            "unsharp9", "gaussian31"}) {
        filters.push_back(*named_filter(name));
    }
    for (const uint32_t size : {3U, 5U, 7U}) {
        filters.push_back(uneven(size));
        filters.push_back(large(size));
    }
    filters.push_back(uneven(31));
    filters.push_back(large_product(9));
    std::erase_if(filters, [&](const Filter& filter) { return !launch.accepts(filter); });
    // Without one the test could not fail.
    if (filters.empty()) filters.push_back(smoothing_filter(launch));
    return filters;
}

/// The reference would take too long.
bool too_much(const Lane& lane, const Filter& filter) {
    return size_t{lane.width} * lane.height * filter.taps() > 3'000'000;
}

std::string run_convolution(const Context& context, cl_command_queue queue,
                            ConvolutionLaunch& launch, const KnownCase& test,
                            const Filter& filter) {
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

std::string check_convolution(const Context& context, cl_command_queue queue,
                              ConvolutionLaunch& launch) {
    const std::vector<Filter> filters = filters_for(launch);
    for (size_t i = 0; i < filters.size(); ++i) {
        for (const Border border : {Border::replicate, Border::constant, Border::reflect_101}) {
            // With enough filters each meets one border, and every border is met.
            if (filters.size() >= 3 && i % 3 != static_cast<size_t>(border)) continue;
            Filter filter = filters[i];
            filter.border = border;
            filter.border_value = 77;
            for (const KnownCase& test : known_cases()) {
                if (too_much(test.lane, filter)) continue;
                std::string wrong = run_convolution(context, queue, launch, test, filter);
                if (!wrong.empty()) return wrong;
            }
        }
    }
    return {};
}

}  // namespace glint::gpu
