// Filter of any coefficients whose sums stay below 2^24: then every sum is a whole number that a
// float holds exactly, in any rounding mode. Four columns per work-item in float4 arithmetic, the
// only vector arithmetic that small embedded GPUs have; the item marches down ROWS rows and keeps
// the sums of the rows to come, so that each sample is loaded and converted once per item.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* output rows per work-item */
#endif

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int from = x - RADIUS;
    uint gather;
    int row = 0;
    /* 2^-filter_shift, exactly: its exponent alone. */
    float scale = as_float((127u - min(filter_shift, 31u)) << 23);
#if RADIUS == 2
    float c00 = (float)coefficients[0];
    float c01 = (float)coefficients[1];
    float c02 = (float)coefficients[2];
    float c03 = (float)coefficients[3];
    float c04 = (float)coefficients[4];
    float c10 = (float)coefficients[5];
    float c11 = (float)coefficients[6];
    float c12 = (float)coefficients[7];
    float c13 = (float)coefficients[8];
    float c14 = (float)coefficients[9];
    float c20 = (float)coefficients[10];
    float c21 = (float)coefficients[11];
    float c22 = (float)coefficients[12];
    float c23 = (float)coefficients[13];
    float c24 = (float)coefficients[14];
    float c30 = (float)coefficients[15];
    float c31 = (float)coefficients[16];
    float c32 = (float)coefficients[17];
    float c33 = (float)coefficients[18];
    float c34 = (float)coefficients[19];
    float c40 = (float)coefficients[20];
    float c41 = (float)coefficients[21];
    float c42 = (float)coefficients[22];
    float c43 = (float)coefficients[23];
    float c44 = (float)coefficients[24];
#else
    float c00 = (float)coefficients[0];
    float c01 = (float)coefficients[1];
    float c02 = (float)coefficients[2];
    float c10 = (float)coefficients[3];
    float c11 = (float)coefficients[4];
    float c12 = (float)coefficients[5];
    float c20 = (float)coefficients[6];
    float c21 = (float)coefficients[7];
    float c22 = (float)coefficients[8];
#endif
    float4 a0 = 0;
    float4 a1 = 0;
    float4 left;
    float4 right;
    float4 s0;
    float4 s1;
    float4 s2;
    float4 sum;
#if RADIUS == 2
    float4 a2 = 0;
    float4 a3 = 0;
    float4 s3;
    float4 s4;
#endif

    if (x > last_x || y > last_y) return;
    /* Eight bytes from column x - RADIUS on are loaded at once where all of them are samples of the
       lane; elsewhere sample by sample, with what lies beyond the border. */
    gather = !LANE_IS_BYTES || from < 0 || from + 7 > last_x;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        if (gather || made_up) {
            uint word0 = 0u;
            uint word1 = 0u;
            int i;
            for (i = 0; i < 8; ++i) {
                uint sample;
                GATHER(sample, from + i)
                word0 = word0 >> 8 | word1 << 24;
                word1 = word1 >> 8 | sample << 24;
            }
            left = (float4)((float)(word0 & 255u), (float)(word0 >> 8 & 255u),
                            (float)(word0 >> 16 & 255u), (float)(word0 >> 24));
            right = (float4)((float)(word1 & 255u), (float)(word1 >> 8 & 255u),
                             (float)(word1 >> 16 & 255u), (float)(word1 >> 24));
        } else {
            left = convert_float4(vload4(0, frame + line + (uint)from));
            right = convert_float4(vload4(0, frame + line + (uint)from + 4));
        }
        s0 = left;
        s1 = (float4)(left.y, left.z, left.w, right.x);
        s2 = (float4)(left.z, left.w, right.x, right.y);
#if RADIUS == 2
        s3 = (float4)(left.w, right.x, right.y, right.z);
        s4 = right;
#endif
#if RADIUS == 2
        sum = a3 + c40 * s0 + c41 * s1 + c42 * s2 + c43 * s3 + c44 * s4;
        a3 = a2 + c30 * s0 + c31 * s1 + c32 * s2 + c33 * s3 + c34 * s4;
        a2 = a1 + c20 * s0 + c21 * s1 + c22 * s2 + c23 * s3 + c24 * s4;
        a1 = a0 + c10 * s0 + c11 * s1 + c12 * s2 + c13 * s3 + c14 * s4;
        a0 = c00 * s0 + c01 * s1 + c02 * s2 + c03 * s3 + c04 * s4;
#else
        sum = a1 + c20 * s0 + c21 * s1 + c22 * s2;
        a1 = a0 + c10 * s0 + c11 * s1 + c12 * s2;
        a0 = c00 * s0 + c01 * s1 + c02 * s2;
#endif
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            /* Truncated before the conversion: what is left of the clamp is not negative. */
            int4 result = convert_int4(floor(clamp(sum * scale, 0.0f, 255.0f)));
            if (x + 3 <= last_x) {
                *(__global uint*)(output + to) = as_uint(convert_uchar4(result));
            } else {
                output[to] = (uchar)result.x;
                if (x + 1 <= last_x) output[to + 1u] = (uchar)result.y;
                if (x + 2 <= last_x) output[to + 2u] = (uchar)result.z;
            }
        }
    }
}
