// Filter of any int16 coefficients in 32-bit integers, sixteen columns at a time: made for CPUs,
// where an int16 is one or two registers and shuffles of 16 bytes are cheap. The work-item marches
// down ROWS rows and keeps the sums of the rows to come, so that each sample is loaded and widened
// once per tap column. Legal on any device, but too large for the instruction memory of small GPUs.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* output rows per work-item */
#endif

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int from = x - RADIUS;
    uint gather;
    int row;
    int i;
    uchar window[20];
    uchar16 left;
    uchar4 right;
    uint divide = min(filter_shift, 31u);
    int16 a0 = 0;
    int16 a1 = 0;
    int16 s0;
    int16 s1;
    int16 s2;
    int16 sum;
#if RADIUS == 2
    int16 a2 = 0;
    int16 a3 = 0;
    int16 s3;
    int16 s4;
#endif
    /* The casts tell the compiler that 16 bits are enough for one side of each product. */
#if RADIUS == 2
    int c00 = (short)coefficients[0];
    int c01 = (short)coefficients[1];
    int c02 = (short)coefficients[2];
    int c03 = (short)coefficients[3];
    int c04 = (short)coefficients[4];
    int c10 = (short)coefficients[5];
    int c11 = (short)coefficients[6];
    int c12 = (short)coefficients[7];
    int c13 = (short)coefficients[8];
    int c14 = (short)coefficients[9];
    int c20 = (short)coefficients[10];
    int c21 = (short)coefficients[11];
    int c22 = (short)coefficients[12];
    int c23 = (short)coefficients[13];
    int c24 = (short)coefficients[14];
    int c30 = (short)coefficients[15];
    int c31 = (short)coefficients[16];
    int c32 = (short)coefficients[17];
    int c33 = (short)coefficients[18];
    int c34 = (short)coefficients[19];
    int c40 = (short)coefficients[20];
    int c41 = (short)coefficients[21];
    int c42 = (short)coefficients[22];
    int c43 = (short)coefficients[23];
    int c44 = (short)coefficients[24];
#else
    int c00 = (short)coefficients[0];
    int c01 = (short)coefficients[1];
    int c02 = (short)coefficients[2];
    int c10 = (short)coefficients[3];
    int c11 = (short)coefficients[4];
    int c12 = (short)coefficients[5];
    int c20 = (short)coefficients[6];
    int c21 = (short)coefficients[7];
    int c22 = (short)coefficients[8];
#endif

    if (x > last_x || y > last_y) return;
    /* Twenty bytes from column x - RADIUS on are loaded at once where all of them are samples of
       the lane; elsewhere sample by sample, with what lies beyond the border. */
    gather = !LANE_IS_BYTES || from < 0 || from + 19 > last_x;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        if (gather || made_up) {
            for (i = 0; i < 20; ++i) {
                uint sample;
                GATHER(sample, from + i)
                window[i] = (uchar)sample;
            }
            left = vload16(0, window);
            right = vload4(0, window + 16);
        } else {
            left = vload16(0, frame + line + (uint)from);
            right = vload4(0, frame + line + (uint)from + 16u);
        }
        s0 = convert_int16(left);
        s1 = convert_int16((uchar16)(left.s1, left.s2, left.s3, left.s4, left.s5, left.s6,
                                  left.s7, left.s8, left.s9, left.sa, left.sb, left.sc,
                                  left.sd, left.se, left.sf, right.x));
        s2 = convert_int16((uchar16)(left.s2, left.s3, left.s4, left.s5, left.s6, left.s7,
                                  left.s8, left.s9, left.sa, left.sb, left.sc, left.sd,
                                  left.se, left.sf, right.x, right.y));
#if RADIUS == 2
        s3 = convert_int16((uchar16)(left.s3, left.s4, left.s5, left.s6, left.s7, left.s8,
                                  left.s9, left.sa, left.sb, left.sc, left.sd, left.se,
                                  left.sf, right.x, right.y, right.z));
        s4 = convert_int16((uchar16)(left.s4, left.s5, left.s6, left.s7, left.s8, left.s9,
                                  left.sa, left.sb, left.sc, left.sd, left.se, left.sf,
                                  right.x, right.y, right.z, right.w));
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
            /* Negative sums end at 0 whichever way they are rounded. */
            uchar16 result = convert_uchar16(min(max(sum, (int16)(0)) >> divide, (int16)(255)));
            if (x + 15 <= last_x) {
                vstore16(result, 0, output + to);
            } else {
                vstore16(result, 0, window);
                for (i = 0; x + i <= last_x; ++i) output[to + (uint)i] = window[i];
            }
        }
    }
}
