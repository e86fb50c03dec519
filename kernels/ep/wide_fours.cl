// For CPUs: filter of any odd size and any coefficients in 32-bit integers, four rows of the result at
// once with three fifths of the products, along whole rows, sixteen columns to a vector. It is the
// fast FIR algorithm that daemon/gpu/cpu_four_rows.cpp explains: nine parts, each of them every
// fourth row of the filter on rows of differences. Sums are computed modulo 2^32: what stands in
// between may leave it, the result does not.
#define COEFFICIENT_SPACE __global const
#include "convolution.h"

#ifndef COLUMNS
#define COLUMNS 960 /* output columns per work-item, a multiple of 16 */
#endif
#ifndef ROWS
#define ROWS 64 /* output rows per work-item, a multiple of 4 */
#endif

#define PARTS 9
#define PART_ROWS 8 /* of a filter of 31 rows */
#define TAPS 32     /* of a row: 31, and zeros up to a multiple of 4 */
#define PICTURE 8   /* rows of the picture that are kept; seven make a row of each part */
#define VECTORS (COLUMNS / 16)
#define PITCH (COLUMNS + 48) /* samples of a row, with those that the last taps meet */

/* Whether the even rows, all of them or the odd ones, which is 0, 1 or 2, hold one that is odd or not. */
#define HOLD(which, odd) (which == 1 || (which == 2) == (odd != 0))

#define SAMPLES(k) convert_int16(vload16(0, picture[(begin + k) % PICTURE] + i))
#define PART_ROW(part, differences) \
    vstore16(as_uint16(differences), 0, parts + (((part) * PART_ROWS + slot) * PITCH + i));
#define THREE_PARTS(part, a, b, c)  \
    PART_ROW(part, a - b)           \
    PART_ROW(part + 1, b)           \
    PART_ROW(part + 2, c - b)

#define TAP(k) taps[k] * vload16(0, samples + k)
#define FOUR_TAPS(k) TAP(k) + TAP(k + 1) + TAP(k + 2) + TAP(k + 3)
#define ADD_TAPS(some)                                              \
    for (i = 0; i < used; i += 16, samples += 16) sum[i / 16] += some;

/* Negative sums end at 0 whichever way they are rounded. */
#define SUM_OF(part) sums[(part) * VECTORS + i / 16]
#define STORE(number, part)                                                                  \
    if (y + row + number <= last_y) {                                                        \
        uint to = (uint)(y + row + number) * output_stride + (uint)(x + i);                  \
        int16 all = as_int16(SUM_OF(part) + SUM_OF(part + 1) + SUM_OF(part + 3) +            \
                             SUM_OF(part + 4));                                              \
        uchar16 pixels = convert_uchar16(min(max(all, (int16)(0)) >> divide, (int16)(255))); \
        if (i + 16 <= used) {                                                                \
            *(__global uint4*)(output + to) = as_uint4(pixels);                              \
        } else {                                                                             \
            vstore16(pixels, 0, last);                                                       \
            for (j = 0; i + j < used; ++j) output[to + (uint)j] = last[j];                   \
        }                                                                                    \
    }

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * COLUMNS;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int size = (int)filter_size;
    int radius = size / 2;
    int reach = (size + 3) / 4; /* rows of a part that are kept */
    int from = x - radius;
    int used = min(COLUMNS, (int)width - x);
    int wide = used + size - 1;
    uint divide = min(filter_shift, 31u);
    uint filter[PARTS * PART_ROWS * TAPS];
    uchar picture[PICTURE][PITCH];
    uint parts[PARTS * PART_ROWS * PITCH];
    uint16 sums[PARTS * VECTORS];
    uchar last[16];
    int filled = 0; /* rows of the picture, counted from the first that the filter meets */
    int begin;      /* the first of those that make the next row of each part */
    int slot = 0;   /* where that goes */
    int row;
    int part;
    int i;
    int j;

    if (x > last_x || y > last_y) return;
    for (i = 0; i < PARTS * PART_ROWS * TAPS; ++i) filter[i] = 0u;
    for (part = 0; part < PARTS; ++part) {
        for (j = 0; j < size; ++j) {
            /* Rows of coefficients are padded with zeros to whole fours; three of zeros come before. */
            __global const int* taps = coefficients + (3 + j) * ((size + 3) & ~3);
            if (!HOLD(part / 3, (j & 1)) || !HOLD(part % 3, (j & 2))) continue;
            for (i = 0; i < size; ++i) {
                filter[(part * PART_ROWS + j / 4) * TAPS + i] += (uint)taps[i];
            }
        }
    }

    for (begin = 0; begin < ROWS + 4 * (reach - 1) && y + begin <= last_y + 4 * (reach - 1);
         begin += 4) {
        for (; filled < begin + 7; ++filled) {
            uchar* to = picture[filled % PICTURE];
            int whole_from;
            int whole_to;
            uint line;
            uint made_up;
            row = filled - radius;
            FIND_LINE
            /* Columns whole_from to whole_to - 1 are in the frame as they are. */
            whole_from = LANE_IS_BYTES && !made_up ? max(-from, 0) : wide;
            whole_to = LANE_IS_BYTES && !made_up ? min(last_x + 1 - from, wide) : wide;
            for (i = whole_from; i < whole_to; ++i) to[i] = frame[line + (uint)(from + i)];
            for (i = whole_from == 0 ? whole_to : 0; i < wide;
                 i = i + 1 == whole_from ? whole_to : i + 1) {
                uint sample;
                GATHER(sample, from + i)
                to[i] = (uchar)sample;
            }
        }
        for (i = 0; i < wide; i += 16) {
            int16 s0 = SAMPLES(0);
            int16 s1 = SAMPLES(1);
            int16 s2 = SAMPLES(2);
            int16 s3 = SAMPLES(3);
            int16 s4 = SAMPLES(4);
            int16 s5 = SAMPLES(5);
            int16 s6 = SAMPLES(6);
            THREE_PARTS(0, (s0 - s1), (s2 - s3), (s4 - s5))
            THREE_PARTS(3, s1, s3, s5)
            THREE_PARTS(6, (s2 - s1), (s4 - s3), (s6 - s5))
        }
        slot = slot + 1 == reach ? 0 : slot + 1;
        row = begin - 4 * (reach - 1);
        if (row < 0) continue;

        for (part = 0; part < PARTS; ++part) {
            uint16* sum = sums + part * VECTORS;
            for (i = 0; i < VECTORS; ++i) sum[i] = 0u;
            for (j = 0; j < reach; ++j) {
                int oldest = slot + j < reach ? slot + j : slot + j - reach;
                int first;
                for (first = 0; first < size; first += 8) {
                    uint* taps = filter + (part * PART_ROWS + j) * TAPS + first;
                    uint* samples = parts + (part * PART_ROWS + oldest) * PITCH + first;
                    if (first + 4 < size) {
                        ADD_TAPS(FOUR_TAPS(0) + FOUR_TAPS(4))
                    } else {
                        ADD_TAPS(FOUR_TAPS(0))
                    }
                }
            }
        }
        for (i = 0; i < used; i += 16) {
            STORE(0, 0)
            STORE(1, 3)
            STORE(2, 1)
            STORE(3, 4)
        }
    }
}
