#include "tools/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/measuring_operators.hpp"
#include "daemon/gpu/separation.hpp"

namespace glint::tools {
namespace {

using kernels::Operator;

constexpr uint32_t stride_alignment = 64;

// --- the table
// -------------------------------------------------------------------------------------

/// Uneven coefficients of both signs, no sum of two outer products from 5x5 on; the shift keeps
/// flat grey about as bright as it is.
gpu::Filter general_filter(uint32_t size) {
    gpu::Filter filter{.size = size};
    int32_t sum = 0;
    for (uint32_t i = 0; i < filter.taps(); ++i) {
        const int32_t coefficient = static_cast<int32_t>(i * i * 37 % 41) - 12;
        filter.coefficients[i] = static_cast<int16_t>(coefficient);
        sum += coefficient;
    }
    filter.shift = static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(sum))) - 1;
    return filter;
}

Task general(std::string_view name, uint32_t size) {
    return {name, Operator::convolution, Filtering{general_filter(size)}, size};
}

/// By the name of a filter.
Task named(std::string_view name) {
    const gpu::Filter filter = *gpu::named_filter(name);
    return {name, Operator::convolution, Filtering{filter}, filter.size};
}

Task filtered(std::string_view name, uint32_t size) {
    return {name, Operator::filtered_histogram, FilteredCounting{general_filter(size)}, size};
}

Task of_floats(std::string_view name, uint32_t size, bool float_samples) {
    FloatFiltering operation{{.size = size}, float_samples};
    for (uint32_t i = 0; i < operation.filter.taps(); ++i) {
        operation.filter.coefficients[i] = (static_cast<float>(i * i * 37 % 41) - 12.3F) / 128;
    }
    return {name, Operator::convolution_float, operation, size};
}

gpu::PictureTask inverting() {
    gpu::Lookup lookup;
    for (uint32_t i = 0; i < lookup.table.size(); ++i) lookup.table[i] = static_cast<uint8_t>(~i);
    return lookup;
}

constexpr gpu::Normalise normalise{
    .threshold = 30, .mean = 100, .gain = 90, .shift = 5, .offset = 128};

// --- what is needed
// ---------------------------------------------------------------------------------

uint64_t pixels_of(const gpu::Lane& lane) {
    return uint64_t{lane.width} * lane.height;
}

uint64_t bytes_of(const gpu::Lane& lane) {
    return pixels_of(lane) * lane.step_bytes;
}

/// For each pixel one per tap, or along rows and then along columns where that is less.
uint64_t multiply_adds(const gpu::Filter& filter) {
    const auto separation = gpu::separate(filter);
    if (!separation) return filter.taps();
    return std::min(filter.taps(), 2 * filter.size * separation->count);
}

Cost cost(const Counting&, const gpu::Lane& lane) {
    return {.bytes_read = bytes_of(lane), .bytes_written = 0, .multiply_adds = pixels_of(lane)};
}
Cost cost(const Filtering& task, const gpu::Lane& lane) {
    return {.bytes_read = bytes_of(lane),
            .bytes_written = pixels_of(lane),
            .multiply_adds = multiply_adds(task.filter) * pixels_of(lane)};
}
Cost cost(const FloatFiltering& task, const gpu::Lane& lane) {
    const uint64_t floats = pixels_of(lane) * sizeof(float);
    return {.bytes_read = task.float_samples ? floats : bytes_of(lane),
            .bytes_written = task.float_samples ? floats : pixels_of(lane),
            .multiply_adds = task.filter.taps() * pixels_of(lane)};
}
Cost cost(const FocusFigure&, const gpu::Lane& lane) {
    // Five taps and a square.
    return {.bytes_read = bytes_of(lane), .bytes_written = 0, .multiply_adds = 6 * pixels_of(lane)};
}
Cost cost(const FilteredCounting& task, const gpu::Lane& lane) {
    return {.bytes_read = bytes_of(lane),
            .bytes_written = 0,
            .multiply_adds = (multiply_adds(task.filter) + 1) * pixels_of(lane)};
}

/// Of operators that make a picture, for each sample.
uint64_t per_sample(const gpu::Lookup&) {
    return 0;
}
uint64_t per_sample(const gpu::Sobel&) {
    return 12;  // six taps of two filters
}
uint64_t per_sample(const gpu::Downscale&) {
    return 1;
}
uint64_t per_sample(const gpu::Normalise&) {
    return 2;
}
uint64_t per_sample(const gpu::Planar&) {
    return 0;
}
Cost cost(const gpu::PictureTask& task, const gpu::Lane& lane) {
    const gpu::PictureSize size = gpu::output_size(task, lane);
    const uint64_t each = std::visit([](const auto& one) { return per_sample(one); }, task);
    return {.bytes_read = bytes_of(lane),
            .bytes_written = uint64_t{size.width} * size.height,
            .multiply_adds = each * pixels_of(lane)};
}

