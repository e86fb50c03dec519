#include "operators.hpp"

#include <algorithm>
#include <cstdlib>

namespace glint::gpu {

namespace {

constexpr std::array<int, 3> binomial3{1, 2, 1};
constexpr std::array<int, 5> binomial5{1, 4, 6, 4, 1};

template <std::size_t size>
bool is_outer_product(const Filter& filter, const std::array<int, size>& row) {
    for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t i = 0; i < size; ++i) {
            if (filter.coefficients[j * size + i] != row[j] * row[i]) return false;
        }
    }
    return true;
}

}  // namespace

Lane Lane::part(uint32_t x, uint32_t y, uint32_t part_width, uint32_t part_height) const {
    Lane result = *this;
    result.offset_bytes += y * stride_bytes;
    if (packed_log2 == 0) {
        result.offset_bytes += x * step_bytes;
    } else {
        result.first_sample += x * step_bytes;
    }
    result.width = part_width;
    result.height = part_height;
    return result;
}

uint32_t Filter::magnitude() const {
    uint32_t sum = 0;
    for (std::size_t k = 0; k < std::min(taps(), max_filter_taps); ++k) {
        sum += static_cast<uint32_t>(std::abs(int{coefficients[k]}));
    }
    return sum;
}

bool Filter::is_binomial() const {
    if (size == 3) return shift == 4 && is_outer_product(*this, binomial3);
    if (size == 5) return shift == 8 && is_outer_product(*this, binomial5);
    return false;
}

}  // namespace glint::gpu
