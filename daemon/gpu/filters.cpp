#include "daemon/gpu/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace glint::gpu {
namespace {

constexpr uint64_t sum_limit = 1ULL << 31;
constexpr double float_sum_limit = 0x1p127;
constexpr uint32_t largest_sample = 255;
constexpr double min_sigma = 0.1;
constexpr double max_sigma = 100;

struct NamedFilter {
    std::string_view name;
    Filter filter;
};

// As they meet the picture. The small boxes, whose weights are all the same but for the centre,
// which takes what is missing to sum to exactly 1, have sums of 16 bits: the fastest kernels want
// that.
constexpr std::array<NamedFilter, 7> fixed{{
    {"box3", {3, 6, {7, 7, 7, 7, 8, 7, 7, 7, 7}}},
    {"box5", {5, 8, {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 16,
                     10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}}},
    {"sharpen3", {3, 0, {0, -1, 0, -1, 5, -1, 0, -1, 0}}},
    {"laplacian3", {3, 0, {0, 1, 0, 1, -4, 1, 0, 1, 0}}},
    {"sobel_x3", {3, 0, {-1, 0, 1, -2, 0, 2, -1, 0, 1}}},
    {"sobel_y3", {3, 0, {-1, -2, -1, 0, 0, 0, 1, 2, 1}}},
    {"sobel", {.size = 3, .gradient = true}},
}};

/// The weights of a symmetric smoothing filter along one axis.
using Row = std::vector<uint32_t>;

Filter outer_product(const Row& row, uint32_t row_shift) {
    Filter filter{.size = static_cast<uint32_t>(row.size()), .shift = 2 * row_shift};
    for (size_t k = 0; k < filter.taps(); ++k) {
        filter.coefficients[k] = static_cast<int16_t>(row[k / row.size()] * row[k % row.size()]);
    }
    return filter;
}

/// Whole numbers in proportion to `weights`, which are symmetric, that sum to exactly 2^shift, so
/// that a constant picture stays as it is. Each is the ideal one rounded down or up; those that
/// lose most are rounded up.
Row whole_weights(const std::vector<double>& weights, uint32_t shift) {
    const double scale = std::ldexp(1.0, static_cast<int>(shift)) /
                         std::accumulate(weights.begin(), weights.end(), 0.0);
    const size_t centre = weights.size() / 2;
    Row row;
    for (const double weight : weights) row.push_back(static_cast<uint32_t>(weight * scale));
    uint32_t missing = (1U << shift) - std::accumulate(row.begin(), row.end(), 0U);
    // One that is left over goes to the centre, the others in pairs.
    row[centre] += missing % 2;
    std::vector<size_t> distances(centre);
    std::iota(distances.begin(), distances.end(), size_t{1});
    std::ranges::stable_sort(distances, std::greater{}, [&](size_t distance) {
        return weights[centre + distance] * scale - row[centre + distance];
    });
    for (size_t pair = 0; pair < missing / 2; ++pair) {
        ++row[centre - distances[pair]];
        ++row[centre + distances[pair]];
    }
    return row;
}

// Eight bits per axis, as OpenCV's GaussianBlur of bytes has: the sums along a row fit 16 bits, and
// a float holds those of the whole filter.
constexpr uint32_t smoothing_shift = 8;
/// Twice the centre, less a smoothed picture, must fit an int16.
constexpr uint32_t unsharp_shift = 6;
constexpr uint32_t max_binomial_size = 9;  ///< the centre of the next one does not fit an int16

Row binomial_row(uint32_t size) {
    Row row{1};
    while (row.size() < size) {
        row.push_back(0);
        for (size_t i = row.size() - 1; i > 0; --i) row[i] += row[i - 1];
    }
    return row;
}

std::vector<double> gaussian_weights(uint32_t size, double sigma) {
    std::vector<double> weights;
    for (uint32_t i = 0; i < size; ++i) {
        const double distance = static_cast<double>(i) - size / 2;
        weights.push_back(std::exp(-distance * distance / (2 * sigma * sigma)));
    }
    return weights;
}

Filter smoothing(const std::vector<double>& weights) {
    uint32_t shift = smoothing_shift;
    Row row = whole_weights(weights, shift);
    const uint32_t centre = row[row.size() / 2];
    if (centre * centre > INT16_MAX) row = whole_weights(weights, --shift);
    return outer_product(row, shift);
}

Filter unsharp(uint32_t size) {
    const Row row = whole_weights(gaussian_weights(size, gaussian_sigma(size)), unsharp_shift);
    Filter filter = outer_product(row, unsharp_shift);
    for (int16_t& coefficient : filter.coefficients) {
        coefficient = static_cast<int16_t>(-coefficient);
    }
    int16_t& centre = filter.coefficients[filter.taps() / 2];
    centre = static_cast<int16_t>(centre + (2 << filter.shift));
    return filter;
}

bool allowed_size(uint32_t size) {
    return size % 2 == 1 && size >= 3 && size <= max_filter_size;
}

/// All of `text` as a number.
template <typename Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc{} || stop != end) return std::nullopt;
    return value;
}