// --- what is made
// -----------------------------------------------------------------------------------

size_t result_size(const Counting&, const gpu::Lane&) {
    return sizeof(gpu::Bins);
}
size_t result_size(const Filtering&, const gpu::Lane& lane) {
    return size_t{output_stride_bytes(lane.width)} * lane.height;
}
size_t result_size(const FloatFiltering& task, const gpu::Lane& lane) {
    const auto pixel_bytes = static_cast<uint32_t>(task.float_samples ? sizeof(float) : 1);
    return size_t{output_stride_bytes(lane.width * pixel_bytes)} * lane.height;
}
size_t result_size(const gpu::PictureTask& task, const gpu::Lane& lane) {
    const gpu::PictureSize size = gpu::output_size(task, lane);
    return size_t{output_stride_bytes(size.width)} * size.height;
}
size_t result_size(const FocusFigure&, const gpu::Lane&) {
    return sizeof(uint64_t);
}
size_t result_size(const FilteredCounting&, const gpu::Lane&) {
    return sizeof(gpu::Bins);
}

void compute(const Counting&, const uint8_t* frame, const gpu::Lane& lane, uint8_t* result) {
    gpu::Bins bins;
    gpu::cpu::histogram(frame, gpu::HistogramTask(lane), bins);
    std::memcpy(result, bins.data(), sizeof bins);
}
void compute(const Filtering& task, const uint8_t* frame, const gpu::Lane& lane, uint8_t* result) {
    gpu::cpu::convolve(frame, lane, task.filter, {result, output_stride_bytes(lane.width)});
}
void compute(const FloatFiltering& task, const uint8_t* frame, const gpu::Lane& lane,
             uint8_t* result) {
    if (!task.float_samples) {
        gpu::cpu::convolve(frame, lane, task.filter, {result, output_stride_bytes(lane.width)});
        return;
    }
    constexpr auto float_bytes = static_cast<uint32_t>(sizeof(float));
    const gpu::FloatPicture picture{.offset = lane.offset_bytes,
                                    .stride = lane.stride_bytes,
                                    .width = lane.width,
                                    .height = lane.height};
    gpu::cpu::convolve(reinterpret_cast<const float*>(frame), picture, task.filter,
                       reinterpret_cast<float*>(result),
                       output_stride_bytes(lane.width * float_bytes) / float_bytes);
}
void compute(const gpu::PictureTask& task, const uint8_t* frame, const gpu::Lane& lane,
             uint8_t* result) {
    const gpu::PictureSize size = gpu::output_size(task, lane);
    gpu::cpu::make_picture(frame, lane, task, {result, output_stride_bytes(size.width)});
}
void compute(const FocusFigure&, const uint8_t* frame, const gpu::Lane& lane, uint8_t* result) {
    const uint64_t sharpness = gpu::cpu::sharpness(frame, lane);
    std::memcpy(result, &sharpness, sizeof sharpness);
}
void compute(const FilteredCounting& task, const uint8_t* frame, const gpu::Lane& lane,
             uint8_t* result) {
    const gpu::Bins bins = gpu::cpu::filtered_histogram(frame, lane, task.filter);
    std::memcpy(result, bins.data(), sizeof bins);
}

// --- what differs
// -----------------------------------------------------------------------------------

using Bytes = std::span<const uint8_t>;

template <typename Number>
std::span<const Number> numbers(Bytes bytes) {
    return {reinterpret_cast<const Number*>(bytes.data()), bytes.size() / sizeof(Number)};
}

/// The first pair that is not alike, in rows of `row` numbers.
template <typename Number, typename Alike>
std::string first_difference(Bytes got, Bytes expected, uint32_t row, const Alike& alike) {
    const auto all = numbers<Number>(got);
    const auto [there, wanted] = std::ranges::mismatch(all, numbers<Number>(expected), alike);
    if (there == all.end()) return {};
    const auto at = static_cast<size_t>(there - all.begin());
    return fmt::format("pixel ({}, {}) is {}, expected {}", at % row, at / row, *there, *wanted);
}

std::string differing_bin(Bytes got, Bytes expected) {
    const auto [there, wanted] =
        std::ranges::mismatch(numbers<uint32_t>(got), numbers<uint32_t>(expected));
    if (there == numbers<uint32_t>(got).end()) return {};
    const auto bin = there - numbers<uint32_t>(got).begin();
    return fmt::format("bin {} is {}, expected {}", bin, *there, *wanted);
}

