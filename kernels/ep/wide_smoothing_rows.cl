// For CPUs: one outer product of taps that are not negative and sum to 1 at most, such as a Gaussian
// or a box, of 3x3 or 5x5; all of it in 16 bits, even and odd columns apart. A sum along a row is
// 256 high + low. Down the columns the high parts are summed, and, where a carry may get lost, all of
// it: with a = sum of the high parts, that leaves b = sum of the low ones, and the pixel is
// (a + b / 256) / 2^(shift - 8), each division rounded down.
#include "convolution.h"
#include "terms.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif

#include "wide_window.h"

#define SIZE (2 * RADIUS + 1)
#define NUMBERS(words) as_ushort16((words) & PAIR)

/* The sums along one row; `left` and `right` are first made the samples RADIUS columns to either side. */
#if RADIUS == 2
#define SUM_ALONG                                                                               \
    left = left >> 16 | here << 16;                                                             \
    right = here >> 16 | right << 16;                                                           \
    even = along[0] * NUMBERS(left) + along[1] * NUMBERS(left >> 8) + along[2] * NUMBERS(here) + \
           along[3] * NUMBERS(here >> 8) + along[4] * NUMBERS(right);                           \
    odd = along[0] * NUMBERS(left >> 8) + along[1] * NUMBERS(here) + along[2] * NUMBERS(here >> 8) + \
          along[3] * NUMBERS(right) + along[4] * NUMBERS(right >> 8);
/* Of `part` of the sums along: of those that wait in `s`, and of the newest. */
#define SUM_DOWN(s, newest, part)                                                                    \
    down[0] * part(s[r0 + at]) + down[1] * part(s[r1 + at]) + down[2] * part(s[r2 + at]) +           \
        down[3] * part(s[r3 + at]) + down[4] * part(newest)
#else
#define SUM_ALONG                                                                               \
    left = left >> 24 | here << 8;                                                              \
    right = here >> 8 | right << 24;                                                            \
    even = along[0] * NUMBERS(left) + along[1] * NUMBERS(here) + along[2] * NUMBERS(here >> 8); \
    odd = along[0] * NUMBERS(here) + along[1] * NUMBERS(here >> 8) + along[2] * NUMBERS(right >> 8);
#define SUM_DOWN(s, newest, part) \
    down[0] * part(s[r0 + at]) + down[1] * part(s[r1 + at]) + down[2] * part(newest)
#endif

#define HIGH(sum) ((sum) >> (ushort)8)
#define ALL(sum) (sum)
#define PIXELS(high, all) as_uint8((high + ((all - (high << (ushort)8)) >> (ushort)8)) >> shift_down)

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int first_x = (int)get_global_id(0) * COLUMNS;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int end_x = min(first_x + COLUMNS, (int)width);
    ushort shift_down = (ushort)(filter_shift - 8u); /* 1 to 15 */
    ushort along[SIZE];
    ushort down[SIZE];
    uint window[10];
    ushort16 evens[2 * RADIUS * STEP]; /* rows, summed along */
    ushort16 odds[2 * RADIUS * STEP];
    DECLARE_ROWS
    int row;
    int x;
    int i;

    if (first_x > last_x || y > last_y) return;
    for (i = 0; i < SIZE; ++i) {
        along[i] = (ushort)coefficients[i];
        down[i] = (ushort)coefficients[(int)TERM_COLUMN + i];
    }

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        for (x = first_x; x < end_x; x += 32) {
            int at = (x - first_x) / 32;
            uint gather = MUST_GATHER;
            uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
            uint8 here;  /* samples x to x + 31 */
            uint after;  /* samples x + 32 to x + 35 */
            uint8 left;
            uint8 right;
            ushort16 even;
            ushort16 odd;
            LOAD_WIDE
            SUM_ALONG
            if (row >= RADIUS) {
                ushort16 even_high = SUM_DOWN(evens, even, HIGH);
                ushort16 even_all = SUM_DOWN(evens, even, ALL);
                ushort16 odd_high = SUM_DOWN(odds, odd, HIGH);
                ushort16 odd_all = SUM_DOWN(odds, odd, ALL);
                uint8 result = PIXELS(even_high, even_all) | PIXELS(odd_high, odd_all) << 8;
                STORE_WIDE(result, y + row - RADIUS)
            }
            evens[r0 + at] = even;
            odds[r0 + at] = odd;
        }
        NEXT_ROW
    }
}
