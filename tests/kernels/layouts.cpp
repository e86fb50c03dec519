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

/// The samples of a picture, row by row: their high and low bytes as one number. Of 8-bit samples
/// both bytes are the same.
std::vector<uint32_t> samples_of(const Picture& picture) {
    const SampleLayout& layout = sample_layouts[picture.layout];
    const uint32_t in_a_byte = (1U << (8 + layout.shift)) - 1;
    const bool one_byte = layout.low_bytes == 0 && layout.packed_log2 == 0;
    const uint8_t* next =
        random_bytes().data() + picture.width * 7 + picture.height + picture.layout;
    std::vector<uint32_t> samples(size_t{picture.width} * picture.height);
    for (uint32_t& sample : samples) {
        const uint32_t low = *next++;
        const uint32_t high = *next++;
        sample = high << 8 | (one_byte ? high : low);
        if (low % 8 != 0) sample &= in_a_byte;
    }
    return samples;
}

/// Sets what belongs to sample `index` of the packed row and leaves its neighbours' bits.
void place_packed(uint8_t* row, uint32_t index, uint32_t group_samples, uint32_t sample) {
    uint8_t* group = row + size_t{index / group_samples} * (group_samples + 1);
    const uint32_t place = index % group_samples;
    const uint32_t low_bits = 8 / group_samples;
    const uint32_t mask = ((1U << low_bits) - 1) << place * low_bits;
    const uint32_t low = (sample & 0xFF) >> (8 - low_bits) << place * low_bits;
    group[place] = static_cast<uint8_t>(sample >> 8);
    group[group_samples] = static_cast<uint8_t>((group[group_samples] & ~mask) | low);
}

}  // namespace

std::vector<PlacedPicture> pairwise_cover() {
    // Width x padding in full, the others cycling at different speeds. Paddings that are as many
    // apart as there are layouts share a picture, and with it the reference's answer.
    std::map<Picture, std::vector<Placement>> cover;
    for (uint32_t w = 0; w < widths; ++w) {
        for (uint32_t p = 0; p < paddings; ++p) {
            const auto turn = static_cast<uint32_t>(p % sample_layouts.size());
            const Picture picture{w + 1, heights[(w + turn) % heights.size()],
                                  static_cast<uint32_t>((w / 6 + turn) % sample_layouts.size())};
            cover[picture].push_back({p, (5 * w + p) % offsets});
        }
    }
    std::vector<PlacedPicture> result;
    for (auto& [picture, placements] : cover) result.push_back({picture, std::move(placements)});
    return result;
}

std::vector<std::pair<Picture, Placement>> thinned_cover() {
    std::vector<std::pair<Picture, Placement>> result;
    size_t turn = 0;
    for (const auto& [picture, placements] : pairwise_cover()) {
        for (const Placement& placement : placements) {
            if (turn++ % 7 == 0) result.emplace_back(picture, placement);
        }
    }
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
    gpu::Lane lane{.offset_bytes = placement.offset_bytes + before,
                   .stride_bytes = picture.width * layout.step_bytes + placement.padding_bytes,
                   .step_bytes = layout.step_bytes,
                   .low_bytes = layout.low_bytes,
                   .shift = layout.shift,
                   .width = picture.width,
                   .height = picture.height,
                   .packed_log2 = layout.packed_log2};
    if (layout.packed_log2 != 0) {
        const uint32_t group_samples = 1U << layout.packed_log2;
        lane.first_sample = (placement.offset_bytes + placement.padding_bytes) % group_samples;
        const uint32_t groups =
            (lane.first_sample + picture.width + group_samples - 1) / group_samples;
        lane.stride_bytes = groups * (group_samples + 1) + placement.padding_bytes;
    }
    return lane;
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
    const std::vector<uint32_t> samples = samples_of(picture);
    auto next = samples.begin();
    for (uint32_t y = 0; y < lane.height; ++y) {
        uint8_t* row = frame.data() + lane.offset_bytes + size_t{y} * lane.stride_bytes;
        for (uint32_t x = 0; x < lane.width; ++x, ++next) {
            if (lane.packed_log2 != 0) {
                place_packed(row, lane.first_sample + x, 1U << lane.packed_log2, *next);
                continue;
            }
            uint8_t* high = row + size_t{x} * lane.step_bytes;
            high[lane.low_bytes] = static_cast<uint8_t>(*next);
            *high = static_cast<uint8_t>(*next >> 8);
        }
    }
}

PlainPicture plain(const Picture& picture) {
    PlainPicture result{{.stride_bytes = 2 * picture.width,
                         .step_bytes = 2,
                         .low_bytes = 1,
                         .shift = 0,
                         .width = picture.width,
                         .height = picture.height},
                        {}};
    for (const uint32_t sample : samples_of(picture)) {
        const uint32_t value = sample >> sample_layouts[picture.layout].shift;
        result.frame.push_back(static_cast<uint8_t>(value >> 8));
        result.frame.push_back(static_cast<uint8_t>(value));
    }
    return result;
}

std::string describe(const gpu::Lane& lane) {
    return fmt::format("{}x{} stride {} offset {} step {} low {} shift {} packed {} from {}",
                       lane.width, lane.height, lane.stride_bytes, lane.offset_bytes,
                       lane.step_bytes, lane.low_bytes, lane.shift, 1U << lane.packed_log2,
                       lane.first_sample);
}

}  // namespace glint::test
