// Binomial filter only: [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256. The arithmetic of
// binomial_rows for CPUs: two 16-bit sums share each 32-bit part of a uint8, which fills the widest
// registers there. Legal on any device, but small GPUs lack the registers.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif

#include "binomial.h"
#include "wide_window.h"

#if RADIUS == 2
#define LOAD_PAIRS           \
    even0 = evens[r0 + at];  \
    odd0 = odds[r0 + at];    \
    even1 = evens[r1 + at];  \
    odd1 = odds[r1 + at];    \
    even2 = evens[r2 + at];  \
    odd2 = odds[r2 + at];    \
    even3 = evens[r3 + at];  \
    odd3 = odds[r3 + at];
#else
#define LOAD_PAIRS           \
    even0 = evens[r0 + at];  \
    odd0 = odds[r0 + at];    \
    even1 = evens[r1 + at];  \
    odd1 = odds[r1 + at];
#endif

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int first_x = (int)get_global_id(0) * COLUMNS;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int end_x = min(first_x + COLUMNS, (int)width);
    uint window[10];
    uint8 evens[2 * RADIUS * STEP]; /* rows, filtered across */
    uint8 odds[2 * RADIUS * STEP];
    DECLARE_ROWS
    int row;
    int x;

    if (first_x > last_x || y > last_y) return;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        for (x = first_x; x < end_x; x += 32) {
            int at = (x - first_x) / 32;
            uint gather = MUST_GATHER;
            uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
            uint8 here;  /* samples x to x + 31 */
            uint after;  /* samples x + 32 to x + 35 */
            DECLARE_PAIRS(uint8)
            LOAD_WIDE
            if (row >= RADIUS) {
                LOAD_PAIRS
            }
            ADD_ROW
            evens[r0 + at] = even;
            odds[r0 + at] = odd;
            if (row >= RADIUS) STORE_WIDE(result, y + row - RADIUS)
        }
        NEXT_ROW
    }
}