std::optional<Filter> gaussian_of(double sigma) {
    if (!(sigma >= min_sigma && sigma <= max_sigma)) return std::nullopt;
    const auto reach = static_cast<uint32_t>(std::ceil(3 * sigma));
    const uint32_t size = std::min(2 * reach + 1, max_filter_size);
    return smoothing(gaussian_weights(size, sigma));
}

std::optional<Filter> of_family(std::string_view family, uint32_t size) {
    if (!allowed_size(size)) return std::nullopt;
    if (family == "binomial" && size <= max_binomial_size) {
        return outer_product(binomial_row(size), size - 1);
    }
    if (family == "box") return smoothing(std::vector<double>(size, 1.0));
    if (family == "gaussian") return smoothing(gaussian_weights(size, gaussian_sigma(size)));
    if (family == "unsharp") return unsharp(size);
    return std::nullopt;
}

/// Throws FilterError.
void check_shape(uint32_t width, uint32_t height, size_t coefficients) {
    if (width != height || !allowed_size(width)) {
        throw FilterError(fmt::format("filter size {}x{}; allowed are 3x3, 5x5, 7x7 ... {}x{}",
                                      width, height, max_filter_size, max_filter_size));
    }
    if (coefficients != size_t{width} * height) {
        throw FilterError(fmt::format("{} coefficients for a {}x{} filter, which takes {}",
                                      coefficients, width, height, width * height));
    }
}

}  // namespace

double gaussian_sigma(uint32_t size) {
    return 0.3 * ((size - 1) * 0.5 - 1) + 0.8;
}

std::optional<Filter> named_filter(std::string_view name) {
    constexpr std::string_view any_gaussian = "gaussian:";
    if (name.starts_with(any_gaussian)) {
        const auto sigma = number<double>(name.substr(any_gaussian.size()));
        return sigma ? gaussian_of(*sigma) : std::nullopt;
    }
    const auto* found = std::ranges::find(fixed, name, &NamedFilter::name);
    if (found != fixed.end()) return found->filter;
    const size_t digits = std::min(name.find_first_of("0123456789"), name.size());
    const auto size = number<uint32_t>(name.substr(digits));
    return size ? of_family(name.substr(0, digits), *size) : std::nullopt;
}

Filter make_filter(uint32_t width, uint32_t height, std::span<const int16_t> coefficients,
                   uint32_t shift) {
    check_shape(width, height, coefficients.size());
    if (shift > 31) throw FilterError(fmt::format("filter shift {}; allowed is 0 to 31", shift));
    Filter filter{.size = width, .shift = shift};
    std::reverse_copy(coefficients.begin(), coefficients.end(), filter.coefficients.begin());
    const uint64_t largest_sum = uint64_t{filter.magnitude()} * largest_sample;
    if (largest_sum >= sum_limit) {
        throw FilterError(fmt::format("sum(|coefficient|) x 255 is {}; it must be below {}",
                                      largest_sum, sum_limit));
    }
    return filter;
}

FloatFilter make_float_filter(uint32_t width, uint32_t height,
                              std::span<const double> coefficients) {
    check_shape(width, height, coefficients.size());
    double magnitude = 0;
    for (size_t i = 0; i < coefficients.size(); ++i) {
        if (!std::isfinite(coefficients[i])) {
            throw FilterError(fmt::format("coefficient {} of {} is {}; each must be finite", i + 1,
                                          coefficients.size(), coefficients[i]));
        }
        magnitude += std::abs(coefficients[i]);
    }
    // Before anything becomes a float, which 1e39 cannot.
    if (!(magnitude * largest_sample < float_sum_limit)) {
        throw FilterError(
            fmt::format("sum(|coefficient|) x 255 is {:.6g}; it must be below 2^127, "
                        "which is {:.6g}, so that no sum of floats overflows",
                        magnitude * largest_sample, float_sum_limit));
    }
    FloatFilter filter{.size = width};
    std::transform(coefficients.rbegin(), coefficients.rend(), filter.coefficients.begin(),
                   [](double coefficient) { return static_cast<float>(coefficient); });
    return filter;
}

}  // namespace glint::gpu
