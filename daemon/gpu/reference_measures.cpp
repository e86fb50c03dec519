// Operators that measure, as plain as they get.
#include <vector>

#include "daemon/gpu/measuring_operators.hpp"
#include "daemon/gpu/samples.hpp"

namespace glint::gpu::reference {

uint64_t sharpness(const uint8_t* frame, const Lane& lane) noexcept {
    uint64_t sum = 0;
    for (int64_t y = 0; y < lane.height; ++y) {
        for (int64_t x = 0; x < lane.width; ++x) {
            const auto at = [&](int64_t column, int64_t row) -> int64_t {
                return sample_byte(frame, lane, *inside(column, lane.width, Border::replicate),
                                   *inside(row, lane.height, Border::replicate));
            };
            const int64_t laplacian =
                4 * at(x, y) - at(x - 1, y) - at(x + 1, y) - at(x, y - 1) - at(x, y + 1);
            sum += static_cast<uint64_t>(laplacian * laplacian);
        }
    }
    return sum;
}

Bins filtered_histogram(const uint8_t* frame, const Lane& lane, const Filter& filter) noexcept {
    std::vector<uint8_t> filtered(size_t{lane.width} * lane.height);
    convolve(frame, lane, filter, {filtered.data(), lane.width});
    Bins bins{};
    for (const uint8_t value : filtered) ++bins[value];
    return bins;
}

}  // namespace glint::gpu::reference
