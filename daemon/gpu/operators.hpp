// What the operators work on and what they promise: plain data shared by the reference, the cpu
// variants and the OpenCL variants of every operator. No OpenCL in here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace glint::gpu {

inline constexpr uint32_t histogram_bins = 256;  ///< unless a camera asks for more
inline constexpr uint32_t max_histogram_bins = 4096;
inline constexpr uint32_t max_filter_size = 31;
inline constexpr uint32_t max_filter_taps = max_filter_size * max_filter_size;
/// A float holds every integer up to here exactly, so sums below it may be formed in float.
inline constexpr uint32_t exact_in_float = 1U << 24;

using Bins = std::array<uint32_t, histogram_bins>;

/// One channel of one rectangle of a frame, addressed in bytes from the start of the frame's
/// memory.
///
/// The sample in column x, row y has its most significant byte at
///     offset_bytes + y * stride_bytes + x * step_bytes
/// and, for samples of more than 8 bits, its other byte `low_bytes` further (-1 or +1). Its value
/// is
///     (high << 8 | low) >> shift
/// An 8-bit sample is the case low_bytes = 0 and shift = 8: both bytes are the same one. Filters
/// see at most 255 of it, histograms what they have bins for.
///
/// Packed samples (MIPI CSI-2, RAW10 and RAW12) are groups of 4 or 2 bytes, each followed by one
/// with their low bits, the first sample's lowest: then packed_log2 is 2 or 1, step_bytes counts
/// samples, offset_bytes is where the first group of row 0 begins and first_sample the lane's place
/// in it; the low bits stand at the top of the low byte.
struct Lane {
    uint32_t offset_bytes = 0;
    uint32_t stride_bytes = 0;
    uint32_t step_bytes = 1;  ///< 1 to 8: from one sample to the next in a row
    int32_t low_bytes = 0;
    uint32_t shift = 8;   ///< 0 to 15
    uint32_t width = 0;   ///< samples, >= 1
    uint32_t height = 0;  ///< rows, >= 1
    uint32_t packed_log2 = 0;
    uint32_t first_sample = 0;

    bool operator==(const Lane&) const = default;
    /// One byte per sample, side by side.
    [[nodiscard]] bool is_bytes() const {
        return step_bytes == 1 && low_bytes == 0 && shift == 8 && packed_log2 == 0;
    }
    /// A rectangle of this one, which must hold it.
    [[nodiscard]] Lane part(uint32_t x, uint32_t y, uint32_t part_width,
                            uint32_t part_height) const;
};

/// What a filter takes for samples outside the picture: the nearest one, a value, or the picture
/// mirrored at its outermost samples (gfedcb|abcdefgh|gfedcba), which OpenCV calls reflect-101.
enum class Border : uint32_t { replicate = 0, constant = 1, reflect_101 = 2 };

/// An integer filter: out = saturate(trunc(sum(coefficient * sample) / 2^shift)) with the division
/// towards zero, as OpenVX 1.0 defines vxConvolve.
///
/// `coefficients` are row by row and already in the order in which they meet the picture:
/// coefficient (row j, column i) meets the sample at (x + i - size/2, y + j - size/2).
struct Filter {
    uint32_t size = 3;  ///< odd, 3 to max_filter_size: rows and columns
    uint32_t shift = 0;
    std::array<int16_t, max_filter_taps> coefficients{};  ///< the first size * size count
    Border border = Border::replicate;
    uint8_t border_value = 0;  ///< of Border::constant
    /// Instead of all that but the border: the magnitude of the gradient, see Sobel in
    /// picture_operators.hpp. The size is 3.
    bool gradient = false;

    bool operator==(const Filter&) const = default;
    [[nodiscard]] uint32_t taps() const { return size * size; }
    /// sum(|c|): times 255 it bounds every intermediate sum.
    [[nodiscard]] uint32_t magnitude() const;
    /// Whether this is [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256.
    [[nodiscard]] bool is_binomial() const;
};

/// A lane that is counted: where to, and how often each of its samples counts.
struct CountedLane {
    Lane lane;
    uint32_t result = 0;
    uint32_t weight = 1;
    /// The mask's bit for the lane's first sample, and how many bits further those for the next
    /// column and the next row are. A lane whose mask_row_bits are 0 is not masked.
    uint32_t mask_first_bit = 0;
    uint32_t mask_step_bits = 1;
    uint32_t mask_row_bits = 0;
};

/// What one launch counts: any number of lanes into results of `bins` counts each.
struct HistogramTask {
    uint32_t bins = histogram_bins;  ///< 256 to 4096
    uint32_t results = 1;
    std::vector<CountedLane> lanes;  ///< by result, each of which has at least one
    /// The bin of every sample value; larger values count as the last. Empty: the value is the bin,
    /// and values beyond the last bin count there.
    std::vector<uint16_t> table;
    /// One bit per pixel, the lowest of a byte first; samples whose bit is 0 are not counted.
    std::vector<uint8_t> mask;

    HistogramTask() = default;
    /// All of one lane into 256 bins.
    explicit HistogramTask(const Lane& lane) : lanes{{.lane = lane}} {}
    [[nodiscard]] size_t counters() const { return size_t{results} * bins; }
};

/// A picture of bytes that a filter writes: width x height of the lane it reads.
struct Output {
    uint8_t* pixels = nullptr;
    uint32_t stride_bytes = 0;
};

/// Plain and obvious; the known-answer tests and nothing else use them. `bins` receives
/// task.results x task.bins counts.
namespace reference {
void histogram(const uint8_t* frame, const HistogramTask& task, std::span<uint32_t> bins) noexcept;
void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept;
}  // namespace reference

/// Vectorised by the compiler; the last rung of every ladder. One thread.
namespace cpu {
void histogram(const uint8_t* frame, const HistogramTask& task, std::span<uint32_t> bins) noexcept;
void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept;
}  // namespace cpu

}  // namespace glint::gpu
