// The variants of filters of float coefficients. Those on floats are for comparisons: no camera has
// such samples. Part of catalogue.cpp.
#pragma once

#include <array>

#include "kernels/filter_tunables.hpp"
#include "kernels/kernel_sources.hpp"

namespace glint::kernels {

inline constexpr std::array float_rows_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array march_floats_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 8, march_rows},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 4, local_y},
};

inline constexpr std::array float_convolution_variants{
    Variant{
        .op = Operator::convolution_float,
        .set = Set::ep,
        .name = "float_rows",
        .source = ep_float_rows,
        .needs = {},
        .tunables = float_rows_tunables,
        .summary = "float4 arithmetic on bytes, 4 columns marching down",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::ep,
        .name = "float_rows_floats",
        .source = ep_float_rows,
        .needs = {},
        .tunables = float_rows_tunables,
        .float_samples = true,
        .summary = "float_rows on floats",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "march_float",
        .source = fp_march_float,
        .needs = {.full_profile = true},
        .tunables = eight_columns_fp_tunables,
        .summary = "on bytes, 8 columns marching down",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "march_float_floats",
        .source = fp_march_float_floats,
        .needs = {.full_profile = true},
        .tunables = march_floats_tunables,
        .float_samples = true,
        .summary = "on floats, 4 columns marching down",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "register_tile_floats",
        .source = fp_register_tile,
        .needs = {.full_profile = true},
        .tunables = two_by_two_tunables,
        .float_samples = true,
        .baseline = true,
        .summary = "2x2 pixels per work-item",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "local_tile_floats",
        .source = fp_local_tile,
        .needs = {.full_profile = true, .local_bytes_per_copy = 20 * 20 * 4},
        .tunables = one_pixel_tunables,
        .float_samples = true,
        .baseline = true,
        .summary = "a 16x16 tile in local memory",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "unrolled_floats",
        .source = fp_unrolled,
        .needs = {.full_profile = true},
        .tunables = one_pixel_tunables,
        .float_samples = true,
        .baseline = true,
        .summary = "naive_floats with every tap written out",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "naive_floats",
        .source = fp_naive,
        .needs = {.full_profile = true},
        .tunables = one_pixel_tunables,
        .float_samples = true,
        .baseline = true,
        .summary = "one pixel per work-item, every sample from memory",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "from_image_floats",
        .source = fp_from_image,
        .needs = {.full_profile = true, .image = true},
        .tunables = one_pixel_tunables,
        .float_samples = true,
        .baseline = true,
        .summary = "naive_floats from an image",
    },
};

}  // namespace glint::kernels
