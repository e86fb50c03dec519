/* Four columns per work-item, which marches down ROWS rows and keeps the sums of the rows to come, so that
   each sample is loaded and converted once per item. The includer says what is computed with (NUMBER,
   NUMBER4, TO_NUMBER4), what TAP(k) is, what has to be there for it (PREPARE), and how four sums become
   results from 0 to 255: RESULT_OF(sum), an int4. */
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 16 /* output rows per work-item */
#endif

#include "weigh.h"

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int from = x - RADIUS;
    uint gather;
    int row = 0;
    PREPARE
    DECLARE_SUMS(NUMBER4)
    NUMBER4 left;
    NUMBER4 right;

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
            left = (NUMBER4)((NUMBER)(word0 & 255u), (NUMBER)(word0 >> 8 & 255u),
                             (NUMBER)(word0 >> 16 & 255u), (NUMBER)(word0 >> 24));
            right = (NUMBER4)((NUMBER)(word1 & 255u), (NUMBER)(word1 >> 8 & 255u),
                              (NUMBER)(word1 >> 16 & 255u), (NUMBER)(word1 >> 24));
        } else {
            left = TO_NUMBER4(vload4(0, frame + line + (uint)from));
            right = TO_NUMBER4(vload4(0, frame + line + (uint)from + 4));
        }
        s0 = left;
        s1 = (NUMBER4)(left.y, left.z, left.w, right.x);
        s2 = (NUMBER4)(left.z, left.w, right.x, right.y);
#if RADIUS == 2
        s3 = (NUMBER4)(left.w, right.x, right.y, right.z);
        s4 = right;
#endif
        WEIGH_ROW
        if (row >= RADIUS) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            int4 result = RESULT_OF(sum);
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
