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

#define TAP(k) c##k
#include "weigh.h"

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
    DECLARE_SUMS(int16)
    /* The casts tell the compiler that 16 bits are enough for one side of each product. */
    DECLARE_TAPS(int, short)

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
        WEIGH_ROW
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
