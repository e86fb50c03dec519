// Baseline: as naive, with the size known when it is compiled and every tap written out.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif

#define TAP(k, column)                    \
    GATHER(sample, column)                \
    sum += coefficients[k] * (SUM)sample;

#if RADIUS == 2
#define TAPS(row_of_filter)                \
    row = row_of_filter - 2;               \
    FIND_LINE                              \
    TAP(row_of_filter * 5, x - 2)          \
    TAP(row_of_filter * 5 + 1, x - 1)      \
    TAP(row_of_filter * 5 + 2, x)          \
    TAP(row_of_filter * 5 + 3, x + 1)      \
    TAP(row_of_filter * 5 + 4, x + 2)
#else
#define TAPS(row_of_filter)                \
    row = row_of_filter - 1;               \
    FIND_LINE                              \
    TAP(row_of_filter * 3, x - 1)          \
    TAP(row_of_filter * 3 + 1, x)          \
    TAP(row_of_filter * 3 + 2, x + 1)
#endif

__kernel void convolve(__global const PIXEL* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0);
    int y = (int)get_global_id(1);
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    uint line;
    uint made_up;
    SAMPLE sample;
    SUM sum = 0;

    if (x > last_x || y > last_y) return;
    TAPS(0)
    TAPS(1)
    TAPS(2)
#if RADIUS == 2
    TAPS(3)
    TAPS(4)
#endif
    output[(uint)y * output_stride + (uint)x] = RESULT(sum);
}
