// For CPUs: one outer product of taps that are not negative and sum to 1 at most, such as a Gaussian
// or a box, all of it in 16 bits, sixteen columns to a vector. The work-item marches down ROWS rows of
// COLUMNS columns. A sum along a row is 256 high + low; both stay in a ring, and are summed down the
// columns apart. With their sums a and b the pixel is (a + b / 256) / 2^(shift - 8), each division
// rounded down.
#include "convolution.h"
#include "terms.h"

#ifndef ROWS
#define ROWS 128 /* output rows per work-item */
#endif

#define COLUMNS 1280 /* fewer, and memory is read in pieces too short to be fetched ahead */
/* Of a row in the ring: COLUMNS of 16, and two more, lest all rows meet in the same places of a cache. */
#define VECTORS 82
#define AT_ONCE 64 /* columns whose sums along the row are in registers */
#define MOST 31    /* rows and columns of a filter */

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
    ushort16 highs[MOST * VECTORS];
    ushort16 lows[MOST * VECTORS];
    int slot = 0; /* of the ring's newest row */
    int row;
    int begin;
    int end;
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
        if (begin < end) {
            __global const uchar* samples = frame + (line + (uint)(from + begin));
            for (i = 0; i < end - begin; ++i) window[begin + i] = samples[i];
        }
        for (i = begin == 0 ? end : 0; i < wide; i = i + 1 == begin ? end : i + 1) {
            uint sample;
            GATHER(sample, from + i)
            window[i] = (ushort)sample;
        }
        for (begin = 0; begin < used; begin += AT_ONCE) {
            int to = slot * VECTORS + begin / 16;
            ushort16 sum0 = (ushort)0;
            ushort16 sum1 = (ushort)0;
            ushort16 sum2 = (ushort)0;
            ushort16 sum3 = (ushort)0;
            for (i = 0; i < size; ++i) {
                sum0 += along[i] * vload16(0, window + begin + i);
                sum1 += along[i] * vload16(0, window + begin + i + 16);
                sum2 += along[i] * vload16(0, window + begin + i + 32);
                sum3 += along[i] * vload16(0, window + begin + i + 48);
            }
            highs[to] = sum0 >> (ushort)8;
            highs[to + 1] = sum1 >> (ushort)8;
            highs[to + 2] = sum2 >> (ushort)8;
            highs[to + 3] = sum3 >> (ushort)8;
            lows[to] = sum0 & (ushort)255;
            lows[to + 1] = sum1 & (ushort)255;
            lows[to + 2] = sum2 & (ushort)255;
            lows[to + 3] = sum3 & (ushort)255;
        }
        slot = slot + 1 == size ? 0 : slot + 1;
        if (row < radius) continue;

        for (begin = 0; begin < used; begin += 32) {
            uint to = (uint)(y + row - radius) * output_stride + (uint)(x + begin);
            ushort16 results[2];
            ushort16 high0 = (ushort)0;
            ushort16 high1 = (ushort)0;
            ushort16 low0 = (ushort)0;
            ushort16 low1 = (ushort)0;
            for (j = 0; j < size; ++j) {
                ushort tap = down[size - slot + j];
                int at = j * VECTORS + begin / 16;
                high0 += tap * highs[at];
                high1 += tap * highs[at + 1];
                low0 += tap * lows[at];
                low1 += tap * lows[at + 1];
            }
            results[0] = (high0 + (low0 >> (ushort)8)) >> shift_down;
            results[1] = (high1 + (low1 >> (ushort)8)) >> shift_down;
            for (i = 0; i < 32 && begin + i < used; i += 16) {
                uchar16 bytes = convert_uchar16(results[i / 16]);
                if (begin + i + 15 < used) {
                    *(__global uint4*)(output + to + (uint)i) = as_uint4(bytes);
                } else {
                    uchar last[16];
                    vstore16(bytes, 0, last);
                    for (j = 0; begin + i + j < used; ++j) output[to + (uint)(i + j)] = last[j];
                }
            }
        }
    }
}
