// Filter of coefficients whose sums, negative ones added up apart, need no more than 16 bits: then the
// sums of two columns share a 32-bit register, and one multiplication serves both. Eight columns and
// ROWS rows per work-item, marching down with the sums of the rows to come in registers. Where rows are
// whole words they are loaded without a decision in between, so that the compiler can have several
// under way. Suits GPUs; no local memory.
#include "convolution.h"
#include "march.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

/* One row of four columns, whose sums so far have the suffix s; `even` and `odd` become those of the row
   RADIUS above. */
#if RADIUS == 2
#define WEIGH(j, a, b, c, d, e)                                                            \
    (coefficients[(j)*5] * (int)(a) + coefficients[(j)*5 + 1] * (int)(b) +                  \
     coefficients[(j)*5 + 2] * (int)(c) + coefficients[(j)*5 + 3] * (int)(d) +              \
     coefficients[(j)*5 + 4] * (int)(e))
#define ADD_ROW(s, before, here, after)                 \
    MAKE_OUTER_PAIRS(before, here, after)               \
    MAKE_INNER_PAIRS(before, here, after)               \
    even = even3##s + WEIGH(4, p0, p1, p2, p3, p4);     \
    odd = odd3##s + WEIGH(4, p1, p2, p3, p4, p5);       \
    even3##s = even2##s + WEIGH(3, p0, p1, p2, p3, p4); \
    odd3##s = odd2##s + WEIGH(3, p1, p2, p3, p4, p5);   \
    even2##s = even1##s + WEIGH(2, p0, p1, p2, p3, p4); \
    odd2##s = odd1##s + WEIGH(2, p1, p2, p3, p4, p5);   \
    even1##s = even0##s + WEIGH(1, p0, p1, p2, p3, p4); \
    odd1##s = odd0##s + WEIGH(1, p1, p2, p3, p4, p5);   \
    even0##s = WEIGH(0, p0, p1, p2, p3, p4);            \
    odd0##s = WEIGH(0, p1, p2, p3, p4, p5);
#else
#define WEIGH(j, a, b, c)                                                      \
    (coefficients[(j)*3] * (int)(a) + coefficients[(j)*3 + 1] * (int)(b) +      \
     coefficients[(j)*3 + 2] * (int)(c))
#define ADD_ROW(s, before, here, after)         \
    MAKE_INNER_PAIRS(before, here, after)       \
    even = even1##s + WEIGH(2, p1, p2, p3);     \
    odd = odd1##s + WEIGH(2, p2, p3, p4);       \
    even1##s = even0##s + WEIGH(1, p1, p2, p3); \
    odd1##s = odd0##s + WEIGH(1, p2, p3, p4);   \
    even0##s = WEIGH(0, p1, p2, p3);            \
    odd0##s = WEIGH(0, p2, p3, p4);
#endif

/* The result of one column: its sum is not negative once `lift` is added, which keeps it from
   borrowing from its neighbour in the register. */
#define FINISH(sum) (uint)min(max((int)(sum)-lift, 0) >> divide, 255)
#define FINISH_FOUR(result)                                                         \
    even += lift * 0x00010001;                                                      \
    odd += lift * 0x00010001;                                                       \
    result = FINISH(even & 0xffff) | FINISH(odd & 0xffff) << 8 |                    \
             FINISH((uint)even >> 16) << 16 | FINISH((uint)odd >> 16) << 24;
#define ADD_EIGHT                       \
    ADD_ROW(a, before, here, there)     \
    FINISH_FOUR(first_four)             \
    ADD_ROW(b, here, there, after)      \
    FINISH_FOUR(second_four)
#define FINISH_EIGHT /* they are the results */

__kernel void convolve(__global const uchar* restrict frame, LANE_ARGUMENTS,
                       __global uchar* restrict output, FILTER_NUMBERS)
{
    int x = (int)get_global_id(0) * 8;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint divide = min(filter_shift, 31u);
    int lift = coefficients[(2 * RADIUS + 1) * (2 * RADIUS + 1)];
    int row;
    uint before;
    uint here;
    uint there;
    uint after;
    uint p1;
    uint p2;
    uint p3;
    uint p4;
    int even;
    int odd;
    int even0a = 0;
    int odd0a = 0;
    int even1a = 0;
    int odd1a = 0;
    int even0b = 0;
    int odd0b = 0;
    int even1b = 0;
    int odd1b = 0;
#if RADIUS == 2
    uint p0;
    uint p5;
    int even2a = 0;
    int odd2a = 0;
    int even3a = 0;
    int odd3a = 0;
    int even2b = 0;
    int odd2b = 0;
    int even3b = 0;
    int odd3b = 0;
#endif
    uint first_four;
    uint second_four;

    if (x > last_x || y > last_y) return;
#include "march_eight.h"
}
