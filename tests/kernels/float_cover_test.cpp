// Filters of float coefficients against their references, within the bound that is promised: bytes
// of every sample layout, and float images.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/device.hpp"
#include "tests/kernels/layouts.hpp"
#include "zero_copy/formats.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

constexpr uint8_t poison = 0xA5;
constexpr uint32_t filter_kinds = 3;
constexpr uint32_t borders = 3;
/// How many frames pass from one that a variant is run on to the next.
constexpr uint32_t frames_per_turn = 3;

/// One that smooths, one of both signs whose products differ in size by far, and one whose results
/// leave a byte at both ends.
float coefficient(uint32_t kind, uint32_t k, uint32_t taps) {
    const auto step = static_cast<float>(k * 7 % 11) - 4.7F;
    if (kind == 0) return 1.0F / static_cast<float>(taps);
    if (kind == 1) return std::ldexp(step, static_cast<int>(k % 9) - 7);
    return k % 2 == 0 ? 1.75F : -1.5F;
}

/// Borders and kinds change at other paces than the variants that are run.
gpu::FloatFilter filter_for(uint32_t number, uint32_t size) {
    gpu::FloatFilter filter{.size = size,
                            .border = static_cast<gpu::Border>(number / frames_per_turn % borders),
                            .border_value = 201};
    const uint32_t kind = number / (frames_per_turn * borders) % filter_kinds;
    for (uint32_t k = 0; k < filter.taps(); ++k) {
        filter.coefficients[k] = coefficient(kind, k, filter.taps());
    }
    return filter;
}

/// What the reference makes of a picture, row by row.
using Exact = std::vector<gpu::ExactPixel>;

/// Of one frame with the filters of its turn, for each size once. `Place` is a lane or a
/// FloatPicture.
template <typename Sample, typename Place>
class ExactPictures {
  public:
    ExactPictures(const Sample* samples, const Place& place) : samples_(samples), place_(place) {}

    [[nodiscard]] const Exact& get(const gpu::FloatFilter& filter) {
        Exact& exact = by_size_[filter.size];
        if (!exact.empty()) return exact;
        for (uint32_t y = 0; y < place_.height; ++y) {
            for (uint32_t x = 0; x < place_.width; ++x) {
                exact.push_back(gpu::reference::convolve(samples_, place_, filter, x, y));
            }
        }
        return exact;
    }

  private:
    const Sample* samples_;
    Place place_;
    std::map<uint32_t, Exact> by_size_;
};

/// The first pixel that is off, or poison that was written over; empty if there is none.
template <typename Pixel>
std::string wrong_pixel(const Pixel* got, uint32_t stride, uint32_t width, uint32_t height,
                        const Exact& exact, const gpu::FloatFilter& filter) {
    const bool rounds_to_zero = context().device.traits.rounds_to_zero;
    Pixel untouched;
    std::memset(&untouched, poison, sizeof untouched);
    const auto is_poison = [&](Pixel pixel) {
        return std::memcmp(&pixel, &untouched, sizeof pixel) == 0;
    };
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < stride; ++x) {
            const Pixel pixel = got[size_t{y} * stride + x];
            const gpu::ExactPixel* wanted = x < width ? &exact[size_t{y} * width + x] : nullptr;
            const bool right = wanted == nullptr ? is_poison(pixel)
                                                 : wanted->allows(pixel, filter, rounds_to_zero);
            if (right) continue;
            return fmt::format("({}, {}) is {}, expected {}", x, y, pixel,
                               wanted == nullptr
                                   ? "what was there"
                                   : fmt::format("{} within {}", wanted->value,
                                                 wanted->tolerance(filter, rounds_to_zero)));
        }
    }
    return is_poison(got[size_t{stride} * height]) ? "" : "written after the last row";
}

/// The variants that filter such samples and whose turn it is.
std::vector<NamedFloatConvolution*> turns_of(uint32_t number, bool float_samples) {
    std::vector<NamedFloatConvolution*> turns;
    for (uint32_t index = 0; index < float_convolutions().size(); ++index) {
        NamedFloatConvolution& variant = float_convolutions()[index];
        if (variant.launch->variant().float_samples != float_samples) continue;
        if ((number + index) % frames_per_turn == 0) turns.push_back(&variant);
    }
    return turns;
}

/// Values that are no whole numbers, and in part negative, between others that are no numbers at
/// all: whatever is made of those shows.
void place_floats(const PlainPicture& values, const gpu::FloatPicture& picture,
                  std::span<float> samples) {
    std::ranges::fill(samples, std::numeric_limits<float>::quiet_NaN());
    auto next = values.frame.begin();
    for (uint32_t y = 0; y < picture.height; ++y) {
        for (uint32_t x = 0; x < picture.width; ++x, next += 2) {
            samples[picture.offset + size_t{y} * picture.stride + x] =
                (static_cast<float>(next[1]) - 60.25F) * 1.37F;
        }
    }
}

