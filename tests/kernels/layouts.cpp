#include "tests/kernels/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace glint::test {
namespace {

constexpr size_t poison_starts = 4096;

/// The same in every run.
const std::vector<uint8_t>& random_bytes() {
    static const std::vector<uint8_t> bytes = [] {
        std::vector<uint8_t> result(largest_frame_bytes() + poison_starts);
        uint32_t state = 12345;
        for (uint8_t& byte : result) {
            state = state * 1664525U + 1013904223U;
            byte = static_cast<uint8_t>(state >> 24);
        }
        return result;
    }();
    return bytes;
}

}  // namespace

std::vector<PlacedPicture> pairwise_cover() {
    // Width x padding in full, the others cycling at different speeds.
    std::map<Picture, std::vector<Placement>> cover;
    for (uint32_t w = 0; w < widths; ++w) {
        for (uint32_t p = 0; p < paddings; ++p) {
            const Picture picture{w + 1, heights[(w + p) % heights.size()],
                                  static_cast<uint32_t>((w / 6 + p) % sample_layouts.size())};
            cover[picture].push_back({p, (5 * w + p) % offsets});
        }
    }
    std::vector<PlacedPicture> result;
    for (auto& [picture, placements] : cover) result.push_back({picture, std::move(placements)});
    return result;
}

std::vector<PlacedPicture> full_product() {
    std::vector<Placement> placements;
    for (uint32_t p = 0; p < paddings; ++p) {
        for (const uint32_t offset : exhaustive_offsets) placements.push_back({p, offset});
    }
    std::vector<PlacedPicture> result;
    for (uint32_t w = 0; w < widths; ++w) {
        for (const uint32_t height : heights) {
            for (uint32_t layout = 0; layout < sample_layouts.size(); ++layout) {
                result.push_back({{w + 1, height, layout}, placements});
            }
        }
    }
    return result;
}

gpu::Lane lane_of(const Picture& picture, const Placement& placement) {
    const SampleLayout& layout = sample_layouts[picture.layout];
    // The high byte of a little-endian sample is not the first, and the last sample has one more.
    const uint32_t before = layout.low_bytes < 0 ? 1 : 0;
    return {.offset_bytes = placement.offset_bytes + before,
            .stride_bytes = picture.width * layout.step_bytes + placement.padding_bytes,
            .step_bytes = layout.step_bytes,
            .low_bytes = layout.low_bytes,
            .shift = layout.shift,
            .width = picture.width,
            .height = picture.height};
}

size_t frame_bytes(const gpu::Lane& lane) {
    return lane.offset_bytes + size_t{lane.stride_bytes} * lane.height + 8;
}

size_t largest_frame_bytes() {
    return size_t{(widths + 1) * 4 + paddings} * (heights.back() + 1) + 64;
}

void place(const Picture& picture, const gpu::Lane& lane, uint32_t number,
           std::span<uint8_t> frame) {
    std::copy_n(random_bytes().begin() + number % poison_starts, frame_bytes(lane), frame.begin());
    const std::vector<uint8_t>& samples = random_bytes();
    size_t next = picture.width * 7 + picture.height + picture.layout;
    // Right-aligned samples of 10 bits: their high byte holds two.
    const uint8_t high_bits = lane.low_bytes < 0 && lane.shift < 8 ? 0x03 : 0xFF;
    for (uint32_t y = 0; y < lane.height; ++y) {
        uint8_t* high = frame.data() + lane.offset_bytes + size_t{y} * lane.stride_bytes;
        for (uint32_t x = 0; x < lane.width; ++x, high += lane.step_bytes) {
            high[lane.low_bytes] = samples[next++];
            *high = samples[next++] & high_bits;
        }
    }
}

std::string describe(const gpu::Lane& lane) {
    return fmt::format("{}x{} stride {} offset {} step {} low {} shift {}", lane.width, lane.height,
                       lane.stride_bytes, lane.offset_bytes, lane.step_bytes, lane.low_bytes,
                       lane.shift);
}

}  // namespace glint::test
