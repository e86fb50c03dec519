#include "kernels/catalogue.hpp"

#include <algorithm>
#include <array>

#include "kernels/convolution_variants.hpp"
#include "kernels/float_convolution_variants.hpp"
#include "kernels/kernel_sources.hpp"
#include "kernels/other_variants.hpp"

namespace glint::kernels {

namespace {

// What the tuner tries. The default of each tunable is in its list.
constexpr std::array<int32_t, 2> histogram_copies_private{4, 8};
constexpr std::array<int32_t, 6> histogram_copies_local{1, 2, 4, 8, 16, 32};
constexpr std::array<int32_t, 5> local_small{1, 8, 16, 32, 64};
constexpr std::array<int32_t, 7> local_large{16, 32, 64, 128, 256, 512, 1024};
constexpr std::array<int32_t, 7> items_private{1, 2, 4, 8, 16, 64, 256};
constexpr std::array<int32_t, 4> items_shared{256, 512, 1024, 2048};
constexpr std::array<int32_t, 1> reduce_global_flat{256};
constexpr std::array<int32_t, 4> reduce_local_flat{16, 32, 64, 256};

constexpr std::array private_counters_tunables{
    Tunable{"LOCAL", 16, local_small, 1},
    Tunable{"ITEMS_PER_UNIT", 64, items_private, 4},
    Tunable{"COPIES", 4, histogram_copies_private, 8},
    Tunable{"REDUCE_GLOBAL", 256, reduce_global_flat},
    Tunable{"REDUCE_LOCAL", 16, reduce_local_flat},
};
constexpr std::array partial_per_item_tunables{
    Tunable{"LOCAL", 16, local_small},
    Tunable{"ITEMS_PER_UNIT", 64, items_private},
    Tunable{"REDUCE_GLOBAL", 256, reduce_global_flat},
    Tunable{"REDUCE_LOCAL", 16, reduce_local_flat},
};
constexpr std::array one_table_tunables{
    Tunable{"LOCAL", 256, local_large},
    Tunable{"ITEMS_PER_UNIT", 1024, items_shared},
};
constexpr std::array group_partials_tunables{
    Tunable{"LOCAL", 256, local_large},
    Tunable{"ITEMS_PER_UNIT", 1024, items_shared},
    Tunable{"REDUCE_GLOBAL", 256, reduce_global_flat},
    Tunable{"REDUCE_LOCAL", 16, reduce_local_flat},
};
constexpr std::array local_copies_tunables{
    Tunable{"LOCAL", 256, local_large},
    Tunable{"ITEMS_PER_UNIT", 256, items_shared},
    Tunable{"COPIES", 32, histogram_copies_local},
};
constexpr std::array histogram_variants{
    Variant{
        .op = Operator::histogram,
        .set = Set::ep,
        .name = "private_counters",
        .source = ep_private_counters,
        .needs = {.cpu_device = true},
        .tunables = private_counters_tunables,
        .partials = Partials::per_item,
        .summary = "for CPUs: several tables of private counters per work-item, 16-byte loads",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::ep,
        .name = "packed_counters",
        .source = ep_packed_counters,
        .needs = {},
        .tunables = partial_per_item_tunables,
        .partials = Partials::per_item,
        .summary = "16-bit private counters, two per register, 16-byte loads, no atomics",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::ep,
        .name = "global_counters",
        .source = ep_global_counters,
        .needs = {},
        .tunables = partial_per_item_tunables,
        .partials = Partials::per_item,
        .summary = "counts in global memory, for compilers without room for private counters",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "local_copies",
        .source = fp_local_copies,
        .needs = {.full_profile = true,
                  .local_atomics = true,
                  .global_atomics = true,
                  .local_bytes_per_copy = 256 * 4,
                  .real_local_memory = true},
        .tunables = local_copies_tunables,
        .summary = "local tables interleaved over the memory banks, local atomics, 16-byte loads",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "tile_4x4",
        .source = fp_tile_4x4,
        .needs = {.full_profile = true,
                  .local_atomics = true,
                  .global_atomics = true,
                  .local_bytes_per_copy = 256 * 4},
        .tunables = one_table_tunables,
        .baseline = true,
        .summary = "a 4x4 tile of samples per work-item at a time, one local table",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "four_pixels",
        .source = fp_four_pixels,
        .needs = {.full_profile = true,
                  .local_atomics = true,
                  .global_atomics = true,
                  .local_bytes_per_copy = 256 * 4},
        .tunables = one_table_tunables,
        .baseline = true,
        .summary = "four neighbouring samples per work-item at a time, one local table",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "local_bins",
        .source = fp_local_bins,
        .needs = {.full_profile = true,
                  .local_atomics = true,
                  .global_atomics = true,
                  .local_bytes_per_copy = 256 * 4},
        .tunables = one_table_tunables,
        .baseline = true,
        .summary = "one local table per work-group, one sample at a time",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "local_bins_image",
        .source = fp_local_bins_image,
        .needs = {.full_profile = true,
                  .local_atomics = true,
                  .global_atomics = true,
                  .local_bytes_per_copy = 256 * 4,
                  .image = true},
        .tunables = one_table_tunables,
        .baseline = true,
        .summary = "local_bins from an image",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "group_partials",
        .source = fp_group_partials,
        .needs = {.full_profile = true, .local_atomics = true, .local_bytes_per_copy = 256 * 4},
        .tunables = group_partials_tunables,
        .partials = Partials::per_group,
        .baseline = true,
        .summary = "one local table per work-group, added up by a second kernel",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "striped_buffer",
        .source = fp_striped_buffer,
        .needs = {.full_profile = true, .local_atomics = true, .local_bytes_per_copy = 256 * 4},
        .tunables = group_partials_tunables,
        .partials = Partials::per_group,
        .baseline = true,
        .summary = "group_partials with a strip of rows per work-group",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "striped_image",
        .source = fp_striped_image,
        .needs = {.full_profile = true,
                  .local_atomics = true,
                  .local_bytes_per_copy = 256 * 4,
                  .image = true},
        .tunables = group_partials_tunables,
        .partials = Partials::per_group,
        .baseline = true,
        .summary = "striped_buffer from an image",
    },
    Variant{
        .op = Operator::histogram,
        .set = Set::fp,
        .name = "global_atomics",
        .source = fp_global_atomics,
        .needs = {.full_profile = true, .global_atomics = true},
        .tunables = one_table_tunables,
        .baseline = true,
        .summary = "an atomic addition in global memory per sample",
    },
};

template <size_t... sizes>
constexpr auto joined(const std::array<Variant, sizes>&... lists) {
    std::array<Variant, (sizes + ...)> all{};
    auto end = all.begin();
    ((end = std::ranges::copy(lists, end).out), ...);
    return all;
}

constexpr std::array all_variants =
    joined(histogram_variants, convolution_variants, float_convolution_variants, others::variants);

}  // namespace

std::string_view name_of(Operator op) {
    switch (op) {
        case Operator::histogram:
            return "histogram";
        case Operator::convolution:
            return "convolution";
        case Operator::convolution_float:
            return "convolution_float";
        case Operator::lookup:
            return "lookup";
        case Operator::sobel:
            return "sobel";
        case Operator::downscale:
            return "downscale";
        case Operator::normalise:
            return "normalise";
        case Operator::planar:
            return "planar";
        case Operator::sharpness:
            return "sharpness";
        case Operator::filtered_histogram:
            return "filtered_histogram";
    }
    return "";
}

std::string_view name_of(Set set) {
    switch (set) {
        case Set::ep:
            return "ep";
        case Set::fp:
            return "fp";
    }
    return "";
}

std::span<const Variant> catalogue() {
    return all_variants;
}

const Variant* find(Operator op, std::string_view name) {
    for (const Variant& variant : catalogue()) {
        if (variant.op == op && variant.name == name) return &variant;
    }
    return nullptr;
}

}  // namespace glint::kernels