/// Every variant on such samples must have met so many different values.
void check_each_met(const char* what, bool float_samples, size_t values,
                    const std::set<std::pair<std::string, uint32_t>>& meetings) {
    for (const NamedFloatConvolution& variant : float_convolutions()) {
        if (variant.launch->variant().float_samples != float_samples) continue;
        const auto met = std::ranges::count_if(
            meetings, [&](const auto& meeting) { return meeting.first == variant.name; });
        LONGS_EQUAL_TEXT(values, met, fmt::format("{}: {}", variant.name, what).c_str());
    }
}

}  // namespace

TEST_GROUP(FloatFilters) {
    gpu::ScratchBuffer frame{context(), queue(), largest_frame_bytes() * sizeof(float)};
    gpu::ScratchBuffer output{context(), queue(), size_t{320} * 482 * sizeof(float)};
    std::set<std::pair<std::string, uint32_t>> with_tasks;    ///< border and kind as one number
    std::set<std::pair<std::string, uint32_t>> with_layouts;  ///< of floats: heights

    void note(const NamedFloatConvolution& variant, uint32_t number, uint32_t layout) {
        with_tasks.emplace(variant.name, number / frames_per_turn % (borders * filter_kinds));
        with_layouts.emplace(variant.name, layout);
    }
};

TEST(FloatFilters, EveryVariantOnBytesIsWithinItsBound) {
    uint32_t number = 0;
    for (const auto& [picture, placement] : thinned_cover()) {
        const gpu::Lane lane = lane_of(picture, placement);
        const auto stride = static_cast<uint32_t>(zero_copy::align_up(lane.width, 64));
        const PlainPicture values = plain(picture);
        ExactPictures exact(values.frame.data(), values.lane);
        place(picture, lane, ++number, frame.bytes());
        frame.give();
        for (NamedFloatConvolution* variant : turns_of(number, false)) {
            const gpu::FloatFilter filter = filter_for(number, variant->launch->filter_size());
            std::ranges::fill(output.bytes().first(size_t{stride} * lane.height + 1), poison);
            output.give();
            variant->launch->enqueue(queue(), frame.mem(), lane, filter, output.mem(), stride);
            output.take();
            STRCMP_EQUAL_TEXT("",
                              wrong_pixel(output.bytes().data(), stride, lane.width, lane.height,
                                          exact.get(filter), filter)
                                  .c_str(),
                              fmt::format("{}: {}", variant->name, describe(lane)).c_str());
            note(*variant, number, picture.layout);
        }
        frame.take();
    }
    check_each_met("border and kind of filter", false, borders * filter_kinds, with_tasks);
    check_each_met("layout", false, sample_layouts.size(), with_layouts);
}

TEST(FloatFilters, EveryVariantOnFloatsIsWithinItsBound) {
    uint32_t number = 0;
    for (const auto& [size, placement] : thinned_cover()) {
        const gpu::FloatPicture picture{.offset = placement.offset_bytes,
                                        .stride = size.width + placement.padding_bytes,
                                        .width = size.width,
                                        .height = size.height};
        const auto stride = static_cast<uint32_t>(zero_copy::align_up(size.width, 16));
        const std::span samples(reinterpret_cast<float*>(frame.bytes().data()),
                                picture.offset + size_t{picture.stride} * (size.height + 1));
        const auto* results = reinterpret_cast<const float*>(output.bytes().data());
        place_floats(plain(size), picture, samples);
        const std::vector<float> kept(samples.begin(), samples.end());
        ExactPictures exact(kept.data(), picture);
        ++number;
        frame.give();
        for (NamedFloatConvolution* variant : turns_of(number, true)) {
            const gpu::FloatFilter filter = filter_for(number, variant->launch->filter_size());
            std::ranges::fill(
                output.bytes().first((size_t{stride} * size.height + 1) * sizeof(float)), poison);
            output.give();
            variant->launch->enqueue(queue(), frame.mem(), picture, filter, output.mem(), stride);
            output.take();
            STRCMP_EQUAL_TEXT(
                "",
                wrong_pixel(results, stride, picture.width, picture.height, exact.get(filter),
                            filter)
                    .c_str(),
                fmt::format("{}: {}x{} stride {} offset {}", variant->name, picture.width,
                            picture.height, picture.stride, picture.offset)
                    .c_str());
            note(*variant, number, size.height);
        }
        frame.take();
    }
    check_each_met("border and kind of filter", true, borders * filter_kinds, with_tasks);
    check_each_met("height", true, heights.size(), with_layouts);
}
