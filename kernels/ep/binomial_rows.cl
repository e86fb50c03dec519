// Binomial filter only: [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256. Sixteen columns
// and ROWS rows per work-item. All sums fit 16 bits (255 x 256 at most), so two of them share each
// 32-bit part of a uint4: even and odd columns. Rows are filtered across when they are loaded, 16
// bytes at a time, and the last of them kept in registers while the item marches down. Integers
// only and no multiplication but by constants: suits embedded GPUs whose integer instructions are
// scalar, where one addition then works on two columns.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* output rows per work-item */
#endif

#define PAIR 0x00ff00ffu

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint gather;
    int row;
    uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
    uint4 here;  /* samples x to x + 15 */
    uint after;  /* samples x + 16 to x + 19 */
    uint4 even0 = 0u;
    uint4 odd0 = 0u;
    uint4 even1 = 0u;
    uint4 odd1 = 0u;
    uint4 even;
    uint4 odd;
    uint4 left;
    uint4 right;
    uint4 result;
#if RADIUS == 2
    uint4 even2 = 0u;
    uint4 odd2 = 0u;
    uint4 even3 = 0u;
    uint4 odd3 = 0u;
#endif

    if (x > last_x || y > last_y) return;
    /* Whole words are loaded where all their bytes are samples of the lane; elsewhere sample by
       sample, with what lies beyond the border. */
    gather = !LANE_IS_BYTES || x < 4 || x + 19 > last_x;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        if (gather || made_up) {
            int i;
            before = 0u;
            here = (uint4)(0u, 0u, 0u, 0u);
            after = 0u;
            for (i = -4; i < 20; ++i) {
                uint sample;
                GATHER(sample, x + i)
                before = before >> 8 | here.x << 24;
                here.x = here.x >> 8 | here.y << 24;
                here.y = here.y >> 8 | here.z << 24;
                here.z = here.z >> 8 | here.w << 24;
                here.w = here.w >> 8 | after << 24;
                after = after >> 8 | sample << 24;
            }
        } else {
            uint at = line + (uint)x;
            uint bits = (at & 3u) * 8u;
            __global const uint* words = (__global const uint*)(frame + (at & ~3u));
            before = *(words - 1);
            here = vload4(0, words);
            after = words[4];
            if (bits != 0u) {
                uint more = words[5];
                before = before >> bits | here.x << (32u - bits);
                here = here >> bits | (uint4)(here.y, here.z, here.w, after) << (32u - bits);
                after = after >> bits | more << (32u - bits);
            }
        }
        left = (uint4)(before, here.x, here.y, here.z);
        right = (uint4)(here.y, here.z, here.w, after);
#if RADIUS == 2
        left = left >> 16 | here << 16;   /* samples two columns to the left, */
        right = here >> 16 | right << 16; /* and to the right */
        odd = here >> 8 & PAIR;
        here = here & PAIR;
        even = (left & PAIR) + (right & PAIR) + ((left >> 8 & PAIR) + odd) * 4u + here * 6u;
        odd = (left >> 8 & PAIR) + (right >> 8 & PAIR) + (here + (right & PAIR)) * 4u + odd * 6u;
        result = ((even0 + even + (even1 + even3) * 4u + even2 * 6u) >> 8 & PAIR) |
                 ((odd0 + odd + (odd1 + odd3) * 4u + odd2 * 6u) & 0xff00ff00u);
        even0 = even1;
        odd0 = odd1;
        even1 = even2;
        odd1 = odd2;
        even2 = even3;
        odd2 = odd3;
        even3 = even;
        odd3 = odd;
#else
        left = left >> 24 | here << 8;   /* samples one column to the left, */
        right = here >> 8 | right << 24; /* and to the right */
        even = (left & PAIR) + (right & PAIR) + (here & PAIR) * 2u;
        odd = (left >> 8 & PAIR) + (right >> 8 & PAIR) + (here >> 8 & PAIR) * 2u;
        result = ((even0 + even + even1 * 2u) >> 4 & PAIR) |
                 ((odd0 + odd + odd1 * 2u) >> 4 & PAIR) << 8;
        even0 = even1;
        odd0 = odd1;
        even1 = even;
        odd1 = odd;
#endif
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            if (x + 15 <= last_x) {
                *(__global uint4*)(output + to) = result;
            } else {
                /* The last columns, byte by byte. */
                int i;
                for (i = x; i <= last_x; ++i) {
                    output[to] = (uchar)(result.x & 255u);
                    result.x = result.x >> 8 | result.y << 24;
                    result.y = result.y >> 8 | result.z << 24;
                    result.z = result.z >> 8 | result.w << 24;
                    result.w = result.w >> 8;
                    to += 1u;
                }
            }
        }
    }
}
