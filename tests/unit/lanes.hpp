// Memory for lanes: full of other samples, and with a page behind it that nobody may touch.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "daemon/gpu/operators.hpp"

namespace glint::test {

/// xorshift32: the same everywhere.
class Random {
  public:
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }
    uint32_t below(uint32_t limit) { return next() % limit; }

  private:
    uint32_t state_ = 0x9e3779b9;
};

/// Whole pages between two that cannot be accessed, filled with noise.
class GuardedMemory {
  public:
    explicit GuardedMemory(size_t size_bytes) : size_((size_bytes + page - 1) / page * page) {
        void* all =
            ::mmap(nullptr, size_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::bad_alloc();
        data_ = static_cast<uint8_t*>(all) + page;
        if (::mprotect(data_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        Random random;
        for (size_t i = 0; i < size_; ++i) data_[i] = static_cast<uint8_t>(random.next() >> 11);
    }
    ~GuardedMemory() { ::munmap(data_ - page, size_ + 2 * page); }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    [[nodiscard]] uint8_t* begin() const { return data_; }
    [[nodiscard]] uint8_t* end() const { return data_ + size_; }

  private:
    static constexpr size_t page = 4096;
    size_t size_;
    uint8_t* data_;
};

/// How samples lie in memory.
struct SampleKind {
    uint32_t step;
    int32_t low;
    uint32_t shift;

    /// Bytes from the first of a sample to its last.
    [[nodiscard]] uint32_t bytes() const { return low == 0 ? 1 : 2; }
    /// From a sample's first byte to the one with its high bits.
    [[nodiscard]] uint32_t high_at() const { return low < 0 ? 1 : 0; }
    [[nodiscard]] uint32_t row_bytes(uint32_t width) const { return (width - 1) * step + bytes(); }
};

/// 8-bit samples at every step, and wider ones of either byte order and every depth.
inline constexpr SampleKind sample_kinds[] = {{1, 0, 8},  {2, 0, 8},  {3, 0, 8},  {4, 0, 8},
                                              {2, -1, 2}, {2, 1, 4},  {2, -1, 8}, {2, 1, 1},
                                              {4, -1, 8}, {2, -1, 0}, {2, 1, 15}, {8, -1, 4}};
inline constexpr uint32_t sample_kind_count = sizeof sample_kinds / sizeof sample_kinds[0];

inline constexpr uint32_t heights[] = {1, 2, 3, 17, 64};
inline constexpr uint32_t max_padding = 17;

/// A lane whose first byte is `first` bytes into the memory.
[[nodiscard]] inline gpu::Lane make_lane(const SampleKind& kind, uint32_t width, uint32_t height,
                                         uint32_t padding, size_t first) {
    return {.offset_bytes = static_cast<uint32_t>(first) + kind.high_at(),
            .stride_bytes = kind.row_bytes(width) + padding,
            .step_bytes = kind.step,
            .low_bytes = kind.low,
            .shift = kind.shift,
            .width = width,
            .height = height};
}

/// From the first byte of the first sample to the last of the last.
[[nodiscard]] inline size_t lane_bytes(const SampleKind& kind, uint32_t width, uint32_t height,
                                       uint32_t padding) {
    return size_t{kind.row_bytes(width) + padding} * (height - 1) + kind.row_bytes(width);
}

/// As make_lane, with the last byte of the last sample before the forbidden page.
[[nodiscard]] inline gpu::Lane make_lane_at_end(const GuardedMemory& memory, const SampleKind& kind,
                                                uint32_t width, uint32_t height, uint32_t padding) {
    const auto size = static_cast<size_t>(memory.end() - memory.begin());
    return make_lane(kind, width, height, padding, size - lane_bytes(kind, width, height, padding));
}

/// 256 bins of all of one lane.
inline gpu::Bins cpu_bins(const uint8_t* frame, const gpu::Lane& lane) {
    gpu::Bins bins;
    gpu::cpu::histogram(frame, gpu::HistogramTask(lane), bins);
    return bins;
}
inline gpu::Bins reference_bins(const uint8_t* frame, const gpu::Lane& lane) {
    gpu::Bins bins;
    gpu::reference::histogram(frame, gpu::HistogramTask(lane), bins);
    return bins;
}

}  // namespace glint::test
