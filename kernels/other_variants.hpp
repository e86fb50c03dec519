// The catalogue's entries for every operator but histogram and convolution; included by
// catalogue.cpp alone.
#pragma once

#include <array>

#include "kernels/catalogue.hpp"
#include "kernels/kernel_sources.hpp"

namespace glint::kernels::others {

inline constexpr std::array<int32_t, 1> four{4};
inline constexpr std::array<int32_t, 1> eight{8};
inline constexpr std::array<int32_t, 1> sixteen{16};
inline constexpr std::array<int32_t, 5> few_rows{1, 2, 4, 8, 16};
inline constexpr std::array<int32_t, 5> rows{4, 8, 16, 32, 64};
inline constexpr std::array<int32_t, 5> many_rows{16, 32, 64, 128, 256};
inline constexpr std::array<int32_t, 3> rows_of_group{1, 2, 4};
inline constexpr std::array<int32_t, 6> local_x{1, 8, 16, 32, 64, 128};
inline constexpr std::array<int32_t, 4> local_y{1, 2, 4, 8};
inline constexpr std::array<int32_t, 2> local_x_of_group{8, 16};
inline constexpr std::array<int32_t, 3> local_y_of_group{1, 2, 4};
inline constexpr std::array<int32_t, 5> local_small{1, 8, 16, 32, 64};
inline constexpr std::array<int32_t, 5> local_large{16, 32, 64, 128, 256};
inline constexpr std::array<int32_t, 6> items_private{4, 16, 64, 128, 256, 512};
inline constexpr std::array<int32_t, 4> items_shared{256, 512, 1024, 2048};
inline constexpr std::array<int32_t, 5> copies_local{1, 2, 4, 8, 16};

inline constexpr std::array point_tunables{
    Tunable{"COLUMNS", 16, sixteen},
    Tunable{"ROWS", 4, few_rows, 16},
    Tunable{"LOCAL_X", 16, local_x, 64},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array downscale_tunables{
    Tunable{"COLUMNS", 8, eight},
    Tunable{"ROWS", 4, few_rows, 16},
    Tunable{"LOCAL_X", 16, local_x, 64},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array planar_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 4, few_rows, 16},
    Tunable{"LOCAL_X", 16, local_x, 64},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array sobel_tunables{
    Tunable{"COLUMNS", 16, sixteen},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 16, local_x, 64},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array sharpness_tunables{
    Tunable{"COLUMNS", 16, sixteen},
    Tunable{"ROWS", 32, many_rows},
    Tunable{"LOCAL_X", 16, local_x, 64},
    Tunable{"LOCAL_Y", 1, local_y},
};
/// All at their largest are the 4096 samples that a group may add up.
inline constexpr std::array sharpness_group_tunables{
    Tunable{"COLUMNS", 16, sixteen},
    Tunable{"ROWS", 4, rows_of_group},
    Tunable{"LOCAL_X", 16, local_x_of_group},
    Tunable{"LOCAL_Y", 4, local_y_of_group},
};
inline constexpr std::array filtered_item_tunables{
    Tunable{"LOCAL", 16, local_small, 1},
    Tunable{"ITEMS_PER_UNIT", 128, items_private, 16},
    Tunable{"ROWS", 16, rows},
};
inline constexpr std::array filtered_group_tunables{
    Tunable{"LOCAL", 256, local_large},
    Tunable{"ITEMS_PER_UNIT", 1024, items_shared},
    Tunable{"COPIES", 16, copies_local},
    Tunable{"ROWS", 16, rows},
};

inline constexpr std::array variants{
    Variant{
        .op = Operator::lookup,
        .set = Set::ep,
        .name = "lookup_words",
        .source = ep_lookup_words,
        .needs = {},
        .tunables = point_tunables,
        .summary = "16 bytes at a time through a table in memory",
    },
    Variant{
        .op = Operator::sobel,
        .set = Set::ep,
        .name = "sobel_pairs",
        .source = ep_sobel_pairs,
        .needs = {},
        .tunables = sobel_tunables,
        .summary = "two 16-bit numbers per register, 16 columns marching down",
    },
    Variant{
        .op = Operator::sobel,
        .set = Set::fp,
        .name = "march_sobel",
        .source = fp_march_sobel,
        .needs = {.full_profile = true, .gpu_device = true},
        .tunables = eight_columns_fp_tunables,
        .summary = "two 16-bit numbers per register, 8 columns marching down, word loads",
    },
    Variant{
        .op = Operator::downscale,
        .set = Set::ep,
        .name = "downscale_pairs",
        .source = ep_downscale_pairs,
        .needs = {},
        .tunables = downscale_tunables,
        .summary = "two 16-bit sums per register, 8 columns of the output",
    },
    Variant{
        .op = Operator::normalise,
        .set = Set::ep,
        .name = "normalise_words",
        .source = ep_normalise_words,
        .needs = {},
        .tunables = point_tunables,
        .summary = "threshold, mean and scale in one pass, 16 bytes at a time",
    },
    Variant{
        .op = Operator::planar,
        .set = Set::ep,
        .name = "planar_words",
        .source = ep_planar_words,
        .needs = {},
        .tunables = planar_tunables,
        .summary = "four pixels as whole words, a word for each plane",
    },
    Variant{
        .op = Operator::sharpness,
        .set = Set::ep,
        .name = "sharpness_pairs",
        .source = ep_sharpness_pairs,
        .needs = {},
        .tunables = sharpness_tunables,
        .partials = Partials::per_item,
        .summary = "16 columns marching down, a sum per work-item, no atomics",
    },
    Variant{
        .op = Operator::sharpness,
        .set = Set::fp,
        .name = "sharpness_groups",
        .source = fp_sharpness_groups,
        .needs = {.full_profile = true,
                  .local_bytes_per_copy = 16 * 4 * 4,
                  .real_local_memory = true},
        .tunables = sharpness_group_tunables,
        .partials = Partials::per_group,
        .summary = "sharpness_pairs with the sums of a group added up in local memory",
    },
    Variant{
        .op = Operator::filtered_histogram,
        .set = Set::ep,
        .name = "filtered_packed",
        .source = ep_filtered_packed,
        .needs = {},
        .tunables = filtered_item_tunables,
        .partials = Partials::per_item,
        .summary = "the filter of int_rows into 16-bit private counters, two per register",
    },
    Variant{
        .op = Operator::filtered_histogram,
        .set = Set::ep,
        .name = "filtered_global",
        .source = ep_filtered_global,
        .needs = {},
        .tunables = filtered_item_tunables,
        .partials = Partials::per_item,
        .summary = "the filter of int_rows, counted in memory",
    },
    Variant{
        .op = Operator::filtered_histogram,
        .set = Set::fp,
        .name = "filtered_local",
        .source = fp_filtered_local,
        .needs = {.full_profile = true,
                  .local_atomics = true,
                  .global_atomics = true,
                  .local_bytes_per_copy = 256 * 4,
                  .real_local_memory = true},
        .tunables = filtered_group_tunables,
        .summary = "the filter of march_rows into local tables with local atomics",
    },
};

}  // namespace glint::kernels::others
