#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "daemon/gpu/known_answer.hpp"
#include "daemon/gpu/known_answer_cases.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "zero_copy/formats.hpp"

namespace glint::gpu {
namespace {

/// Smoothing, and one of both signs whose products differ in size by far.
std::vector<FloatFilter> filters_of(uint32_t size) {
    FloatFilter smooth{.size = size};
    FloatFilter uneven{.size = size};
    for (uint32_t k = 0; k < smooth.taps(); ++k) {
        smooth.coefficients[k] = 1.0F / static_cast<float>(smooth.taps());
        const auto step = static_cast<float>(k * 7 % 11) - 4.7F;
        uneven.coefficients[k] = std::ldexp(step, static_cast<int>(k % 9) - 7);
    }
    return {smooth, uneven};
}

FloatPicture picture_of(const Lane& lane) {
    return {.offset = lane.offset_bytes,
            .stride = std::max(lane.stride_bytes, lane.width),
            .width = lane.width,
            .height = lane.height};
}

/// Noise that is no whole numbers, and in part negative.
void fill_with_floats(const KnownCase& test, std::span<float> samples) {
    std::vector<uint8_t> bytes(std::max(samples.size(), frame_bytes(test.lane)));
    fill(test, bytes);
    for (size_t i = 0; i < samples.size(); ++i) {
        samples[i] = (static_cast<float>(bytes[i]) - 60.25F) * 1.37F;
    }
}

struct Check {
    const Context& context;
    cl_command_queue queue;
    FloatConvolutionLaunch& launch;
    bool rounds_to_zero;

    [[nodiscard]] std::string of_bytes(const KnownCase& test, const FloatFilter& filter) const;
    [[nodiscard]] std::string of_floats(const KnownCase& test, const FloatFilter& filter) const;
    /// `pixel` looks up what was written, `exact` computes what it should be.
    template <typename Pixel, typename Exact>
    [[nodiscard]] std::string compare(const Lane& lane, const FloatFilter& filter,
                                      const Pixel& pixel, const Exact& exact) const;
};

template <typename Pixel, typename Exact>
std::string Check::compare(const Lane& lane, const FloatFilter& filter, const Pixel& pixel,
                           const Exact& exact) const {
    for (uint32_t y = 0; y < lane.height; ++y) {
        for (uint32_t x = 0; x < lane.width; ++x) {
            const ExactPixel wanted = exact(x, y);
            if (wanted.allows(pixel(x, y), filter, rounds_to_zero)) continue;
            return fmt::format(
                "{}, float filter {}x{} border {}: pixel ({}, {}) is {}, expected "
                "{} within {}",
                describe(lane), filter.size, filter.size, static_cast<uint32_t>(filter.border), x,
                y, pixel(x, y), wanted.value, wanted.tolerance(filter, rounds_to_zero));
        }
    }
    return {};
}

std::string Check::of_bytes(const KnownCase& test, const FloatFilter& filter) const {
    const Lane& lane = test.lane;
    const auto stride = static_cast<uint32_t>(zero_copy::align_up(lane.width, 64));
    ScratchBuffer frame(context, queue, frame_bytes(lane));
    ScratchBuffer output(context, queue, size_t{stride} * lane.height);
    fill(test, frame.bytes());
    frame.give();
    output.give();
    launch.enqueue(queue, frame.mem(), lane, filter, output.mem(), stride);
    output.take();
    frame.take();
    return compare(
        lane, filter, [&](uint32_t x, uint32_t y) { return output.bytes()[y * stride + x]; },
        [&](uint32_t x, uint32_t y) {
            return reference::convolve(frame.bytes().data(), lane, filter, x, y);
        });
}

std::string Check::of_floats(const KnownCase& test, const FloatFilter& filter) const {
    const FloatPicture picture = picture_of(test.lane);
    const auto stride = static_cast<uint32_t>(zero_copy::align_up(picture.width, 16));
    const size_t floats = picture.offset + size_t{picture.stride} * picture.height;
    ScratchBuffer frame(context, queue, floats * sizeof(float));
    ScratchBuffer output(context, queue, size_t{stride} * picture.height * sizeof(float));
    const std::span samples(reinterpret_cast<float*>(frame.bytes().data()), floats);
    const auto* results = reinterpret_cast<const float*>(output.bytes().data());
    fill_with_floats(test, samples);
    frame.give();
    output.give();
    launch.enqueue(queue, frame.mem(), picture, filter, output.mem(), stride);
    output.take();
    frame.take();
    return compare(
        test.lane, filter, [&](uint32_t x, uint32_t y) { return results[y * stride + x]; },
        [&](uint32_t x, uint32_t y) {
            return reference::convolve(samples.data(), picture, filter, x, y);
        });
}

}  // namespace

std::string check_float_convolution(const Context& context, cl_command_queue queue,
                                    FloatConvolutionLaunch& launch) {
    const Check check{context, queue, launch, context.device.traits.rounds_to_zero};
    for (FloatFilter filter : filters_of(launch.filter_size())) {
        filter.border_value = 77;
        for (const Border border : {Border::replicate, Border::constant, Border::reflect_101}) {
            filter.border = border;
            for (const KnownCase& test : known_cases()) {
                std::string wrong = launch.variant().float_samples ? check.of_floats(test, filter)
                                                                   : check.of_bytes(test, filter);
                if (!wrong.empty()) return wrong;
            }
        }
    }
    return {};
}

}  // namespace glint::gpu
