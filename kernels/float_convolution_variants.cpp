// The variants of filters of float coefficients. Those on floats are for comparisons: no camera has
// such samples.
#include <array>

#include "kernels/kernel_sources.hpp"
#include "kernels/variants.hpp"

namespace glint::kernels {

namespace {

constexpr std::array<int32_t, 1> one{1};
constexpr std::array<int32_t, 1> two{2};
constexpr std::array<int32_t, 1> four{4};
constexpr std::array<int32_t, 5> rows{4, 8, 16, 32, 64};
constexpr std::array<int32_t, 6> local_x{1, 8, 16, 32, 64, 128};
constexpr std::array<int32_t, 4> local_y{1, 2, 4, 8};
constexpr std::array<int32_t, 5> tile_y{1, 2, 4, 8, 16};

constexpr std::array rows_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
constexpr std::array march_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 8, rows},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 4, local_y},
};
constexpr std::array one_pixel_tunables{
    Tunable{"COLUMNS", 1, one},
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

constexpr std::array variants{
    Variant{
        .op = Operator::convolution_float,
        .set = Set::ep,
        .name = "float_rows",
        .source = ep_float_rows,
        .needs = {},
        .tunables = rows_tunables,
        .summary = "float4 arithmetic on bytes, 4 columns marching down",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::ep,
        .name = "float_rows_floats",
        .source = ep_float_rows,
        .needs = {},
        .tunables = rows_tunables,
        .float_samples = true,
        .summary = "float_rows on floats",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "march_float",
        .source = fp_march_float,
        .needs = {.full_profile = true},
        .tunables = march_tunables,
        .summary = "on bytes, 4 columns marching down, two rows loaded ahead",
    },
    Variant{
        .op = Operator::convolution_float,
        .set = Set::fp,
        .name = "march_float_floats",
        .source = fp_march_float,
        .needs = {.full_profile = true},
        .tunables = march_tunables,
        .float_samples = true,
        .summary = "march_float on floats",
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

}  // namespace

std::span<const Variant> float_convolution_variants() {
    return variants;
}

}  // namespace glint::kernels
