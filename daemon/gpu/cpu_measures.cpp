// Operators that measure, on one CPU thread.
#include <cstring>

#include "daemon/gpu/cpu_rows.hpp"
#include "daemon/gpu/measuring_operators.hpp"

namespace glint::gpu::cpu {

namespace {

/// Adds the squares to `sum`; rows `a`, `b` and `c` begin one column to the left.
GLINT_INNER_LOOP add_squares(const uint8_t* a, const uint8_t* b, const uint8_t* c,
                             std::size_t count, uint32_t& sum) {
    uint32_t squares = 0;
    for (std::size_t x = 0; x < count; ++x) {
        const auto laplacian =
            static_cast<int16_t>(4 * b[x + 1] - b[x] - b[x + 2] - a[x + 1] - c[x + 1]);
        squares += static_cast<uint32_t>(laplacian * laplacian);
    }
    sum += squares;
}

/// The rectangle that is filtered at once: it stays in the first-level cache until it is counted.
constexpr uint32_t tile_columns = 256;
constexpr uint32_t tile_rows = 64;
constexpr uint32_t margin = max_filter_size / 2;

/// A stretch of one axis with what the filter needs around it.
struct Stretch {
    uint32_t begin;  ///< of what is filtered
    uint32_t length;
    uint32_t skip;  ///< from there to what is counted
};

Stretch with_margin(uint32_t first, uint32_t count, uint32_t all, uint32_t radius) {
    const uint32_t begin = first - std::min(first, radius);
    return {begin, std::min(all, first + count + radius) - begin, first - begin};
}

/// In turn into several tables, since equal neighbours wait for one another's counter.
using Tables = std::array<Bins, 4>;

void count_row(const uint8_t* row, uint32_t count, Tables& tables) {
    for (uint32_t x = 0; x < count; ++x) ++tables[x % tables.size()][row[x]];
}

}  // namespace

uint64_t sharpness(const uint8_t* frame, const Lane& lane) noexcept {
    return sharpness(frame, lane, {0, 0, lane.width, lane.height});
}

uint64_t sharpness(const uint8_t* frame, const Lane& lane, const Rectangle& part) noexcept {
    const Filter window{.size = 3};
    const Stretch x = with_margin(part.x, part.width, lane.width, 1);
    const Stretch y = with_margin(part.y, part.height, lane.height, 1);
    uint64_t sum = 0;
    march_rows<uint8_t>(
        frame, lane.part(x.begin, y.begin, x.length, y.length), window,
        [&](const auto& rows, std::size_t count, std::size_t first, std::size_t row) {
            if (row < y.skip || row - y.skip >= part.height) return;
            const std::size_t end = std::min<std::size_t>(count, x.skip + part.width - first);
            std::size_t column = x.skip - std::min<std::size_t>(x.skip, first);
            for (; column < end; column += max_squares_per_partial) {
                uint32_t partial = 0;
                add_squares(rows[0] + column, rows[1] + column, rows[2] + column,
                            std::min<std::size_t>(max_squares_per_partial, end - column), partial);
                sum += partial;
            }
        });
    return sum;
}

Bins filtered_histogram(const uint8_t* frame, const Lane& lane, const Filter& filter) noexcept {
    constexpr uint32_t stride = tile_columns + 2 * margin;
    std::array<uint8_t, size_t{stride} * (tile_rows + 2 * margin)> filtered;
    const uint32_t radius = filter.size / 2;
    Tables tables{};
    for (uint32_t top = 0; top < lane.height; top += tile_rows) {
        const uint32_t rows = std::min(tile_rows, lane.height - top);
        const Stretch y = with_margin(top, rows, lane.height, radius);
        for (uint32_t left = 0; left < lane.width; left += tile_columns) {
            const uint32_t columns = std::min(tile_columns, lane.width - left);
            const Stretch x = with_margin(left, columns, lane.width, radius);
            convolve(frame, lane.part(x.begin, y.begin, x.length, y.length), filter,
                     {filtered.data(), stride});
            for (uint32_t row = 0; row < rows; ++row) {
                count_row(filtered.data() + size_t{y.skip + row} * stride + x.skip, columns,
                          tables);
            }
        }
    }
    Bins bins{};
    for (const Bins& table : tables) {
        for (size_t bin = 0; bin < bins.size(); ++bin) bins[bin] += table[bin];
    }
    return bins;
}

}  // namespace glint::gpu::cpu
