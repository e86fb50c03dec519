// Histogram of a filtered lane in one pass: the filter of march_rows, and COPIES local tables per
// work-group, interleaved as in local_copies so that neighbours meet no common counter. Each group
// adds its table to the bins, which start at zero, with global atomics.
#include "filtered_histogram.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* rows of a tile */
#endif
#ifndef COPIES
#define COPIES 16 /* a power of two; 1 KiB of local memory each */
#endif

#define TAKE(bin) atomic_inc(&own[(bin) * (uint)COPIES]);

__kernel void filtered_histogram(__global const uchar* frame, FILTERED_ARGUMENTS,
                                 __global uint* bins)
{
    __local uint counts[BINS * COPIES];
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    __local uint* own = counts + (item & (uint)(COPIES - 1));
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint columns = TILE_COLUMNS;
    uint tiles = columns * TILE_ROWS;
    uint tile;
    uint i;

    for (i = item; i < (uint)(BINS * COPIES); i += items) counts[i] = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (tile = (uint)get_global_id(0); tile < tiles; tile += (uint)get_global_size(0)) {
        int x = (int)(tile % columns) * 4;
        int y = (int)(tile / columns) * ROWS;
#include "filter_rows.h"
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (i = item; i < (uint)BINS; i += items) {
        uint sum = 0u;
        uint k;
        for (k = 0u; k < (uint)COPIES; ++k) sum += counts[i * COPIES + ((i + k) & (uint)(COPIES - 1))];
        if (sum != 0u) atomic_add(&bins[i], sum);
    }
}
