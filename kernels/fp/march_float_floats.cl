// Filter of float coefficients on floats: four columns and ROWS rows per work-item, which marches down
// and keeps the sums of the rows to come in registers. Where rows are whole vectors they are loaded
// without a decision in between, so that the compiler can have several under way. No local memory, no
// barrier.
#ifndef FLOATS
#define FLOATS 2 /* floats, by floats */
#endif
#include "convolution.h"
#include "written_out.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

#define TAP(k) coefficients[k]
#include "weigh.h"

/* A row of which columns x - 2 and x - 1 are in `before`, x to x + 3 in `here`, x + 4 and x + 5 in `after`. */
#if RADIUS == 2
#define TAKE_ROW                                                  \
    s0 = (float4)(before.x, before.y, here.x, here.y);            \
    s1 = (float4)(before.y, here.x, here.y, here.z);              \
    s2 = here;                                                    \
    s3 = (float4)(here.y, here.z, here.w, after.x);               \
    s4 = (float4)(here.z, here.w, after.x, after.y);              \
    WEIGH_ROW
#else
#define TAKE_ROW                                                  \
    s0 = (float4)(before.y, here.x, here.y, here.z);              \
    s1 = here;                                                    \
    s2 = (float4)(here.y, here.z, here.w, after.x);               \
    WEIGH_ROW
#endif

__kernel void convolve(__global const PIXEL* restrict frame, LANE_ARGUMENTS,
                       __global PIXEL* restrict output, FILTER_NUMBERS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    float2 before = 0.0f;
    float4 here = 0.0f;
    float2 after = 0.0f;
    DECLARE_SUMS(float4)

    if (x > last_x || y > last_y) return;
    /* Whole vectors: everywhere if the border only repeats samples, else where none is met. */
    if (((offset | stride) & 3u) == 0u &&
        ((border == REPLICATE && (width & 3u) == 0u) ||
         (x >= 2 && x + 5 <= last_x && y >= RADIUS && y + ROWS - 1 + RADIUS <= last_y))) {
        int left = x > 0 ? -2 : 0;
        int right = x + 4 <= last_x ? 4 : 2;
        WRITTEN_OUT
        for (row = -RADIUS; row < ROWS + RADIUS; ++row) {
            __global const float* at =
                frame + offset + (uint)clamp(y + row, 0, last_y) * stride + (uint)x;
            before = *(__global const float2*)(at + left);
            here = *(__global const float4*)at;
            after = *(__global const float2*)(at + right);
            before = left != 0 ? before : (float2)(here.x, here.x);
            after = right == 4 ? after : (float2)(here.w, here.w);
            TAKE_ROW
            if (row >= RADIUS && y + row - RADIUS <= last_y) {
                *(__global float4*)(output + (uint)(y + row - RADIUS) * output_stride + (uint)x) = sum;
            }
        }
        return;
    }
    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        int i;
        FIND_LINE
        for (i = -2; i < 6; ++i) {
            SAMPLE sample;
            GATHER(sample, x + i)
            before = (float2)(before.y, here.x);
            here = (float4)(here.y, here.z, here.w, after.x);
            after = (float2)(after.y, sample);
        }
        TAKE_ROW
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            output[to] = sum.x;
            if (x + 1 <= last_x) output[to + 1u] = sum.y;
            if (x + 2 <= last_x) output[to + 2u] = sum.z;
            if (x + 3 <= last_x) output[to + 3u] = sum.w;
        }
    }
}
