// Histogram of a filtered lane in one pass: the filter of int_rows, counted straight into the
// work-item's own partial histogram in memory, for compilers without room for private counters. No
// atomics, no shared memory.
#include "filtered_histogram.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* rows of a tile */
#endif

#define TAKE(bin) partials[partial + (bin)] += 1u;

__kernel void filtered_histogram(__global const uchar* frame, FILTERED_ARGUMENTS,
                                 __global uint* partials)
{
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint columns = TILE_COLUMNS;
    uint tiles = columns * TILE_ROWS;
    uint partial = (uint)get_global_id(0) * (uint)BINS;
    uint tile;

    for (tile = 0u; tile < (uint)BINS; ++tile) partials[partial + tile] = 0u;
    for (tile = (uint)get_global_id(0); tile < tiles; tile += (uint)get_global_size(0)) {
        int x = (int)(tile % columns) * 4;
        int y = (int)(tile / columns) * ROWS;
#include "filter_rows.h"
    }
}

FILTERED_HISTOGRAM_REDUCE
