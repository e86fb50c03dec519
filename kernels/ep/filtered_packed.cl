// Histogram of a filtered lane in one pass: the filter of int_rows, and counters of every work-item
// of its own, two of 16 bits in a register. Before a counter could overflow the work-item adds them
// to its partial histogram in memory and starts again. No atomics, no shared memory.
#include "filtered_histogram.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* rows of a tile */
#endif

/* As many as a counter of 16 bits can stand. */
#define TILES_AT_ONCE (65535u / (4u * (uint)ROWS))

#define TAKE(value)                                    \
    {                                                  \
        uint bin_ = value;                             \
        counts[bin_ >> 1] += 1u << (bin_ & 1u) * 16u;  \
    }

__kernel void filtered_histogram(__global const uchar* frame, FILTERED_ARGUMENTS,
                                 __global uint* partials)
{
    uint counts[BINS / 2]; /* of bins 2 i in the lower halves, 2 i + 1 in the upper */
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint columns = TILE_COLUMNS;
    uint tiles = columns * TILE_ROWS;
    uint partial = (uint)get_global_id(0) * (uint)BINS;
    uint tile = (uint)get_global_id(0);
    uint turn;
    uint i;

    for (i = 0u; i < (uint)BINS; ++i) {
        counts[i >> 1] = 0u;
        partials[partial + i] = 0u;
    }
    while (tile < tiles) {
        for (turn = 0u; turn < TILES_AT_ONCE && tile < tiles; ++turn) {
            int x = (int)(tile % columns) * 4;
            int y = (int)(tile / columns) * ROWS;
#include "filter_rows.h"
            tile += (uint)get_global_size(0);
        }
        for (i = 0u; i < (uint)BINS; ++i) {
            partials[partial + i] += counts[i >> 1] & 0xffffu;
            counts[i >> 1] >>= 16;
        }
    }
}

FILTERED_HISTOGRAM_REDUCE
