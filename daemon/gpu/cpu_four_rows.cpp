// Large filters of any coefficients on one CPU thread: four rows of the result at once, with three
// fifths of the products.
//
// It is a fast FIR algorithm (Mou and Duhamel, "Short-length FIR filters and their use in fast
// nonrecursive filtering", IEEE Transactions on Signal Processing 39, 1991), down the columns,
// twice. Let x be the picture's rows that a filter meets, e its even rows and o its odd ones. Two
// neighbouring rows of the result then take three filters of half the size instead of four:
//     sum(e[i] x[2i])     + sum(o[i] x[2i + 1]) = sum(e[i] (x[2i] - x[2i + 1]))     + both
//     sum(e[i] x[2i + 1]) + sum(o[i] x[2i + 2]) = sum(o[i] (x[2i + 2] - x[2i + 1])) + both
//     both = sum((e[i] + o[i]) x[2i + 1])
// and so does each of these three again, for rows of differences. The nine filters that come of it
// are called parts here: part 3 p + q is filter q of filter p. Sums are computed modulo a power of
// two: what stands in between may leave it, the result does not.
#include <cstring>

#include "cpu_strips.hpp"
#include "daemon/gpu/cpu_taps.hpp"

namespace glint::gpu::cpu {

namespace {

constexpr std::size_t taps_at_a_time = 8;
constexpr std::size_t rows_at_once = 4;
constexpr std::size_t parts = 9;
/// Rows of the picture that make one row of each part.
constexpr std::size_t picture_rows = 7;
/// The next power of two, so that the last of them stay where they are for the next four.
constexpr std::size_t picture_ring = 8;
/// Rows of a part.
constexpr std::size_t part_rows = (max_filter_size + rows_at_once - 1) / rows_at_once;

constexpr std::size_t rounded_up(std::size_t number, std::size_t step) {
    return (number + step - 1) / step * step;
}

/// One row of each part, `distance` apart. The body of a GLINT_INNER_LOOP.
template <typename Sum>
[[gnu::always_inline]] inline void subtract_rows(const uint8_t* const* from, std::size_t count,
                                                 std::size_t distance, Sum* __restrict to) {
    const std::array<const uint8_t*, picture_rows> row{from[0], from[1], from[2], from[3],
                                                       from[4], from[5], from[6]};
    for (std::size_t x = 0; x < count; ++x) {
        const auto part = [&](std::size_t which, int value) {
            to[x + which * distance] = static_cast<Sum>(value);
        };
        const auto three_parts = [&](std::size_t first, int a, int b, int c) {
            part(first, a - b);
            part(first + 1, b);
            part(first + 2, c - b);
        };
        three_parts(0, row[0][x] - row[1][x], row[2][x] - row[3][x], row[4][x] - row[5][x]);
        three_parts(3, row[1][x], row[3][x], row[5][x]);
        three_parts(6, row[2][x] - row[1][x], row[4][x] - row[3][x], row[6][x] - row[5][x]);
    }
}

GLINT_INNER_LOOP make_parts(const uint8_t* const* from, std::size_t count, std::size_t distance,
                            uint16_t* __restrict to) {
    subtract_rows(from, count, distance, to);
}

GLINT_INNER_LOOP make_parts(const uint8_t* const* from, std::size_t count, std::size_t distance,
                            uint32_t* __restrict to) {
    subtract_rows(from, count, distance, to);
}

GLINT_INNER_LOOP add_taps(const uint16_t* const* from, const uint16_t* taps, std::size_t count,
                          uint16_t* __restrict sums) {
    sum_taps<taps_at_a_time, Start::sums>(from, taps, count, sums);
}

GLINT_INNER_LOOP add_taps(const uint32_t* const* from, const uint32_t* taps, std::size_t count,
                          uint32_t* __restrict sums) {
    sum_taps<taps_at_a_time, Start::sums>(from, taps, count, sums);
}

// Negative sums end at 0 whichever way they are rounded.

GLINT_INNER_LOOP add_up(const uint16_t* a, const uint16_t* b, const uint16_t* c, const uint16_t* d,
                        uint32_t shift, std::size_t count, uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const auto sum = static_cast<int16_t>(a[x] + b[x] + c[x] + d[x]);
        to[x] = static_cast<uint8_t>(std::min(std::max<int16_t>(sum, 0) >> shift, 255));
    }
}

GLINT_INNER_LOOP add_up(const uint32_t* a, const uint32_t* b, const uint32_t* c, const uint32_t* d,
                        uint32_t shift, std::size_t count, uint8_t* __restrict to) {
    for (std::size_t x = 0; x < count; ++x) {
        const auto sum = static_cast<int32_t>(a[x] + b[x] + c[x] + d[x]);
        to[x] = static_cast<uint8_t>(std::min(std::max(sum, 0) >> shift, 255));
    }
}

/// The rows of one part's filter, each filled up with zeros to whole groups of taps.
template <typename Sum>
struct PartFilter {
    std::size_t rows = 0;
    std::array<std::array<Sum, rounded_up(max_filter_size, taps_at_a_time)>, part_rows> taps{};
};

template <typename Sum>
std::array<PartFilter<Sum>, parts> split(const Filter& filter) {
    // 0: even rows, 1: all, 2: odd rows.
    const auto takes = [](std::size_t which, bool odd) {
        return which == 1 || (which == 2) == odd;
    };
    std::array<PartFilter<Sum>, parts> split;
    for (std::size_t j = 0; j < filter.size; ++j) {
        const int16_t* const row = filter.coefficients.data() + j * filter.size;
        for (std::size_t part = 0; part < parts; ++part) {
            if (!takes(part / 3, j % 2 == 1) || !takes(part % 3, j / 2 % 2 == 1)) continue;
            split[part].rows = j / rows_at_once + 1;
            auto& taps = split[part].taps[j / rows_at_once];
            for (std::size_t i = 0; i < filter.size; ++i) {
                taps[i] = static_cast<Sum>(taps[i] + static_cast<Sum>(row[i]));
            }
        }
    }
    return split;
}

/// A block of columns of the picture, marched down. Rows count from the first that the filter
/// meets, which is size / 2 above the picture.
template <typename Sum>
class Block {
  public:
    Block(const uint8_t* frame, const Lane& lane, const Filter& filter)
        : frame_(frame), lane_(lane), filter_(filter), split_(split<Sum>(filter)) {
        std::memset(outside_, filter.border_value, sizeof outside_);
    }

