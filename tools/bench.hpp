// What the parts of glint-bench share: the work, and pictures to do it on.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daemon/gpu/operators.hpp"
#include "zero_copy/frame_memory.hpp"

namespace glint::bench {

struct Size {
    uint32_t width;
    uint32_t height;
};
inline constexpr Size sizes[] = {{640, 480}, {1920, 1080}, {3840, 2160}};

/// Counters behave differently where neighbours are alike (one counter again and again) and where
/// they are not.
enum class Picture { noise, smooth };
[[nodiscard]] const char* name_of(Picture picture);
void fill(Picture picture, std::span<uint8_t> pixels, uint32_t width);

struct NamedFilter {
    const char* name;
    gpu::Filter filter;
};
/// Binomials and, for the general case, uneven coefficients of both signs.
[[nodiscard]] const std::vector<NamedFilter>& filters();

[[nodiscard]] inline gpu::Lane grey_lane(Size size) {
    return {.offset_bytes = 0,
            .stride_bytes = size.width,
            .step_bytes = 1,
            .low_bytes = 0,
            .shift = 8,
            .width = size.width,
            .height = size.height};
}

/// The middle of several runs: a mean would count the other programs on the machine.
[[nodiscard]] inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Seconds that one call takes.
template <typename Call>
double time_of(Call&& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void register_opencl();
void register_cpu();
/// OpenCV on the same data; only with GLINT_BENCH_PEERS.
void register_opencv();

}  // namespace glint::bench
