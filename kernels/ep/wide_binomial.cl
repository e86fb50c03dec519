// Binomial filter only: [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256. The method of
// binomial_rows with 32 columns per work-item, for CPUs: two 16-bit sums share each 32-bit part of
// a uint8, which fills the widest registers there, and a work-item reads and writes more of each
// cache line. Legal on any device, but small GPUs lack the registers.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 32 /* output rows per work-item */
#endif

#include "binomial.h"
#include "wide_window.h"

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 32;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint gather;
    uint window[10];
    int row;
    uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
    uint8 here;  /* samples x to x + 31 */
    uint after;  /* samples x + 32 to x + 35 */
    DECLARE_PAIRS(uint8)

    if (x > last_x || y > last_y) return;
    gather = MUST_GATHER;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        LOAD_WIDE
        ADD_ROW
        if (row >= RADIUS) STORE_WIDE(result, y + row - RADIUS)
    }
}
