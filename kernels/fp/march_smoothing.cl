// Gaussians, boxes and the like: one outer product of taps that are not negative and sum to 1 at most.
// Eight columns and ROWS rows per work-item, marching down. Sums along a row fit 16 bits, so two of them
// share a register: the columns x and x + 2 ("even"), x + 1 and x + 3 ("odd"). Nothing has to be
// saturated. Suits GPUs; no local memory.
#include "convolution.h"
#include "march.h"
#include "terms.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

#define ALONG(k) (uint)coefficients[k]
#define DOWN(k) (uint)coefficients[TERM_COLUMN + (k)]

/* The sums along one row of four columns. */
#if RADIUS == 2
#define SUM_FOUR(before, here, after)                                                   \
    MAKE_OUTER_PAIRS(before, here, after)                                               \
    MAKE_INNER_PAIRS(before, here, after)                                               \
    even = ALONG(0) * p0 + ALONG(1) * p1 + ALONG(2) * p2 + ALONG(3) * p3 + ALONG(4) * p4; \
    odd = ALONG(0) * p1 + ALONG(1) * p2 + ALONG(2) * p3 + ALONG(3) * p4 + ALONG(4) * p5;
#define SUM_DOWN                      \
    sum = a3 + DOWN(4) * along;       \
    a3 = a2 + DOWN(3) * along;        \
    a2 = a1 + DOWN(2) * along;        \
    a1 = a0 + DOWN(1) * along;        \
    a0 = DOWN(0) * along;
#else
#define SUM_FOUR(before, here, after)                           \
    MAKE_INNER_PAIRS(before, here, after)                       \
    even = ALONG(0) * p1 + ALONG(1) * p2 + ALONG(2) * p3;       \
    odd = ALONG(0) * p2 + ALONG(1) * p3 + ALONG(2) * p4;
#define SUM_DOWN                      \
    sum = a1 + DOWN(2) * along;       \
    a1 = a0 + DOWN(1) * along;        \
    a0 = DOWN(0) * along;
#endif

/* One row: `sum` becomes that of the output row RADIUS above. */
#define ADD_EIGHT                               \
    SUM_FOUR(before, here, there)               \
    along.s0 = even & 0xffffu;                  \
    along.s1 = odd & 0xffffu;                   \
    along.s2 = even >> 16;                      \
    along.s3 = odd >> 16;                       \
    SUM_FOUR(here, there, after)                \
    along.s4 = even & 0xffffu;                  \
    along.s5 = odd & 0xffffu;                   \
    along.s6 = even >> 16;                      \
    along.s7 = odd >> 16;                       \
    SUM_DOWN

#define FINISH_EIGHT                                                                   \
    sum = sum >> divide;                                                               \
    first_four = sum.s0 | sum.s1 << 8 | sum.s2 << 16 | sum.s3 << 24;                   \
    second_four = sum.s4 | sum.s5 << 8 | sum.s6 << 16 | sum.s7 << 24;

__kernel void convolve(__global const uchar* restrict frame, LANE_ARGUMENTS,
                       __global uchar* restrict output, FILTER_NUMBERS)
{
    int x = (int)get_global_id(0) * 8;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint divide = min(filter_shift, 31u);
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
    uint8 along;
    uint8 sum;
    uint8 a0 = 0u;
    uint8 a1 = 0u;
#if RADIUS == 2
    uint p0;
    uint p5;
    uint8 a2 = 0u;
    uint8 a3 = 0u;
#endif
    uint first_four;
    uint second_four;

    if (x > last_x || y > last_y) return;
#include "march_eight.h"
}