    void convolve(std::size_t first, std::size_t count, const Output& output) {
        const std::size_t reach = rounded_up(filter_.size, rows_at_once) / rows_at_once;
        std::size_t filled = 0;
        for (std::size_t at = 0; (at + 1) * rows_at_once < lane_.height + reach * rows_at_once;
             ++at) {
            const std::size_t begin = at * rows_at_once;
            for (; filled < begin + picture_rows; ++filled) fill_row(filled, first, count);
            std::array<const uint8_t*, picture_rows> rows{};
            for (std::size_t k = 0; k < picture_rows; ++k) {
                rows[k] = picture_[(begin + k) % picture_ring];
            }
            make_parts(rows.data(), count + filter_.size - 1, part_rows * block_room,
                       parts_[0][at % part_rows]);
            if (at + 1 < reach) continue;
            sum_parts(at + 1 - reach, count);
            finish((at + 1 - reach) * rows_at_once, first, count, output);
        }
    }

  private:
    void fill_row(std::size_t number, std::size_t first, std::size_t count) {
        const auto row =
            static_cast<std::ptrdiff_t>(number) - static_cast<std::ptrdiff_t>(filter_.size / 2);
        const auto last = static_cast<std::ptrdiff_t>(lane_.height) - 1;
        uint8_t* const to = picture_[number % picture_ring];
        if (filter_.border == Border::constant && (row < 0 || row > last)) {
            std::memcpy(to, outside_, count + filter_.size - 1);
        } else {
            const std::size_t y = mirrored_or_nearest(row, last, filter_.border);
            fill(frame_, lane_, filter_, y, first, count, to);
        }
    }

    void sum_parts(std::size_t from, std::size_t count) {
        for (std::size_t part = 0; part < parts; ++part) {
            std::memset(sums_[part], 0, count * sizeof(Sum));
            for (std::size_t i = 0; i < split_[part].rows; ++i) {
                add_row(parts_[part][(from + i) % part_rows], split_[part].taps[i].data(), count,
                        sums_[part]);
            }
        }
    }

    void add_row(const Sum* row, const Sum* taps, std::size_t count, Sum* sums) const {
        for (std::size_t k = 0; k < filter_.size; k += taps_at_a_time) {
            std::array<const Sum*, taps_at_a_time> from{};
            for (std::size_t i = 0; i < taps_at_a_time; ++i) from[i] = row + k + i;
            add_taps(from.data(), taps + k, count, sums);
        }
    }

    /// Row 2 q + p of the four is what filters p and p + 1 give, each as the sum of its own filters
    /// q and q + 1.
    void finish(std::size_t y, std::size_t first, std::size_t count, const Output& output) const {
        const uint32_t shift = std::min<uint32_t>(filter_.shift, 8 * sizeof(Sum) - 1);
        const std::size_t rows = std::min<std::size_t>(rows_at_once, lane_.height - y);
        for (std::size_t k = 0; k < rows; ++k) {
            const std::size_t part = 3 * (k % 2) + k / 2;
            add_up(sums_[part], sums_[part + 1], sums_[part + 3], sums_[part + 4], shift, count,
                   output.pixels + (y + k) * output.stride_bytes + first);
        }
    }

    const uint8_t* frame_;
    const Lane& lane_;
    const Filter& filter_;
    std::array<PartFilter<Sum>, parts> split_;
    /// Initialised, because the last group of taps meets columns that no picture has.
    alignas(64) Sum parts_[parts][part_rows][block_room] = {};
    alignas(64) Sum sums_[parts][block_room];
    alignas(64) uint8_t picture_[picture_ring][block_room];
    alignas(64) uint8_t outside_[block_room];
};

template <typename Sum>
void convolve_as(const uint8_t* frame, const Lane& lane, const Filter& filter,
                 const Output& output) {
    Block<Sum> block(frame, lane, filter);
    for (std::size_t first = 0; first < lane.width; first += block_columns) {
        block.convolve(first, std::min<std::size_t>(block_columns, lane.width - first), output);
    }
}

}  // namespace

void convolve_four_rows(const uint8_t* frame, const Lane& lane, const Filter& filter,
                        const Output& output) {
    if (filter.magnitude() * 255 <= INT16_MAX) {
        convolve_as<uint16_t>(frame, lane, filter, output);
    } else {
        convolve_as<uint32_t>(frame, lane, filter, output);
    }
}

}  // namespace glint::gpu::cpu
