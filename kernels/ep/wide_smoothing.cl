// For CPUs: one outer product of taps that are not negative and sum to 1 at most, such as a Gaussian
// or a box, all of it in 16 bits, sixteen columns to a vector. The work-item goes along whole rows:
// memory is read in long pieces. A sum along a row is 256 high + low; it stays in a ring. Down the
// columns the high parts are summed, and, where a carry may get lost, all of it: with a = sum of the
// high parts, that leaves b = sum of the low ones, and the pixel is (a + b / 256) / 2^(shift - 8), each
// division rounded down.
#include "convolution.h"
#include "terms.h"

#ifndef COLUMNS
#define COLUMNS 3840 /* output columns per work-item */
#endif
#ifndef ROWS
#define ROWS 64 /* output rows per work-item */
#endif

/* Of a row in the ring: COLUMNS of 16, and two more, lest all rows meet in the same places of a cache. */
#define VECTORS (COLUMNS / 16 + 2)
#define AT_ONCE 64 /* columns whose sums are in registers */
#define AHEAD 512  /* columns that are read before they are summed, so that nobody waits for memory */
#define MOST 31    /* rows and columns of a filter */

#define PIXELS(high, all) ((high + ((all - (high << (ushort)8)) >> (ushort)8)) >> shift_down)
#define STORE(pixels, at) *(__global uint4*)(at) = as_uint4(convert_uchar16(pixels))

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * COLUMNS;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int size = (int)filter_size;
    int radius = size / 2;
    int from = x - radius;
    int used = min(COLUMNS, (int)width - x);
    int wide = used + size - 1;
    ushort shift_down = (ushort)(filter_shift - 8u); /* 1 to 15 */
    ushort along[TERM_COLUMN];
    ushort down[TERM]; /* the column twice, one after the other: from any row of the ring on */
    ushort window[COLUMNS + 2 * TERM_COLUMN];
    /* Vectors, not scalars: PoCL makes four stores of a vstore16, and a load that spans them waits. */
    ushort16 sums[MOST * VECTORS];
    int slot = 0; /* of the ring's newest row */
    int row;
    int begin;
    int end;
    int filled; /* columns of the window, from `begin` on */
    int i;
    int j;

    if (x > last_x || y > last_y) return;
    for (i = 0; i < size; ++i) {
        along[i] = (ushort)coefficients[i];
        down[i] = (ushort)coefficients[(int)TERM_COLUMN + i];
        down[size + i] = down[i];
    }

    for (row = -radius; row < ROWS + radius && y + row <= last_y + radius; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        /* Columns begin to end - 1 of the window are in the frame as they are. */
        begin = LANE_IS_BYTES && !made_up ? max(-from, 0) : wide;
        end = LANE_IS_BYTES && !made_up ? min(last_x + 1 - from, wide) : wide;
        for (i = begin == 0 ? end : 0; i < wide; i = i + 1 == begin ? end : i + 1) {
            uint sample;
            GATHER(sample, from + i)
            window[i] = (ushort)sample;
        }
        filled = begin;
        for (begin = 0; begin < used; begin += AT_ONCE) {
            __global const uchar* samples = frame + (line + (uint)(from + filled));
            int more = max(min(end, begin + AHEAD + size - 1) - filled, 0);
            int to = slot * VECTORS + begin / 16;
            ushort16 sum0 = (ushort)0;
            ushort16 sum1 = (ushort)0;
            ushort16 sum2 = (ushort)0;
            ushort16 sum3 = (ushort)0;
            for (i = 0; i < more; ++i) window[filled + i] = samples[i];
            filled += more;
            for (i = 0; i < size; ++i) {
                sum0 += along[i] * vload16(0, window + begin + i);
                sum1 += along[i] * vload16(0, window + begin + i + 16);
                sum2 += along[i] * vload16(0, window + begin + i + 32);
                sum3 += along[i] * vload16(0, window + begin + i + 48);
            }
            sums[to] = sum0;
            sums[to + 1] = sum1;
            sums[to + 2] = sum2;
            sums[to + 3] = sum3;
        }
        slot = slot + 1 == size ? 0 : slot + 1;
        if (row < radius) continue;

        for (begin = 0; begin < used; begin += AT_ONCE) {
            uint to = (uint)(y + row - radius) * output_stride + (uint)(x + begin);
            ushort last[AT_ONCE];
            ushort16 high0 = (ushort)0;
            ushort16 high1 = (ushort)0;
            ushort16 high2 = (ushort)0;
            ushort16 high3 = (ushort)0;
            ushort16 all0 = (ushort)0;
            ushort16 all1 = (ushort)0;
            ushort16 all2 = (ushort)0;
            ushort16 all3 = (ushort)0;
            for (j = 0; j < size; ++j) {
                ushort tap = down[size - slot + j];
                int at = j * VECTORS + begin / 16;
                high0 += tap * (sums[at] >> (ushort)8);
                high1 += tap * (sums[at + 1] >> (ushort)8);
                high2 += tap * (sums[at + 2] >> (ushort)8);
                high3 += tap * (sums[at + 3] >> (ushort)8);
                all0 += tap * sums[at];
                all1 += tap * sums[at + 1];
                all2 += tap * sums[at + 2];
                all3 += tap * sums[at + 3];
            }
            high0 = PIXELS(high0, all0);
            high1 = PIXELS(high1, all1);
            high2 = PIXELS(high2, all2);
            high3 = PIXELS(high3, all3);
            if (begin + AT_ONCE <= used) {
                STORE(high0, output + to);
                STORE(high1, output + to + 16u);
                STORE(high2, output + to + 32u);
                STORE(high3, output + to + 48u);
            } else {
                vstore16(high0, 0, last);
                vstore16(high1, 1, last);
                vstore16(high2, 2, last);
                vstore16(high3, 3, last);
                for (i = 0; begin + i < used; ++i) output[to + (uint)i] = (uchar)last[i];
            }
        }
    }
}
