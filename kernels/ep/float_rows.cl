// Filter of float coefficients on bytes or floats, in float4 arithmetic: four columns per work-item,
// which marches down ROWS rows and keeps the sums of the rows to come, so that each sample is loaded
// once per item.
#ifndef FLOATS
#define FLOATS 1 /* bytes; 2: floats */
#endif
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* output rows per work-item */
#endif

#define TAP(k) coefficients[k]
#include "weigh.h"

__kernel void convolve(__global const PIXEL* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int from = x - RADIUS;
    int row;
#if FLOATS == 2
    uint together = 1u;
#else
    uint together = LANE_IS_BYTES;
#endif
    /* Eight samples from column x - RADIUS on are loaded at once where all of them are of the lane. */
    uint gather = !together || from < 0 || from + 7 > last_x;
    DECLARE_SUMS(float4)
    float4 left = 0.0f;
    float4 right = 0.0f;

    if (x > last_x || y > last_y) return;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        if (gather || made_up) {
            int i;
            for (i = 0; i < 8; ++i) {
                SAMPLE sample;
                GATHER(sample, from + i)
                left = (float4)(left.y, left.z, left.w, right.x);
                right = (float4)(right.y, right.z, right.w, (float)sample);
            }
        } else {
#if FLOATS == 2
            left = vload4(0, frame + line + (uint)from);
            right = vload4(0, frame + line + (uint)from + 4);
#else
            left = convert_float4(vload4(0, frame + line + (uint)from));
            right = convert_float4(vload4(0, frame + line + (uint)from + 4));
#endif
        }
        s0 = left;
        s1 = (float4)(left.y, left.z, left.w, right.x);
        s2 = (float4)(left.z, left.w, right.x, right.y);
#if RADIUS == 2
        s3 = (float4)(left.w, right.x, right.y, right.z);
        s4 = right;
#endif
        WEIGH_ROW
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            output[to] = RESULT(sum.x);
            if (x + 1 <= last_x) output[to + 1u] = RESULT(sum.y);
            if (x + 2 <= last_x) output[to + 2u] = RESULT(sum.z);
            if (x + 3 <= last_x) output[to + 3u] = RESULT(sum.w);
        }
    }
}
