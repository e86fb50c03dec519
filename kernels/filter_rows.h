/* What a filter makes of four columns and ROWS rows of a lane, each result handed to TAKE(value),
   which the kernel defines: a block of code, included inside each kernel that counts what it
   filters. Any int16 coefficients, in 32-bit integers; as int_rows, with loads of whole words. */
#define TAP(k) coefficients[k]
#include "weigh.h"
{
    int from = x - RADIUS;
    uint gather = !LANE_IS_BYTES || from < 0 || from + 7 > last_x;
    int row;
    DECLARE_SUMS(int4)
    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        uint word0 = 0u; /* columns from to from + 3, the first in the lowest byte */
        uint word1 = 0u; /* from + 4 to from + 7 */
        int column;
        FIND_LINE
        if (gather || made_up) {
            int i;
            for (i = 0; i < 8; ++i) {
                uint sample;
                GATHER(sample, from + i)
                word0 = word0 >> 8 | word1 << 24;
                word1 = word1 >> 8 | sample << 24;
            }
        } else {
            uint place = line + (uint)from;
            uint bits = (place & 3u) * 8u;
            __global const uint* words = (__global const uint*)(frame + (place & ~3u));
            word0 = words[0];
            word1 = words[1];
            if (bits != 0u) {
                word0 = word0 >> bits | word1 << (32u - bits);
                word1 = word1 >> bits | words[2] << (32u - bits);
            }
        }
        s0 = (int4)((int)(word0 & 255u), (int)(word0 >> 8 & 255u), (int)(word0 >> 16 & 255u),
                    (int)(word0 >> 24));
        s1 = (int4)(s0.y, s0.z, s0.w, (int)(word1 & 255u));
        s2 = (int4)(s1.y, s1.z, s1.w, (int)(word1 >> 8 & 255u));
#if RADIUS == 2
        s3 = (int4)(s2.y, s2.z, s2.w, (int)(word1 >> 16 & 255u));
        s4 = (int4)(s3.y, s3.z, s3.w, (int)(word1 >> 24));
#endif
        WEIGH_ROW
        if (row >= RADIUS) {
            for (column = x; column <= min(x + 3, last_x); ++column) {
                /* Negative sums end at 0 whichever way they are rounded. */
                TAKE(min((uint)max(sum.x, 0) >> min(filter_shift, 31u), 255u))
                sum.x = sum.y;
                sum.y = sum.z;
                sum.z = sum.w;
            }
        }
    }
}
