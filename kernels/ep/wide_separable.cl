// For CPUs: sums of outer products that a float holds exactly, 256 columns at a time, so that memory is
// read in long pieces. The work-item marches down ROWS rows; the sums along the last rows stay in a
// ring, from which those along the columns are made. Whole vectors of floats from any place in an
// array are what CPUs load best; four of them share each tap.
#include "convolution.h"
#include "terms.h"

#ifndef ROWS
#define ROWS 64 /* output rows per work-item */
#endif

#define COLUMNS 256
#define AT_ONCE 64 /* columns whose sums are in registers */
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
    /* 2^-filter_shift, exactly: its exponent alone. */
    float scale = as_float((127u - min(filter_shift, 31u)) << 23);
    int terms = (int)TERMS(coefficients);
    float taps[2 * TERM];
    float window[COLUMNS + 32];
    float ring[2 * MOST * COLUMNS];
    float sums[AT_ONCE];
    int slot = 0; /* of the ring's newest row */
    int row;
    int begin;
    int t;
    int i;
    int j;

    if (x > last_x || y > last_y) return;
    for (i = 0; i < 2 * (int)TERM; ++i) taps[i] = (float)coefficients[i];

    for (row = -radius; row < ROWS + radius && y + row <= last_y + radius; ++row) {
        uint line;
        uint made_up;
        float16 sum0;
        float16 sum1;
        float16 sum2;
        float16 sum3;
        FIND_LINE
        for (i = 0; i < used + size - 1; i += 16) {
            if (LANE_IS_BYTES && !made_up && from + i >= 0 && from + i + 15 <= last_x) {
                uint at = line + (uint)(from + i);
                vstore16(convert_float16(vload16(0, frame + at)), 0, window + i);
            } else {
                for (j = i; j < i + 16; ++j) {
                    uint sample;
                    GATHER(sample, from + j)
                    window[j] = (float)sample;
                }
            }
        }
        for (begin = 0; begin < used; begin += AT_ONCE) {
            for (t = 0; t < terms; ++t) {
                int to = (t * MOST + slot) * COLUMNS + begin;
                sum0 = 0.0f;
                sum1 = 0.0f;
                sum2 = 0.0f;
                sum3 = 0.0f;
                for (i = 0; i < size; ++i) {
                    float tap = taps[t * (int)TERM + i];
                    sum0 += tap * vload16(0, window + begin + i);
                    sum1 += tap * vload16(0, window + begin + i + 16);
                    sum2 += tap * vload16(0, window + begin + i + 32);
                    sum3 += tap * vload16(0, window + begin + i + 48);
                }
                vstore16(sum0, 0, ring + to);
                vstore16(sum1, 0, ring + to + 16);
                vstore16(sum2, 0, ring + to + 32);
                vstore16(sum3, 0, ring + to + 48);
            }
        }
        slot = slot + 1 == size ? 0 : slot + 1;
        if (row < radius) continue;

        for (begin = 0; begin < used; begin += AT_ONCE) {
            uint to = (uint)(y + row - radius) * output_stride + (uint)(x + begin);
            sum0 = 0.0f;
            sum1 = 0.0f;
            sum2 = 0.0f;
            sum3 = 0.0f;
            for (t = 0; t < terms; ++t) {
                j = slot; /* the oldest row */
                for (i = 0; i < size; ++i) {
                    float tap = taps[t * (int)TERM + (int)TERM_COLUMN + i];
                    int at = (t * MOST + j) * COLUMNS + begin;
                    sum0 += tap * vload16(0, ring + at);
                    sum1 += tap * vload16(0, ring + at + 16);
                    sum2 += tap * vload16(0, ring + at + 32);
                    sum3 += tap * vload16(0, ring + at + 48);
                    j = j + 1 == size ? 0 : j + 1;
                }
            }
            vstore16(sum0, 0, sums);
            vstore16(sum1, 0, sums + 16);
            vstore16(sum2, 0, sums + 32);
            vstore16(sum3, 0, sums + 48);
            for (i = 0; i < AT_ONCE && begin + i < used; i += 16) {
                /* Truncated by the conversion; what the clamp leaves is not negative. */
                int16 whole = convert_int16(clamp(vload16(0, sums + i) * scale, 0.0f, 255.0f));
                if (begin + i + 15 < used) {
                    *(__global uint4*)(output + to + (uint)i) = as_uint4(convert_uchar16(whole));
                } else {
                    uchar bytes[16];
                    vstore16(convert_uchar16(whole), 0, bytes);
                    for (j = 0; begin + i + j < used; ++j) output[to + (uint)(i + j)] = bytes[j];
                }
            }
        }
    }
}
