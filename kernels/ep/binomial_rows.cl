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

#include "binomial.h"

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
    DECLARE_PAIRS(uint4)

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
        ADD_ROW
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
