// Filter of any int16 coefficients in 32-bit integers. Four columns per work-item; the item marches
// down ROWS rows and keeps the sums of the rows to come, so that each sample is loaded once per
// item. The integer rung for embedded devices, where float4_rows would not be exact; int4 is
// scalar code on small GPUs and one register on CPUs.
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
    uint divide = min(filter_shift, 31u);
    int4 a0 = 0;
    int4 a1 = 0;
    int4 left;
    int4 right;
    int4 s0;
    int4 s1;
    int4 s2;
    int4 sum;
#if RADIUS == 2
    int4 a2 = 0;
    int4 a3 = 0;
    int4 s3;
    int4 s4;
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
            left = (int4)((int)(word0 & 255u), (int)(word0 >> 8 & 255u),
                          (int)(word0 >> 16 & 255u), (int)(word0 >> 24));
            right = (int4)((int)(word1 & 255u), (int)(word1 >> 8 & 255u),
                           (int)(word1 >> 16 & 255u), (int)(word1 >> 24));
        } else {
            left = convert_int4(vload4(0, frame + line + (uint)from));
            right = convert_int4(vload4(0, frame + line + (uint)from + 4));
        }
        s0 = left;
        s1 = (int4)(left.y, left.z, left.w, right.x);
        s2 = (int4)(left.z, left.w, right.x, right.y);
#if RADIUS == 2
        s3 = (int4)(left.w, right.x, right.y, right.z);
        s4 = right;
#endif
#if RADIUS == 2
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
        sum = a1 + coefficients[6] * s0 + coefficients[7] * s1 + coefficients[8] * s2;
        a1 = a0 + coefficients[3] * s0 + coefficients[4] * s1 + coefficients[5] * s2;
        a0 = coefficients[0] * s0 + coefficients[1] * s1 + coefficients[2] * s2;
#endif
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            /* Negative sums end at 0 whichever way they are rounded. */
            int4 result = min(max(sum, (int4)(0)) >> divide, (int4)(255));
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
