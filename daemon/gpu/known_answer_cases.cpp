#include "daemon/gpu/known_answer_cases.hpp"

#include <fmt/format.h>

namespace glint::gpu {
namespace {

// Widths on both sides of a 16-byte load and of a work-group; heights that leave strips ragged;
// offsets and strides that make every row start elsewhere within 16 bytes. A row that is wider than
// any work-item's strip.
constexpr KnownCase cases[] = {
    {{.offset_bytes = 9, .stride_bytes = 3866, .width = 3863, .height = 1}, 0, 255},
    {{.offset_bytes = 0, .stride_bytes = 64, .width = 1, .height = 1}, 7, 7},
    {{.offset_bytes = 5, .stride_bytes = 41, .width = 37, .height = 3}, 0, 255},
    {{.offset_bytes = 3, .stride_bytes = 275, .width = 257, .height = 35}, 0, 255},
    {{.offset_bytes = 64, .stride_bytes = 128, .width = 128, .height = 17}, 255, 255},
    {{.offset_bytes = 0, .stride_bytes = 16, .width = 2, .height = 129}, 0, 1},
    {{.offset_bytes = 1, .stride_bytes = 151, .step_bytes = 2, .width = 75, .height = 9}, 0, 255},
    {{.offset_bytes = 2, .stride_bytes = 131, .step_bytes = 3, .width = 43, .height = 6}, 0, 255},
    {{.offset_bytes = 1,
      .stride_bytes = 99,
      .step_bytes = 2,
      .low_bytes = -1,
      .shift = 2,
      .width = 49,
      .height = 5},
     0,
     3},
    {{.offset_bytes = 8,
      .stride_bytes = 99,
      .step_bytes = 2,
      .low_bytes = 1,
      .shift = 8,
      .width = 45,
      .height = 5},
     0,
     255},
    {{.offset_bytes = 1, .stride_bytes = 192, .step_bytes = 2, .width = 93, .height = 7}, 0, 255},
    {{.offset_bytes = 7, .stride_bytes = 256, .step_bytes = 4, .width = 61, .height = 3}, 0, 255},
    {{.offset_bytes = 5,
      .stride_bytes = 128,
      .step_bytes = 2,
      .low_bytes = -1,
      .shift = 6,
      .width = 59,
      .height = 5},
     0,
     255},
    {{.offset_bytes = 2,
      .stride_bytes = 107,
      .shift = 6,
      .width = 81,
      .height = 3,
      .packed_log2 = 2,
      .first_sample = 3},
     0,
     255},
    {{.offset_bytes = 0,
      .stride_bytes = 91,
      .step_bytes = 2,
      .shift = 4,
      .width = 29,
      .height = 4,
      .packed_log2 = 1,
      .first_sample = 1},
     0,
     255},
};

}  // namespace

std::span<const KnownCase> known_cases() {
    return cases;
}

/// Generous: a lane reaches at most as far as its rows and one sample more.
size_t frame_bytes(const Lane& lane) {
    return lane.offset_bytes + size_t{lane.stride_bytes} * lane.height + lane.step_bytes + 8;
}

/// Poison everywhere, then samples from `lowest` to `highest` where the lane has them. A linear
/// congruential generator (Numerical Recipes, 2nd edition, 7.1): the same on every machine.
void fill(const KnownCase& test, std::span<uint8_t> bytes) {
    uint32_t state = test.lane.width * 2654435761U + test.lane.height;
    const auto next = [&state] { return (state = state * 1664525U + 1013904223U) >> 16; };
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(next());
    if (test.lane.packed_log2 != 0) return;  // noise all over is a fine packed picture
    const uint32_t spread = uint32_t{test.highest} - test.lowest + 1;
    for (uint32_t y = 0; y < test.lane.height; ++y) {
        for (uint32_t x = 0; x < test.lane.width; ++x) {
            const size_t at = test.lane.offset_bytes + size_t{y} * test.lane.stride_bytes +
                              size_t{x} * test.lane.step_bytes;
            bytes[at] = static_cast<uint8_t>(test.lowest + next() % spread);
        }
    }
}

std::string describe(const Lane& lane) {
    return fmt::format("{}x{} offset {} stride {} step {} low {} shift {} packed {}", lane.width,
                       lane.height, lane.offset_bytes, lane.stride_bytes, lane.step_bytes,
                       lane.low_bytes, lane.shift, lane.packed_log2);
}

}  // namespace glint::gpu
