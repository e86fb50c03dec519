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
    int4 a0 = 0;
    int4 a1 = 0;
    int4 left;
    int4 right;
    int4 s0;
    int4 s1;
    int4 s2;
    int4 sum;
#if RADIUS == 2
    int4 a2 = 0;
    int4 a3 = 0;
    int4 s3;
    int4 s4;
#endif

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
#if RADIUS == 2
        sum = a3 + coefficients[20] * s0 + coefficients[21] * s1 + coefficients[22] * s2 +
            coefficients[23] * s3 + coefficients[24] * s4;
        a3 = a2 + coefficients[15] * s0 + coefficients[16] * s1 + coefficients[17] * s2 +
            coefficients[18] * s3 + coefficients[19] * s4;
        a2 = a1 + coefficients[10] * s0 + coefficients[11] * s1 + coefficients[12] * s2 +
            coefficients[13] * s3 + coefficients[14] * s4;
        a1 = a0 + coefficients[5] * s0 + coefficients[6] * s1 + coefficients[7] * s2 +
            coefficients[8] * s3 + coefficients[9] * s4;
        a0 = coefficients[0] * s0 + coefficients[1] * s1 + coefficients[2] * s2 +
            coefficients[3] * s3 + coefficients[4] * s4;
#else
        sum = a1 + coefficients[6] * s0 + coefficients[7] * s1 + coefficients[8] * s2;
        a1 = a0 + coefficients[3] * s0 + coefficients[4] * s1 + coefficients[5] * s2;
        a0 = coefficients[0] * s0 + coefficients[1] * s1 + coefficients[2] * s2;
#endif
        if (row >= RADIUS) {
            /* Negative sums end at 0 whichever way they are rounded. */
            int4 four = min(max(sum, 0) >> divide, 255);
            uint result = (uint)four.x | (uint)four.y << 8 | (uint)four.z << 16 | (uint)four.w << 24;
            STORE_WORD(result, x, y + row - RADIUS)
        }
    }
}
