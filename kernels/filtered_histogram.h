/* What every kernel is given that counts a filtered lane without keeping it. The lane is cut into
   tiles of four columns and ROWS rows, which the work-items take in turn. */
#include "convolution.h"

#define BINS 256

#define FILTERED_ARGUMENTS                                                                   \
    LANE_ARGUMENTS, __constant int* coefficients, uint filter_shift, uint border, uint border_value

/* Columns and rows of tiles. */
#define TILE_COLUMNS ((width + 3u) / 4u)
#define TILE_ROWS ((height + (uint)ROWS - 1u) / (uint)ROWS)

/* The second kernel of variants whose work-items leave partial histograms. */
#define FILTERED_HISTOGRAM_REDUCE                                                             \
    __kernel void filtered_histogram_reduce(__global const uint* partials, uint items,        \
                                            __global uint* bins)                              \
    {                                                                                         \
        uint bin = (uint)get_global_id(0);                                                    \
        uint sum = 0u;                                                                        \
        uint item;                                                                            \
        for (item = 0u; item < items; ++item) sum += partials[item * (uint)BINS + bin];       \
        bins[bin] = sum;                                                                      \
    }
