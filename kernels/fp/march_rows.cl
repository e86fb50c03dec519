// Filter of any int16 coefficients: four columns and ROWS rows per work-item. The item marches down
// and keeps the sums of the rows to come in registers, so that a sample is loaded once per column
// of items, in whole words, side by side with its neighbours'; no local memory, no barrier. Suits
// GPUs with many registers and a cache between neighbouring items.
#include "convolution.h"
#include "march.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

#define TAP(k) coefficients[k]
#include "weigh.h"

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint whole = IS_WHOLE_WORDS(4);
    int row;
    uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
    uint here;   /* samples x to x + 3 */
    uint after;  /* samples x + 4 to x + 7 */
    uint divide = min(filter_shift, 31u);
    DECLARE_SUMS(int4)
    int4 left;
    int4 right;

    if (x > last_x || y > last_y) return;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        if (whole) {
            LOAD_FOUR_WHOLE
        } else {
            LOAD_FOUR
        }
        s0 = (int4)((int)(here & 255u), (int)(here >> 8 & 255u), (int)(here >> 16 & 255u),
                    (int)(here >> 24));
        left = (int4)(0, 0, (int)(before >> 16 & 255u), (int)(before >> 24));
        right = (int4)((int)(after & 255u), (int)(after >> 8 & 255u), 0, 0);
#if RADIUS == 2
        s2 = s0;
        s0 = (int4)(left.z, left.w, s2.x, s2.y);
        s1 = (int4)(left.w, s2.x, s2.y, s2.z);
        s3 = (int4)(s2.y, s2.z, s2.w, right.x);
        s4 = (int4)(s2.z, s2.w, right.x, right.y);
#else
        s1 = s0;
        s0 = (int4)(left.w, s1.x, s1.y, s1.z);
        s2 = (int4)(s1.y, s1.z, s1.w, right.x);
#endif
        WEIGH_ROW
        if (row >= RADIUS) {
            /* Negative sums end at 0 whichever way they are rounded. */
            int4 four = min(max(sum, (int4)(0)) >> divide, (int4)(255));
            uint result = (uint)four.x | (uint)four.y << 8 | (uint)four.z << 16 | (uint)four.w << 24;
            STORE_WORD(result, x, y + row - RADIUS)
        }
    }
}
