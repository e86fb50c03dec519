// The convolution variants of the catalogue.
#include <array>

#include "kernels/kernel_sources.hpp"
#include "kernels/variants.hpp"

namespace glint::kernels {

namespace {

// What the tuner tries. The default of each tunable is in its list.
constexpr std::array<int32_t, 1> one{1};
constexpr std::array<int32_t, 1> two{2};
constexpr std::array<int32_t, 1> four{4};
constexpr std::array<int32_t, 1> sixteen{16};
constexpr std::array<int32_t, 1> thirty_two{32};
constexpr std::array<int32_t, 1> sixty_four{64};
constexpr std::array<int32_t, 5> rows{4, 8, 16, 32, 64};
constexpr std::array<int32_t, 6> local_x{1, 8, 16, 32, 64, 128};
constexpr std::array<int32_t, 4> local_y{1, 2, 4, 8};
constexpr std::array<int32_t, 5> tile_y{1, 2, 4, 8, 16};

constexpr std::array four_columns_ep_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
constexpr std::array four_columns_fp_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 4, local_y},
};
constexpr std::array sixteen_columns_tunables{
    Tunable{"COLUMNS", 16, sixteen},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 16, local_x, 64},
    Tunable{"LOCAL_Y", 1, local_y},
};

constexpr std::array thirty_two_columns_tunables{
    Tunable{"COLUMNS", 32, thirty_two},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 64, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};

