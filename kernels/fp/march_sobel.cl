// Magnitude of the Sobel gradient, |gx| + |gy| saturated. Eight columns and ROWS rows per work-item,
// marching down; two 16-bit numbers share each register, the columns x and x + 2 ("even"), x + 1 and
// x + 3 ("odd"). Where rows are whole words they are loaded without a decision in between, so that the
// compiler can have several under way. Suits GPUs; no local memory.
#include "convolution.h"
#include "march.h"
#include "signed_pairs.h"

#undef RADIUS
#define RADIUS 1
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

/* One row of four columns: its differences and sums across, behind those of the two rows above, which
   have the suffix s. */
#define ADD_ROW(s, before, here, after)          \
    MAKE_INNER_PAIRS(before, here, after)        \
    even_d0##s = even_d1##s;                     \
    even_s0##s = even_s1##s;                     \
    odd_d0##s = odd_d1##s;                       \
    odd_s0##s = odd_s1##s;                       \
    even_d1##s = even_d2##s;                     \
    even_s1##s = even_s2##s;                     \
    odd_d1##s = odd_d2##s;                       \
    odd_s1##s = odd_s2##s;                       \
    even_d2##s = p3 - p1;                        \
    even_s2##s = p1 + p3 + p2 * 2u;              \
    odd_d2##s = p4 - p2;                         \
    odd_s2##s = p2 + p4 + p3 * 2u;
#define ADD_EIGHT                      \
    ADD_ROW(a, before, here, there)    \
    ADD_ROW(b, here, there, after)

#define FINISH_FOUR(s, result)                                                          \
    GRADIENT(even, even_d0##s, even_d1##s, even_d2##s, even_s0##s, even_s2##s)          \
    GRADIENT(odd, odd_d0##s, odd_d1##s, odd_d2##s, odd_s0##s, odd_s2##s)                \
    result = even | odd << 8;
#define FINISH_EIGHT                 \
    FINISH_FOUR(a, first_four)       \
    FINISH_FOUR(b, second_four)

#define DECLARE_ROWS(s)        \
    uint even_d0##s = 0u;      \
    uint even_d1##s = 0u;      \
    uint even_d2##s = 0u;      \
    uint even_s0##s = 0u;      \
    uint even_s1##s = 0u;      \
    uint even_s2##s = 0u;      \
    uint odd_d0##s = 0u;       \
    uint odd_d1##s = 0u;       \
    uint odd_d2##s = 0u;       \
    uint odd_s0##s = 0u;       \
    uint odd_s1##s = 0u;       \
    uint odd_s2##s = 0u;

__kernel void sobel(__global const uchar* restrict frame, LANE_ARGUMENTS,
                    __global uchar* restrict output, uint output_stride, uint border,
                    uint border_value)
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
    DECLARE_ROWS(a)
    DECLARE_ROWS(b)
    uint first_four;
    uint second_four;

    if (x > last_x || y > last_y) return;
#include "march_eight.h"
}
