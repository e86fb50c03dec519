#include "daemon/gpu/filter_tables.hpp"

#include <algorithm>
#include <numeric>

namespace glint::gpu {
namespace {

// As kernels/terms.h has them.
constexpr size_t term_numbers = 64;
constexpr size_t columns_at = 32;
constexpr size_t row_starts_at = 128;
constexpr size_t rows_outside_at = 130;
constexpr size_t column_start_at = 132;
constexpr size_t terms_at = 133;
constexpr size_t table_numbers = 134;

constexpr size_t blank_rows = 3;

/// 255 x the sum of the negative taps, as a positive number.
int32_t below_zero(const std::array<int32_t, max_filter_size>& taps) {
    int32_t sum = 0;
    for (const int32_t tap : taps) sum -= 255 * std::min(tap, 0);
    return sum;
}

}  // namespace

std::vector<int32_t> padded_coefficients(const Filter& filter) {
    const size_t pitch = (size_t{filter.size} + 3) / 4 * 4;
    std::vector<int32_t> result(pitch * (filter.size + 2 * blank_rows));
    for (size_t j = 0; j < filter.size; ++j) {
        std::copy_n(filter.coefficients.begin() + static_cast<ptrdiff_t>(j * filter.size),
                    filter.size, result.begin() + static_cast<ptrdiff_t>((j + blank_rows) * pitch));
    }
    return result;
}

std::vector<int32_t> term_table(const Separation& separation, const Filter& filter, bool narrow) {
    std::vector<int32_t> table(table_numbers);
    for (size_t t = 0; t < separation.count; ++t) {
        const OuterProduct& term = separation.terms[t];
        const auto at = table.begin() + static_cast<ptrdiff_t>(t * term_numbers);
        std::ranges::copy(term.row, at);
        std::ranges::copy(term.column, at + static_cast<ptrdiff_t>(columns_at));
        const int32_t start = narrow ? below_zero(term.row) : 0;
        const int32_t row_sum = std::accumulate(term.row.begin(), term.row.end(), 0);
        table[row_starts_at + t] = start;
        table[rows_outside_at + t] = start + row_sum * filter.border_value;
        table[column_start_at] -=
            start * std::accumulate(term.column.begin(), term.column.end(), 0);
    }
    table[terms_at] = static_cast<int32_t>(separation.count);
    return table;
}

}  // namespace glint::gpu