constexpr std::array one_pixel_tunables{
    Tunable{"COLUMNS", 1, one},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 16, tile_y},
};
constexpr std::array wide_tile_tunables{
    Tunable{"COLUMNS", 1, one},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 8, tile_y},
};
constexpr std::array four_pixels_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 16, tile_y},
};
constexpr std::array two_by_two_tunables{
    Tunable{"COLUMNS", 2, two},
    Tunable{"ROWS", 2, two},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 16, tile_y},
};
constexpr std::array four_rows_tunables{
    Tunable{"COLUMNS", 1, one},
    Tunable{"ROWS", 4, four},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 8, tile_y},
};
constexpr std::array row_of_four_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
constexpr std::array two_passes_ep_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 4, four},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
constexpr std::array two_passes_fp_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 4, four},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 4, local_y},
};
constexpr std::array wide_separable_tunables{
    Tunable{"COLUMNS", 64, sixty_four},
    Tunable{"ROWS", 64, rows},
    Tunable{"LOCAL_X", 1, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
constexpr std::array wide_any_tunables{
    Tunable{"COLUMNS", 16, sixteen},
    Tunable{"ROWS", 4, four},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};

constexpr std::array variants{
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "binomial_rows",
        .source = ep_binomial_rows,
        .needs = {.binomial_only = true},
        .tunables = sixteen_columns_tunables,
        .summary = "separable, two 16-bit sums per register, 16 columns marching down",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "float4_rows",
        .source = ep_float4_rows,
        .needs = {.sums_exact_in_float = true},
        .tunables = four_columns_ep_tunables,
        .summary = "float4 arithmetic on sums that a float holds exactly, 4 columns marching down",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "int_rows",
        .source = ep_int_rows,
        .needs = {},
        .tunables = four_columns_ep_tunables,
        .summary = "any coefficients in 32-bit integers, 4 columns marching down",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "wide_binomial",
        .source = ep_wide_binomial,
        .needs = {.binomial_only = true, .cpu_device = true},
        .tunables = thirty_two_columns_tunables,
        .summary = "for CPUs: binomial_rows with 32 columns per work-item",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "wide_rows",
        .source = ep_wide_rows,
        .needs = {.cpu_device = true},
        .tunables = sixteen_columns_tunables,
        .summary = "for CPUs: any coefficients in 32-bit integers, 16 columns marching down",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "wide_separable",
        .source = ep_wide_separable,
        .needs = {.sums_exact_in_float = true,
                  .any_size = true,
                  .separable_only = true,
                  .cpu_device = true},
        .tunables = wide_separable_tunables,
        .summary = "for CPUs: sums of outer products in floats, 64 columns marching down",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "wide_any",
        .source = ep_wide_any,
        .needs = {.sums_exact_in_float = true, .any_size = true, .cpu_device = true},
        .tunables = wide_any_tunables,
        .summary = "for CPUs: any size in floats, 16 columns and 4 rows",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "separable_float",
        .source = ep_separable_float,
        .needs = {.sums_exact_in_float = true, .any_size = true, .separable_only = true},
        .tunables = two_passes_ep_tunables,
        .two_passes = true,
        .summary = "sums of outer products in two passes of float4 arithmetic",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "separable",
        .source = ep_separable,
        .needs = {.any_size = true, .separable_only = true},
        .tunables = two_passes_ep_tunables,
        .two_passes = true,
        .summary = "sums of outer products in two passes of 32-bit integers",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::ep,
        .name = "any_size",
        .source = ep_any_size,
        .needs = {.any_size = true},
        .tunables = row_of_four_tunables,
        .summary = "any size and coefficients in 32-bit integers, 4 columns",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "march_binomial",
        .source = fp_march_binomial,
        .needs = {.full_profile = true, .binomial_only = true},
        .tunables = four_columns_fp_tunables,
        .summary = "separable, two 16-bit sums per register, 4 columns marching down",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "march_rows",
        .source = fp_march_rows,
        .needs = {.full_profile = true},
        .tunables = four_columns_fp_tunables,
        .summary = "any coefficients in 32-bit integers, 4 columns marching down, word loads",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "separable_narrow",
        .source = fp_separable_narrow,
        .needs = {.full_profile = true,
                  .any_size = true,
                  .separable_only = true,
                  .narrow_row_sums = true},
        .tunables = two_passes_fp_tunables,
        .two_passes = true,
        .summary = "sums of outer products in two passes, 16 bits between them",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "separable_tile",
        .source = fp_separable_tile,
        .needs = {.full_profile = true,
                  .local_bytes_per_copy = 62 * 62 + 62 * 32 * 4,
                  .real_local_memory = true,
                  .any_size = true,
                  .separable_only = true},
        .tunables = four_rows_tunables,
        .summary = "sums of outer products in one pass, by way of local memory",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "tiled_any",
        .source = fp_tiled_any,
        .needs = {.full_profile = true,
                  .local_bytes_per_copy = 62 * 62,
                  .real_local_memory = true,
                  .any_size = true},
        .tunables = four_rows_tunables,
        .summary = "any size from a tile in local memory, 4 rows per work-item",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "register_tile",
        .source = fp_register_tile,
        .needs = {.full_profile = true},
        .tunables = two_by_two_tunables,
        .baseline = true,
        .summary = "2x2 pixels per work-item",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "four_columns",
        .source = fp_four_columns,
        .needs = {.full_profile = true, .local_bytes_per_copy = 68 * 20},
        .tunables = four_pixels_tunables,
        .baseline = true,
        .summary = "4 neighbouring pixels per work-item from a tile in local memory",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "wide_tile",
        .source = fp_wide_tile,
        .needs = {.full_profile = true, .local_bytes_per_copy = 36 * 12},
        .tunables = wide_tile_tunables,
        .baseline = true,
        .summary = "a 32x8 tile in local memory",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "local_tile",
        .source = fp_local_tile,
        .needs = {.full_profile = true, .local_bytes_per_copy = 20 * 20},
        .tunables = one_pixel_tunables,
        .baseline = true,
        .summary = "a 16x16 tile in local memory",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "unrolled",
        .source = fp_unrolled,
        .needs = {.full_profile = true},
        .tunables = one_pixel_tunables,
        .baseline = true,
        .summary = "naive with every tap written out",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "naive",
        .source = fp_naive,
        .needs = {.full_profile = true},
        .tunables = one_pixel_tunables,
        .baseline = true,
        .summary = "one pixel per work-item, every sample from memory",
    },
    Variant{
        .op = Operator::convolution,
        .set = Set::fp,
        .name = "from_image",
        .source = fp_from_image,
        .needs = {.full_profile = true, .image = true},
        .tunables = one_pixel_tunables,
        .baseline = true,
        .summary = "naive from an image",
    },
};

}  // namespace

std::span<const Variant> convolution_variants() {
    return variants;
}

}  // namespace glint::kernels
