// For CPUs: one outer product of taps that are not negative and sum to 1 at most, such as a Gaussian
// or a box, of 3x3 or 5x5. 32 columns and ROWS rows per work-item, marching down; all of it in 16 bits,
// even and odd columns apart. A sum along a row is 256 high + low, and these are summed down the columns
// apart: with their sums a and b the pixel is (a + b / 256) / 2^(shift - 8), each division rounded down.
#include "convolution.h"
#include "terms.h"
#include "wide_window.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 32 /* output rows per work-item */
#endif

#define ALONG(k) (ushort)coefficients[k]
#define DOWN(k) (ushort)coefficients[TERM_COLUMN + (k)]
#define NUMBERS(words) as_ushort16((words) & PAIR)

/* The sums along one row; `left` and `right` are first made the samples RADIUS columns to either side. */
#if RADIUS == 2
#define SUM_ALONG                                                                               \
    left = left >> 16 | here << 16;                                                             \
    right = here >> 16 | right << 16;                                                           \
    even = ALONG(0) * NUMBERS(left) + ALONG(1) * NUMBERS(left >> 8) + ALONG(2) * NUMBERS(here) + \
           ALONG(3) * NUMBERS(here >> 8) + ALONG(4) * NUMBERS(right);                           \
    odd = ALONG(0) * NUMBERS(left >> 8) + ALONG(1) * NUMBERS(here) + ALONG(2) * NUMBERS(here >> 8) + \
          ALONG(3) * NUMBERS(right) + ALONG(4) * NUMBERS(right >> 8);
/* `sum` becomes that of the output row RADIUS above, s0 those of the row that is furthest from its end. */
#define SUM_DOWN(s, along)                   \
    sum##s = s##3 + DOWN(4) * (along);       \
    s##3 = s##2 + DOWN(3) * (along);         \
    s##2 = s##1 + DOWN(2) * (along);         \
    s##1 = s##0 + DOWN(1) * (along);         \
    s##0 = DOWN(0) * (along);
#define DECLARE_SUMS(s)          \
    ushort16 s##0 = (ushort)0;   \
    ushort16 s##1 = (ushort)0;   \
    ushort16 s##2 = (ushort)0;   \
    ushort16 s##3 = (ushort)0;   \
    ushort16 sum##s;
#else
#define SUM_ALONG                                                                               \
    left = left >> 24 | here << 8;                                                              \
    right = here >> 8 | right << 24;                                                            \
    even = ALONG(0) * NUMBERS(left) + ALONG(1) * NUMBERS(here) + ALONG(2) * NUMBERS(here >> 8); \
    odd = ALONG(0) * NUMBERS(here) + ALONG(1) * NUMBERS(here >> 8) + ALONG(2) * NUMBERS(right >> 8);
#define SUM_DOWN(s, along)                   \
    sum##s = s##1 + DOWN(2) * (along);       \
    s##1 = s##0 + DOWN(1) * (along);         \
    s##0 = DOWN(0) * (along);
#define DECLARE_SUMS(s)          \
    ushort16 s##0 = (ushort)0;   \
    ushort16 s##1 = (ushort)0;   \
    ushort16 sum##s;
#endif

#define PIXELS(high, low) as_uint8((high + (low >> (ushort)8)) >> shift_down)

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 32;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    ushort shift_down = (ushort)(filter_shift - 8u); /* 1 to 15 */
    uint gather;
    uint window[10];
    int row;
    uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
    uint8 here;  /* samples x to x + 31 */
    uint after;  /* samples x + 32 to x + 35 */
    uint8 left;
    uint8 right;
    ushort16 even;
    ushort16 odd;
    DECLARE_SUMS(eh)
    DECLARE_SUMS(el)
    DECLARE_SUMS(oh)
    DECLARE_SUMS(ol)

    if (x > last_x || y > last_y) return;
    gather = MUST_GATHER;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        LOAD_WIDE
        SUM_ALONG
        SUM_DOWN(eh, even >> (ushort)8)
        SUM_DOWN(el, even & (ushort)255)
        SUM_DOWN(oh, odd >> (ushort)8)
        SUM_DOWN(ol, odd & (ushort)255)
        if (row >= RADIUS) {
            uint8 result = PIXELS(sumeh, sumel) | PIXELS(sumoh, sumol) << 8;
            STORE_WIDE(result, y + row - RADIUS)
        }
    }
}
