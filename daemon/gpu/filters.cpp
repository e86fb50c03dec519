#include "daemon/gpu/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace glint::gpu {
namespace {

constexpr uint64_t sum_limit = 1ULL << 31;
constexpr uint64_t largest_sample = 255;

struct NamedFilter {
    std::string_view name;
    Filter filter;
};

// As they meet the picture. The boxes divide by a power of two as everything here does: 7/64 and
// 10/256 keep a constant picture within one level of itself (63/64, 250/256), so the centre takes
// what is missing to make the weights sum to exactly 1.
constexpr std::array<NamedFilter, 9> named{{
    {"binomial3", {3, 4, {1, 2, 1, 2, 4, 2, 1, 2, 1}}},
    {"binomial5",
     {5, 8, {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1}}},
    {"box3", {3, 6, {7, 7, 7, 7, 8, 7, 7, 7, 7}}},
    {"box5", {5, 8, {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 16,
                     10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}}},
    {"sharpen3", {3, 0, {0, -1, 0, -1, 5, -1, 0, -1, 0}}},
    {"laplacian3", {3, 0, {0, 1, 0, 1, -4, 1, 0, 1, 0}}},
    {"sobel_x3", {3, 0, {-1, 0, 1, -2, 0, 2, -1, 0, 1}}},
    {"sobel_y3", {3, 0, {-1, -2, -1, 0, 0, 0, 1, 2, 1}}},
    {"sobel", {.size = 3, .gradient = true}},
}};

}  // namespace

std::optional<Filter> named_filter(std::string_view name) {
    const auto* found = std::ranges::find(named, name, &NamedFilter::name);
    if (found == named.end()) return std::nullopt;
    return found->filter;
}

Filter make_filter(uint32_t width, uint32_t height, std::span<const int16_t> coefficients,
                   uint32_t shift) {
    if (width != height || (width != 3 && width != 5)) {
        throw FilterError(fmt::format("filter size {}x{}; allowed are 3x3 and 5x5", width, height));
    }
    if (coefficients.size() != size_t{width} * height) {
        throw FilterError(fmt::format("{} coefficients for a {}x{} filter, which takes {}",
                                      coefficients.size(), width, height, width * height));
    }
    if (shift > 31) throw FilterError(fmt::format("filter shift {}; allowed is 0 to 31", shift));
    Filter filter{.size = width, .shift = shift};
    std::reverse_copy(coefficients.begin(), coefficients.end(), filter.coefficients.begin());
    const uint64_t largest_sum = filter.magnitude() * largest_sample;
    if (largest_sum >= sum_limit) {
        throw FilterError(fmt::format("sum(|coefficient|) x 255 is {}; it must be below {}",
                                      largest_sum, sum_limit));
    }
    return filter;
}

}  // namespace glint::gpu
