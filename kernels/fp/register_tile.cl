// Baseline: 2x2 pixels per work-item, each row of samples read once for both rows of pixels.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif

#define SIZE (2 * RADIUS + 1)

__kernel void convolve(__global const PIXEL* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 2;
    int y = (int)get_global_id(1) * 2;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    int i;
    SUM s[SIZE + 1];
    SUM top_left = 0;
    SUM top_right = 0;
    SUM bottom_left = 0;
    SUM bottom_right = 0;
    uint to = (uint)y * output_stride + (uint)x;

    if (x > last_x || y > last_y) return;
    for (row = -RADIUS; row <= RADIUS + 1; ++row) {
        int k = (row + RADIUS) * SIZE;
        uint line;
        uint made_up;
        FIND_LINE
        for (i = 0; i <= SIZE; ++i) {
            SAMPLE sample;
            GATHER(sample, x - RADIUS + i)
            s[i] = (SUM)sample;
        }
        if (row <= RADIUS) {
            for (i = 0; i < SIZE; ++i) {
                top_left += coefficients[k + i] * s[i];
                top_right += coefficients[k + i] * s[i + 1];
            }
        }
        if (row > -RADIUS) {
            for (i = 0; i < SIZE; ++i) {
                bottom_left += coefficients[k - SIZE + i] * s[i];
                bottom_right += coefficients[k - SIZE + i] * s[i + 1];
            }
        }
    }
    output[to] = RESULT(top_left);
    if (x < last_x) output[to + 1u] = RESULT(top_right);
    to += output_stride;
    if (y < last_y) output[to] = RESULT(bottom_left);
    if (y < last_y && x < last_x) output[to + 1u] = RESULT(bottom_right);
}
