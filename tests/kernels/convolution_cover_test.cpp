// Every convolution variant against the reference over sizes, strides, offsets, sample layouts,
// borders and filters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/scratch_buffer.hpp"
#include "tests/kernels/cover.hpp"
#include "tests/kernels/device.hpp"
#include "tests/kernels/layouts.hpp"
#include "zero_copy/formats.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using namespace glint::test;

namespace {

constexpr uint8_t poison = 0xA5;
constexpr std::array<uint32_t, 5> filter_sizes{3, 7, 15, 31, 9};  ///< of variants that take any
constexpr uint32_t filter_kinds = 4;  ///< that are dealt out; the fifth only stands in
constexpr uint32_t borders = 3;

/// What a picture is filtered with; variants of one size take that instead of `size`.
struct Task {
    uint32_t size;
    uint32_t kind;
    gpu::Border border;

    auto operator<=>(const Task&) const = default;
};

/// Large filters meet small pictures only: the reference would take hours.
Task task_for(uint32_t number, const Picture& picture) {
    const uint32_t border = number % borders;
    const uint32_t kind = number / borders % filter_kinds;
    uint32_t size = filter_sizes[number / (borders * filter_kinds) % filter_sizes.size()];
    while (size > 3 && picture.width * picture.height * size * size > 600'000) size -= 2;
    return {size, kind, static_cast<gpu::Border>(border)};
}

gpu::Filter uneven(uint32_t size) {
    gpu::Filter filter{.size = size, .shift = 5};
    for (uint32_t i = 0; i < filter.taps(); ++i) {
        filter.coefficients[i] = static_cast<int16_t>(static_cast<int32_t>(i * 11 % 29) - 10);
    }
    return filter;
}

/// With sums up to the bound of 32 bits.
gpu::Filter large(uint32_t size) {
    gpu::Filter filter{.size = size, .shift = 22};
    const auto most =
        static_cast<int32_t>(std::min<uint32_t>(INT16_MAX, (1U << 31) / 255 / filter.taps()));
    for (uint32_t i = 0; i < filter.taps(); ++i) {
        filter.coefficients[i] = static_cast<int16_t>(i % 3 == 1 ? -most : most);
    }
    return filter;
}

/// One outer product of positive weights, one without any structure, one as large as they get, one
/// of two outer products, and one product again that is cut to 16 bits whatever its size.
gpu::Filter make_filter(const Task& task) {
    gpu::Filter filter;
    switch (task.kind) {
        case 0:
            filter = *gpu::named_filter(
                fmt::format("{}{}", task.size <= 9 ? "binomial" : "gaussian", task.size));
            break;
        case 1:
            filter = uneven(task.size);
            break;
        case 2:
            filter = large(task.size);
            break;
        case 3:
            filter = *gpu::named_filter(fmt::format("unsharp{}", task.size));
            break;
        default:
            filter = *gpu::named_filter(fmt::format("gaussian{}", task.size));
    }
    filter.border = task.border;
    filter.border_value = 201;
    return filter;
}

const gpu::Filter& test_filter(const Task& task) {
    static std::map<Task, gpu::Filter> made;
    const auto found = made.find(task);
    return found != made.end() ? found->second
                               : made.emplace(task, make_filter(task)).first->second;
}

/// The task, or what is nearest to it among those that the variant takes.
Task task_of(const gpu::ConvolutionLaunch& launch, Task task) {
    if (launch.filter_size() != 0) task.size = launch.filter_size();
    for (const uint32_t kind : {task.kind, 3U, 1U, 0U, 4U}) {
        task.kind = kind;
        if (launch.accepts(test_filter(task))) break;
    }
    return task;
}

/// How many frames pass from one that the variant is run on to the next.
uint32_t pause_of(const NamedConvolution& variant) {
    const bool rarely = variant.launch->variant().baseline || !variant.default_shape;
    if (full_product_wanted()) return rarely ? full_product_long_pause : full_product_pause;
    if (!whole_cover()) return 1;  // a sample for the sanitizers
    return rarely ? 11 : 3;
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
    explicit ExpectedPictures(const Picture& picture) : values_(plain(picture)) {}

    [[nodiscard]] const std::vector<uint8_t>& get(const Task& task) {
        const auto [entry, is_new] = pictures_.try_emplace(task);
        if (is_new) {
            entry->second.assign(output_bytes(values_.lane), poison);
            gpu::reference::convolve(values_.frame.data(), values_.lane, test_filter(task),
                                     {entry->second.data(), output_stride(values_.lane)});
        }
        return entry->second;
    }

  private:
    PlainPicture values_;
    std::map<Task, std::vector<uint8_t>> pictures_;
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

/// Which values have met, variant by variant.
class Meetings {
  public:
    void note(const NamedConvolution& variant, const Task& task, const Picture& picture) {
        const auto border = static_cast<uint32_t>(task.border);
        layouts_.emplace(variant.name, border, picture.layout);
        sizes_.emplace(variant.name, border, task.size);
        kinds_.emplace(variant.name, border, task.kind);
    }
    void check_complete() const {
        for (const NamedConvolution& variant : convolutions()) {
            const bool any = variant.launch->filter_size() == 0;
            check(layouts_, variant.name, sample_layouts.size());
            check(sizes_, variant.name, any ? filter_sizes.size() : 1);
            const kernels::Needs& needs = variant.launch->variant().needs;
            const bool one_kind = needs.binomial_only || (needs.smoothing_only && !any);
            check(kinds_, variant.name, one_kind ? 1 : 2);
        }
    }

  private:
    using Three = std::tuple<std::string, uint32_t, uint32_t>;

    /// At least so many values must have met each border.
    static void check(const std::set<Three>& meetings, const std::string& name, size_t values) {
        for (uint32_t border = 0; border < borders; ++border) {
            const auto met = std::ranges::count_if(meetings, [&](const Three& entry) {
                return std::get<0>(entry) == name && std::get<1>(entry) == border;
            });
            CHECK_TEXT(met >= static_cast<long>(values), name.c_str());
        }
    }

    std::set<Three> layouts_;  ///< variant, border, sample layout
    std::set<Three> sizes_;    ///< variant, border, filter size
    std::set<Three> kinds_;    ///< variant, border, kind of filter
};

/// A variant that is run on this frame.
struct Turn {
    const NamedConvolution* variant;
    Task task;
};

std::vector<Turn> turns_of(uint32_t frame_number, const Task& wanted) {
    std::vector<Turn> turns;
    for (uint32_t index = 0; index < convolutions().size(); ++index) {
        const NamedConvolution& variant = convolutions()[index];
        if ((frame_number + index) % pause_of(variant) != 0) continue;
        turns.push_back({&variant, task_of(*variant.launch, wanted)});
    }
    return turns;
}

}  // namespace

TEST_GROUP(ConvolutionCover){};

TEST(ConvolutionCover, EveryVariantEqualsTheReference) {
    gpu::ScratchBuffer frame(context(), queue(), largest_frame_bytes());
    gpu::ScratchBuffer output(context(), queue(), size_t{320} * 482);
    Progress progress;
    Meetings meetings;
    uint32_t launches = 0;
    uint32_t number = 0;
    for (const auto& [picture, placements] : pictures()) {
        ExpectedPictures expected(picture);
        const Task wanted = task_for(number++, picture);
        for (const Placement& placement : placements) {
            const gpu::Lane lane = lane_of(picture, placement);
            const std::vector<Turn> turns = turns_of(progress.frames(), wanted);
            place(picture, lane, progress.frames(), frame.bytes());
            frame.give();
            for (const Turn& turn : turns) {
                std::fill_n(output.bytes().begin(), output_bytes(lane), poison);
                output.give();
                turn.variant->launch->enqueue(queue(), frame.mem(), lane, test_filter(turn.task),
                                              output.mem(), output_stride(lane));
                output.take();
                expect_equal(output.bytes(), expected.get(turn.task), lane,
                             fmt::format("{}, filter {} of {}, border {}", turn.variant->name,
                                         turn.task.kind, turn.task.size,
                                         static_cast<uint32_t>(turn.task.border)));
                meetings.note(*turn.variant, turn.task, picture);
                ++launches;
            }
            frame.take();
            progress.frame_done(picture);
        }
    }
    if (whole_cover()) meetings.check_complete();
    fmt::print("\n{} frames, {} variants, {} launches\n", progress.frames(), convolutions().size(),
               launches);
}