std::string differing(const Counting&, const gpu::Lane&, Bytes got, Bytes expected) {
    return differing_bin(got, expected);
}
std::string differing(const FilteredCounting&, const gpu::Lane&, Bytes got, Bytes expected) {
    return differing_bin(got, expected);
}
std::string differing(const Filtering&, const gpu::Lane& lane, Bytes got, Bytes expected) {
    return first_difference<uint8_t>(got, expected, output_stride_bytes(lane.width),
                                     std::equal_to<>{});
}
std::string differing(const gpu::PictureTask& task, const gpu::Lane& lane, Bytes got,
                      Bytes expected) {
    const uint32_t width = gpu::output_size(task, lane).width;
    return first_difference<uint8_t>(got, expected, output_stride_bytes(width), std::equal_to<>{});
}
std::string differing(const FloatFiltering& task, const gpu::Lane& lane, Bytes got,
                      Bytes expected) {
    const auto used = std::span(task.filter.coefficients).first(task.filter.taps());
    double magnitude = 0;
    for (const float coefficient : used) magnitude += 255 * std::abs(double{coefficient});
    // Either may be off, the device's by twice as much as it rounds; bytes are rounded on top.
    const double tolerance =
        2 * gpu::ExactPixel{.value = 0, .magnitude = magnitude}.tolerance(task.filter, true) +
        (task.float_samples ? 0 : 1);
    const auto alike = [tolerance](double a, double b) { return std::abs(a - b) <= tolerance; };
    if (!task.float_samples) {
        return first_difference<uint8_t>(got, expected, output_stride_bytes(lane.width), alike);
    }
    constexpr auto float_bytes = static_cast<uint32_t>(sizeof(float));
    return first_difference<float>(
        got, expected, output_stride_bytes(lane.width * float_bytes) / float_bytes, alike);
}
/// The variant leaves sums of parts.
std::string differing(const FocusFigure&, const gpu::Lane&, Bytes got, Bytes expected) {
    const auto parts = numbers<uint32_t>(got);
    const uint64_t sum = std::accumulate(parts.begin(), parts.end(), uint64_t{0});
    uint64_t wanted = 0;
    std::memcpy(&wanted, expected.data(), sizeof wanted);
    return sum == wanted ? "" : fmt::format("the sharpness is {}, expected {}", sum, wanted);
}

}  // namespace

std::span<const Task> tasks() {
    static const std::array all{
        Task{"histogram", Operator::histogram, Counting{}},
        named("binomial3"),
        named("binomial5"),
        named("gaussian3"),
        named("gaussian5"),
        general("general3", 3),
        general("general5", 5),
        named("gaussian7"),
        general("general7", 7),
        named("gaussian15"),
        general("general15", 15),
        named("gaussian31"),
        general("general31", 31),
        of_floats("float3", 3, false),
        of_floats("float5", 5, false),
        of_floats("float3", 3, true),
        of_floats("float5", 5, true),
        Task{"lookup", Operator::lookup, inverting()},
        Task{"sobel", Operator::sobel, gpu::PictureTask{gpu::Sobel{}}},
        Task{"downscale", Operator::downscale, gpu::PictureTask{gpu::Downscale{}}},
        Task{"normalise", Operator::normalise, gpu::PictureTask{normalise}},
        Task{"planar", Operator::planar, gpu::PictureTask{gpu::Planar{}}, 0, 3},
        Task{"sharpness", Operator::sharpness, FocusFigure{}},
        filtered("general3_histogram", 3),
        filtered("general5_histogram", 5),
    };
    return all;
}

bool takes(const Task& task, const gpu::Lane& lane) {
    const auto* picture = std::get_if<gpu::PictureTask>(&task.operation);
    return picture == nullptr || gpu::takes(*picture, lane);
}

Cost cost_of(const Task& task, const gpu::Lane& lane) {
    return std::visit([&](const auto& kind) { return cost(kind, lane); }, task.operation);
}

bool is_of_floats(const Task& task) {
    return std::holds_alternative<FloatFiltering>(task.operation);
}

bool has_float_samples(const Task& task) {
    const auto* filtering = std::get_if<FloatFiltering>(&task.operation);
    return filtering != nullptr && filtering->float_samples;
}

uint32_t output_stride_bytes(uint32_t row_bytes) {
    return (row_bytes + stride_alignment - 1) / stride_alignment * stride_alignment;
}

size_t result_bytes(const Task& task, const gpu::Lane& lane) {
    return std::visit([&](const auto& kind) { return result_size(kind, lane); }, task.operation);
}

void compute_on_cpu(const Task& task, const uint8_t* frame, const gpu::Lane& lane,
                    std::span<uint8_t> result) {
    std::visit([&](const auto& kind) { compute(kind, frame, lane, result.data()); },
               task.operation);
}

std::string difference(const Task& task, const gpu::Lane& lane, Bytes got, Bytes expected) {
    return std::visit([&](const auto& kind) { return differing(kind, lane, got, expected); },
                      task.operation);
}

}  // namespace glint::tools
