// Binomial filter only: [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256. Four columns and
// ROWS rows per work-item. All sums fit 16 bits (255 x 256 at most), so two of them share a 32-bit
// register: the columns x and x + 2 ("even"), x + 1 and x + 3 ("odd"). Rows are filtered across
// when they are loaded and the last of them kept in registers while the item marches down. Words
// are loaded side by side; no local memory. Suits GPUs, where it halves the arithmetic.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

#define PAIR 0x00ff00ffu

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int inside = (int)width - x; /* columns from x to the end */
    /* The last sample is repeated beyond the border without leaving the words. */
    uint plain = LANE_IS_BYTES && (border == REPLICATE || (x >= 4 && inside >= 8));
    int row;
    uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
    uint here;   /* samples x to x + 3 */
    uint after;  /* samples x + 4 to x + 7 */
    uint even0 = 0u;
    uint odd0 = 0u;
    uint even1 = 0u;
    uint odd1 = 0u;
    uint even;
    uint odd;
    uint result;
#if RADIUS == 2
    uint even2 = 0u;
    uint odd2 = 0u;
    uint even3 = 0u;
    uint odd3 = 0u;
#endif

    if (x > last_x || y > last_y) return;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        if (plain && !made_up) {
            /* Aligned words between the one with the first and the one with the last sample. */
            uint at = line + (uint)x;
            uint word = at & ~3u;
            uint last = (line + (uint)last_x) & ~3u;
            uint bits = (at & 3u) * 8u;
            before = *(__global const uint*)(frame + (x > 0 ? word - 4u : word));
            here = *(__global const uint*)(frame + word);
            after = *(__global const uint*)(frame + min(word + 4u, last));
            if (bits != 0u) {
                uint more = *(__global const uint*)(frame + min(word + 8u, last));
                before = before >> bits | here << (32u - bits);
                here = here >> bits | after << (32u - bits);
                after = after >> bits | more << (32u - bits);
            }
            if (inside < 8) {
                /* Past the end: the last sample, again and again. */
                uint fill = (uint)frame[line + (uint)last_x] * 0x01010101u;
                uint keep = inside < 4 ? (1u << (inside * 8)) - 1u : 0xffffffffu;
                here = (here & keep) | (fill & ~keep);
                keep = inside > 4 ? (1u << (inside * 8 - 32)) - 1u : 0u;
                after = (after & keep) | (fill & ~keep);
            }
            if (x == 0) before = (here & 255u) * 0x01010101u;
        } else {
            int i;
            before = 0u;
            here = 0u;
            after = 0u;
            for (i = -4; i < 8; ++i) {
                uint sample;
                GATHER(sample, x + i)
                before = before >> 8 | here << 24;
                here = here >> 8 | after << 24;
                after = after >> 8 | sample << 24;
            }
        }
#if RADIUS == 2
        {
            uint left = before >> 16 | here << 16; /* the words two columns to the left, */
            uint right = here >> 16 | after << 16; /* and to the right */
            uint left_even = left & PAIR;
            uint left_odd = left >> 8 & PAIR;
            uint here_even = here & PAIR;
            uint here_odd = here >> 8 & PAIR;
            uint right_even = right & PAIR;
            uint right_odd = right >> 8 & PAIR;
            even = left_even + right_even + (left_odd + here_odd) * 4u + here_even * 6u;
            odd = left_odd + right_odd + (here_even + right_even) * 4u + here_odd * 6u;
        }
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
        {
            uint left = before >> 24 | here << 8; /* the words one column to the left, */
            uint right = here >> 8 | after << 24; /* and to the right */
            even = (left & PAIR) + (right & PAIR) + (here & PAIR) * 2u;
            odd = (left >> 8 & PAIR) + (right >> 8 & PAIR) + (here >> 8 & PAIR) * 2u;
        }
        result = ((even0 + even + even1 * 2u) >> 4 & PAIR) |
                 ((odd0 + odd + odd1 * 2u) >> 4 & PAIR) << 8;
        even0 = even1;
        odd0 = odd1;
        even1 = even;
        odd1 = odd;
#endif
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            if (inside >= 4) {
                *(__global uint*)(output + to) = result;
            } else {
                output[to] = (uchar)(result & 255u);
                if (inside > 1) output[to + 1u] = (uchar)(result >> 8 & 255u);
                if (inside > 2) output[to + 2u] = (uchar)(result >> 16 & 255u);
            }
        }
    }
}
