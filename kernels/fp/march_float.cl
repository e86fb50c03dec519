// Filter of float coefficients on bytes or floats: four columns and ROWS rows per work-item. The item
// marches down and keeps the sums of the rows to come in registers; the samples of the next two rows
// are on their way meanwhile. No local memory, no barrier.
#ifndef FLOATS
#define FLOATS 1 /* bytes; 2: floats */
#endif
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

__kernel void convolve(__global const PIXEL* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    int turn;
#if FLOATS == 2
    uint together = ((offset | stride) & 3u) == 0u;
#else
    uint together = LANE_IS_BYTES;
#endif
    /* Columns x - 2 to x + 5 of every row are samples, where whole words or vectors may be loaded. */
    uint inside = together && x >= 4 && x + 11 <= last_x && y >= RADIUS &&
        y + ROWS - 1 + RADIUS <= last_y;
    float2 before;
    float4 here;
    float2 after;
    float2 before1 = 0.0f;
    float4 here1 = 0.0f;
    float2 after1 = 0.0f;
    float2 before2 = 0.0f;
    float4 here2 = 0.0f;
    float2 after2 = 0.0f;
    float4 a0 = 0.0f;
    float4 a1 = 0.0f;
    float4 s0;
    float4 s1;
    float4 s2;
    float4 sum;
#if RADIUS == 2
    float4 a2 = 0.0f;
    float4 a3 = 0.0f;
    float4 s3;
    float4 s4;
#endif

    if (x > last_x || y > last_y) return;

    for (turn = -2; turn < ROWS + 2 * RADIUS; ++turn) {
        before = before1;
        here = here1;
        after = after1;
        before1 = before2;
        here1 = here2;
        after1 = after2;
        row = turn + 2 - RADIUS;
        if (row >= ROWS + RADIUS) {
            /* All rows are on their way. */
        } else if (inside) {
#if FLOATS == 2
            __global const float* at = frame + offset + (uint)(y + row) * stride + (uint)x;
            before2 = *(__global const float2*)(at - 2);
            here2 = *(__global const float4*)at;
            after2 = *(__global const float2*)(at + 4);
#else
            uint at = offset + (uint)(y + row) * stride + (uint)x;
            uint bits = (at & 3u) * 8u;
            __global const uint* words = (__global const uint*)(frame + (at & ~3u));
            uint word0 = *(words - 1);
            uint word1 = words[0];
            uint word2 = words[1];
            if (bits != 0u) {
                uint more = words[2];
                word0 = word0 >> bits | word1 << (32u - bits);
                word1 = word1 >> bits | word2 << (32u - bits);
                word2 = word2 >> bits | more << (32u - bits);
            }
            before2 = (float2)((float)(word0 >> 16 & 255u), (float)(word0 >> 24));
            here2 = (float4)((float)(word1 & 255u), (float)(word1 >> 8 & 255u),
                             (float)(word1 >> 16 & 255u), (float)(word1 >> 24));
            after2 = (float2)((float)(word2 & 255u), (float)(word2 >> 8 & 255u));
#endif
        } else {
            uint line;
            uint made_up;
            int i;
            FIND_LINE
            for (i = -2; i < 6; ++i) {
                SAMPLE sample;
                GATHER(sample, x + i)
                before2 = (float2)(before2.y, here2.x);
                here2 = (float4)(here2.y, here2.z, here2.w, after2.x);
                after2 = (float2)(after2.y, (float)sample);
            }
        }
        if (turn < 0) continue;
#if RADIUS == 2
        s0 = (float4)(before.x, before.y, here.x, here.y);
        s1 = (float4)(before.y, here.x, here.y, here.z);
        s2 = here;
        s3 = (float4)(here.y, here.z, here.w, after.x);
        s4 = (float4)(here.z, here.w, after.x, after.y);
        sum = a3 + coefficients[20] * s0 + coefficients[21] * s1 + coefficients[22] * s2 +
            coefficients[23] * s3 + coefficients[24] * s4;
        a3 = a2 + coefficients[15] * s0 + coefficients[16] * s1 + coefficients[17] * s2 +
            coefficients[18] * s3 + coefficients[19] * s4;
        a2 = a1 + coefficients[10] * s0 + coefficients[11] * s1 + coefficients[12] * s2 +
            coefficients[13] * s3 + coefficients[14] * s4;
        a1 = a0 + coefficients[5] * s0 + coefficients[6] * s1 + coefficients[7] * s2 +
            coefficients[8] * s3 + coefficients[9] * s4;
        a0 = coefficients[0] * s0 + coefficients[1] * s1 + coefficients[2] * s2 +
            coefficients[3] * s3 + coefficients[4] * s4;
#else
        s0 = (float4)(before.y, here.x, here.y, here.z);
        s1 = here;
        s2 = (float4)(here.y, here.z, here.w, after.x);
        sum = a1 + coefficients[6] * s0 + coefficients[7] * s1 + coefficients[8] * s2;
        a1 = a0 + coefficients[3] * s0 + coefficients[4] * s1 + coefficients[5] * s2;
        a0 = coefficients[0] * s0 + coefficients[1] * s1 + coefficients[2] * s2;
#endif
        if (turn >= 2 * RADIUS && y + turn - 2 * RADIUS <= last_y) {
            uint to = (uint)(y + turn - 2 * RADIUS) * output_stride + (uint)x;
            if (x + 3 <= last_x) {
#if FLOATS == 2
                *(__global float4*)(output + to) = sum;
#else
                /* Rounded before the conversion. */
                int4 result = convert_int4(rint(clamp(sum, 0.0f, 255.0f)));
                *(__global uint*)(output + to) = (uint)result.x | (uint)result.y << 8 |
                                                 (uint)result.z << 16 | (uint)result.w << 24;
#endif
            } else {
                output[to] = RESULT(sum.x);
                if (x + 1 <= last_x) output[to + 1u] = RESULT(sum.y);
                if (x + 2 <= last_x) output[to + 2u] = RESULT(sum.z);
            }
        }
    }
}
