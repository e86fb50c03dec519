// What the operators work on and what they promise: plain data shared by the reference, the cpu
// variants and the OpenCL variants of every operator. No OpenCL in here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glint::gpu {

inline constexpr uint32_t histogram_bins = 256;
inline constexpr uint32_t max_filter_taps = 25;
/// A float holds every integer up to here exactly, so sums below it may be formed in float.
inline constexpr uint32_t exact_in_float = 1U << 24;

using Bins = std::array<uint32_t, histogram_bins>;

/// One channel of one rectangle of a frame, addressed in bytes from the start of the frame's
/// memory.
///
/// The sample in column x, row y has its most significant byte at
///     offset_bytes + y * stride_bytes + x * step_bytes
/// and, for samples of more than 8 bits, its other byte `low_bytes` further (-1 or +1). Every
/// operator sees it as one byte:
///     min(255, (high << 8 | low) >> shift)
/// An 8-bit sample is the case low_bytes = 0 and shift = 8: both bytes are the same one.
struct Lane {
    uint32_t offset_bytes = 0;
    uint32_t stride_bytes = 0;
    uint32_t step_bytes = 1;  ///< 1 to 4: bytes from one sample to the next in a row
    int32_t low_bytes = 0;
    uint32_t shift = 8;
    uint32_t width = 0;   ///< samples, >= 1
    uint32_t height = 0;  ///< rows, >= 1

    bool operator==(const Lane&) const = default;
};

/// An integer filter: out = saturate(trunc(sum(coefficient * sample) / 2^shift)) with the division
/// towards zero and the border replicated, as OpenVX 1.0 defines vxConvolve.
///
/// `coefficients` are row by row and already in the order in which they meet the picture:
/// coefficient (row j, column i) meets the sample at (x + i - size/2, y + j - size/2).
struct Filter {
    uint32_t size = 3;  ///< 3 or 5: rows and columns
    uint32_t shift = 0;
    std::array<int16_t, max_filter_taps> coefficients{};  ///< the first size * size count

    bool operator==(const Filter&) const = default;
    [[nodiscard]] uint32_t taps() const { return size * size; }
    /// sum(|c|): times 255 it bounds every intermediate sum.
    [[nodiscard]] uint32_t magnitude() const;
    /// Whether this is [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256.
    [[nodiscard]] bool is_binomial() const;
};

/// A picture of bytes that a filter writes: width x height of the lane it reads.
struct Output {
    uint8_t* pixels = nullptr;
    uint32_t stride_bytes = 0;
};

/// Plain and obvious; the known-answer tests and nothing else use them.
namespace reference {
[[nodiscard]] Bins histogram(const uint8_t* frame, const Lane& lane) noexcept;
void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept;
}  // namespace reference

/// Vectorised by the compiler; the last rung of every ladder. One thread, no allocation that can
/// fail after the first call of a thread.
namespace cpu {
[[nodiscard]] Bins histogram(const uint8_t* frame, const Lane& lane) noexcept;
void convolve(const uint8_t* frame, const Lane& lane, const Filter& filter,
              const Output& output) noexcept;
}  // namespace cpu

}  // namespace glint::gpu
