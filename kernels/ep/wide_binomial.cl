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
    /* Whole words are loaded where all their bytes are samples of the lane; elsewhere sample by
       sample, with what lies beyond the border. */
    gather = !LANE_IS_BYTES || x < 4 || x + 35 > last_x;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        if (gather || made_up) {
            int i;
            uint word = 0u;
            for (i = -4; i < 36; ++i) {
                uint sample;
                GATHER(sample, x + i)
                word = word >> 8 | sample << 24;
                window[(i + 4) >> 2] = word; /* whole with every fourth sample */
            }
            before = window[0];
            here = vload8(0, window + 1);
            after = window[9];
        } else {
            uint at = line + (uint)x;
            uint bits = (at & 3u) * 8u;
            __global const uint* words = (__global const uint*)(frame + (at & ~3u));
            before = *(words - 1);
            here = vload8(0, words);
            after = words[8u];
            if (bits != 0u) {
                uint more = words[9u];
                before = before >> bits | here.s0 << (32u - bits);
                right = (uint8)(here.s1, here.s2, here.s3, here.s4,
                                here.s5, here.s6, here.s7, after);
                here = here >> bits | right << (32u - bits);
                after = after >> bits | more << (32u - bits);
            }
        }
        left = (uint8)(before, here.s0, here.s1, here.s2,
                       here.s3, here.s4, here.s5, here.s6);
        right = (uint8)(here.s1, here.s2, here.s3, here.s4,
                        here.s5, here.s6, here.s7, after);
        ADD_ROW
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            if (x + 31 <= last_x) {
                vstore8(result, 0, (__global uint*)(output + to));
            } else {
                /* The last columns, byte by byte. */
                int i;
                vstore8(result, 0, window);
                for (i = 0; x + i <= last_x; ++i) {
                    output[to + (uint)i] = (uchar)(window[i >> 2] >> ((i & 3) * 8) & 255u);
                }
            }
        }
    }
}
