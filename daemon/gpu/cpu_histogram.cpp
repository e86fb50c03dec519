// Histogram on one CPU thread. Counting cannot be vectorised, so this is about the two things that
// slow it down: byte loads (eight samples come in one register instead) and increments of the same
// counter that wait for one another (eight tables are used in turn, which matters where
// neighbouring samples are alike, as in most pictures).
#include <algorithm>
#include <cstring>

#include "operators.hpp"

namespace glint::gpu::cpu {

namespace {

constexpr std::size_t tables = 8;
using Tables = std::array<Bins, tables>;

void count_bytes(const uint8_t* bytes, std::size_t count, Tables& counts) {
    std::size_t x = 0;
    for (; x + 16 <= count; x += 16) {
        std::array<uint64_t, 2> word;
        std::memcpy(word.data(), bytes + x, sizeof word);
        for (const uint64_t eight : word) {
            // Which end the bytes are taken from does not matter.
            ++counts[0][eight & 255];
            ++counts[1][eight >> 8 & 255];
            ++counts[2][eight >> 16 & 255];
            ++counts[3][eight >> 24 & 255];
            ++counts[4][eight >> 32 & 255];
            ++counts[5][eight >> 40 & 255];
            ++counts[6][eight >> 48 & 255];
            ++counts[7][static_cast<uint8_t>(eight >> 56)];
        }
    }
    for (; x < count; ++x) ++counts[0][bytes[x]];
}

/// Samples of any kind into bins of any number, one by one.
class Counter {
  public:
    Counter(const uint8_t* frame, const HistogramTask& task) : frame_(frame), task_(task) {}

    void count(const CountedLane& counted, std::span<uint32_t> bins) const {
        for (uint32_t y = 0; y < counted.lane.height; ++y) {
            for (uint32_t x = 0; x < counted.lane.width; ++x) {
                if (counted.mask_row_bits != 0 && masked_out(counted, x, y)) continue;
                bins[bin_of(value(counted.lane, x, y))] += counted.weight;
            }
        }
    }

  private:
    [[nodiscard]] uint32_t value(const Lane& lane, uint32_t x, uint32_t y) const {
        const uint8_t* row = frame_ + lane.offset_bytes + std::size_t{y} * lane.stride_bytes;
        uint32_t at = x * lane.step_bytes;
        if (lane.packed_log2 == 0) {
            const uint8_t* high = row + at;
            return (uint32_t{*high} << 8 | high[lane.low_bytes]) >> lane.shift;
        }
        at += lane.first_sample;
        const uint32_t group_samples = 1U << lane.packed_log2;
        const uint8_t* group = row + (at >> lane.packed_log2) * (group_samples + 1);
        const uint32_t place = at & (group_samples - 1);
        const uint32_t low_bits = 8U >> lane.packed_log2;
        const uint32_t low = uint32_t{group[group_samples]} >> (place * low_bits) << (8 - low_bits);
        return (uint32_t{group[place]} << 8 | (low & 255U)) >> lane.shift;
    }
    [[nodiscard]] uint32_t bin_of(uint32_t value) const {
        if (!task_.table.empty()) {
            value = task_.table[std::min<std::size_t>(value, task_.table.size() - 1)];
        }
        return std::min(value, task_.bins - 1);
    }
    [[nodiscard]] bool masked_out(const CountedLane& counted, uint32_t x, uint32_t y) const {
        const uint32_t bit =
            counted.mask_first_bit + y * counted.mask_row_bits + x * counted.mask_step_bits;
        return (task_.mask[bit >> 3] >> (bit & 7) & 1) == 0;
    }

    const uint8_t* frame_;
    const HistogramTask& task_;
};

void count_spread(const uint8_t* high, const Lane& lane, Tables& counts) {
    const uint8_t* low = high + lane.low_bytes;
    for (std::size_t x = 0; x < lane.width; ++x) {
        const std::size_t at = x * lane.step_bytes;
        const uint32_t both = uint32_t{high[at]} << 8 | low[at];
        ++counts[x % tables][std::min(255U, both >> lane.shift)];
    }
}

/// A lane without mask and packing into 256 bins that are its values: several tables at once.
void count_plain(const uint8_t* frame, const CountedLane& counted, std::span<uint32_t> bins) {
    const Lane& lane = counted.lane;
    Tables counts{};
    for (std::size_t y = 0; y < lane.height; ++y) {
        const uint8_t* row = frame + lane.offset_bytes + y * lane.stride_bytes;
        if (lane.is_bytes()) {
            count_bytes(row, lane.width, counts);
        } else {
            count_spread(row, lane, counts);
        }
    }
    for (const Bins& table : counts) {
        for (std::size_t b = 0; b < histogram_bins; ++b) bins[b] += table[b] * counted.weight;
    }
}

}  // namespace

void histogram(const uint8_t* frame, const HistogramTask& task, std::span<uint32_t> bins) noexcept {
    std::ranges::fill(bins, 0);
    const bool values_are_bins = task.bins == histogram_bins && task.table.empty();
    for (const CountedLane& counted : task.lanes) {
        const auto own = bins.subspan(std::size_t{counted.result} * task.bins, task.bins);
        if (values_are_bins && counted.lane.packed_log2 == 0 && counted.mask_row_bits == 0) {
            count_plain(frame, counted, own);
        } else {
            Counter(frame, task).count(counted, own);
        }
    }
}

}  // namespace glint::gpu::cpu
