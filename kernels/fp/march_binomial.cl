// Binomial filter only: [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256. Eight columns and
// ROWS rows per work-item. All sums fit 16 bits (255 x 256 at most), so two of them share a 32-bit
// register: the columns x and x + 2 ("even"), x + 1 and x + 3 ("odd"). Rows are filtered across
// when they are loaded and the last of them kept in registers while the item marches down. Where rows
// are whole words they are loaded without a decision in between, so that the compiler can have
// several under way. Suits GPUs; no local memory.
#include "convolution.h"
#include "march.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

/* One row of four columns, whose sums so far have the suffix s; sets `result` to those of the row
   RADIUS above. */
#if RADIUS == 2
#define ADD_ROW(s, before, here, after, result)                                           \
    MAKE_OUTER_PAIRS(before, here, after)                                                 \
    MAKE_INNER_PAIRS(before, here, after)                                                 \
    even = p0 + p4 + (p1 + p3) * 4u + p2 * 6u;                                            \
    odd = p1 + p5 + (p2 + p4) * 4u + p3 * 6u;                                             \
    result = ((even0##s + even + (even1##s + even3##s) * 4u + even2##s * 6u) >> 8 & PAIR) | \
             ((odd0##s + odd + (odd1##s + odd3##s) * 4u + odd2##s * 6u) & 0xff00ff00u);   \
    even0##s = even1##s;                                                                  \
    odd0##s = odd1##s;                                                                    \
    even1##s = even2##s;                                                                  \
    odd1##s = odd2##s;                                                                    \
    even2##s = even3##s;                                                                  \
    odd2##s = odd3##s;                                                                    \
    even3##s = even;                                                                      \
    odd3##s = odd;
#else
#define ADD_ROW(s, before, here, after, result)                    \
    MAKE_INNER_PAIRS(before, here, after)                          \
    even = p1 + p3 + p2 * 2u;                                      \
    odd = p2 + p4 + p3 * 2u;                                       \
    result = ((even0##s + even + even1##s * 2u) >> 4 & PAIR) |     \
             ((odd0##s + odd + odd1##s * 2u) >> 4 & PAIR) << 8;    \
    even0##s = even1##s;                                           \
    odd0##s = odd1##s;                                             \
    even1##s = even;                                               \
    odd1##s = odd;
#endif
#define ADD_EIGHT                                   \
    ADD_ROW(a, before, here, there, first_four)     \
    ADD_ROW(b, here, there, after, second_four)
#define FINISH_EIGHT /* they are the results */

__kernel void convolve(__global const uchar* restrict frame, LANE_ARGUMENTS,
                       __global uchar* restrict output, FILTER_NUMBERS)
{
    int x = (int)get_global_id(0) * 8;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    uint before;
    uint here;
    uint there;
    uint after;
    uint p1;
    uint p2;
    uint p3;
    uint p4;
    uint even;
    uint odd;
    uint even0a = 0u;
    uint odd0a = 0u;
    uint even1a = 0u;
    uint odd1a = 0u;
    uint even0b = 0u;
    uint odd0b = 0u;
    uint even1b = 0u;
    uint odd1b = 0u;
#if RADIUS == 2
    uint p0;
    uint p5;
    uint even2a = 0u;
    uint odd2a = 0u;
    uint even3a = 0u;
    uint odd3a = 0u;
    uint even2b = 0u;
    uint odd2b = 0u;
    uint even3b = 0u;
    uint odd3b = 0u;
#endif
    uint first_four;
    uint second_four;

    if (x > last_x || y > last_y) return;
#include "march_eight.h"
}
