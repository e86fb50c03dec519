// For CPUs: sums of outer products that a float holds exactly, 64 columns at a time. The work-item
// marches down ROWS rows; the sums along the last rows stay in a ring, from which those along the
// columns are made. Whole vectors of floats from any place in an array are what CPUs load best.
#include "convolution.h"
#include "terms.h"

#ifndef ROWS
#define ROWS 64 /* output rows per work-item */
#endif

#define COLUMNS 64
#define MOST 31 /* rows and columns of a filter */

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * COLUMNS;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int size = (int)filter_size;
    int radius = size / 2;
    int from = x - radius;
    /* 2^-filter_shift, exactly: its exponent alone. */
    float scale = as_float((127u - min(filter_shift, 31u)) << 23);
    int terms = (int)TERMS(coefficients);
    float taps[2 * TERM];
    float window[COLUMNS + 32];
    float ring[2 * MOST * COLUMNS];
    int slot = 0; /* of the ring's newest row */
    int row;
    int t;
    int i;
    int j;

    if (x > last_x || y > last_y) return;
    for (i = 0; i < 2 * (int)TERM; ++i) taps[i] = (float)coefficients[i];

    for (row = -radius; row < ROWS + radius && y + row <= last_y + radius; ++row) {
        uint line;
        uint made_up;
        float16 sum0 = 0.0f;
        float16 sum1 = 0.0f;
        float16 sum2 = 0.0f;
        float16 sum3 = 0.0f;
        FIND_LINE
        for (i = 0; i < COLUMNS + size - 1; i += 16) {
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
        for (t = 0; t < terms; ++t) {
            int to = (t * MOST + slot) * COLUMNS;
            sum0 = 0.0f;
            sum1 = 0.0f;
            sum2 = 0.0f;
            sum3 = 0.0f;
            for (i = 0; i < size; ++i) {
                float tap = taps[t * (int)TERM + i];
                sum0 += tap * vload16(0, window + i);
                sum1 += tap * vload16(0, window + i + 16);
                sum2 += tap * vload16(0, window + i + 32);
                sum3 += tap * vload16(0, window + i + 48);
            }
            vstore16(sum0, 0, ring + to);
            vstore16(sum1, 0, ring + to + 16);
            vstore16(sum2, 0, ring + to + 32);
            vstore16(sum3, 0, ring + to + 48);
        }
        slot = slot + 1 == size ? 0 : slot + 1;
        if (row < radius) continue;

        sum0 = 0.0f;
        sum1 = 0.0f;
        sum2 = 0.0f;
        sum3 = 0.0f;
        for (t = 0; t < terms; ++t) {
            j = slot; /* the oldest row */
            for (i = 0; i < size; ++i) {
                float tap = taps[t * (int)TERM + (int)TERM_COLUMN + i];
                int at = (t * MOST + j) * COLUMNS;
                sum0 += tap * vload16(0, ring + at);
                sum1 += tap * vload16(0, ring + at + 16);
                sum2 += tap * vload16(0, ring + at + 32);
                sum3 += tap * vload16(0, ring + at + 48);
                j = j + 1 == size ? 0 : j + 1;
            }
        }
        {
            uint to = (uint)(y + row - radius) * output_stride + (uint)x;
            uchar result[COLUMNS];
            /* Truncated before the conversion: what the clamp leaves is not negative. */
            vstore16(convert_uchar16(floor(clamp(sum0 * scale, 0.0f, 255.0f))), 0, result);
            vstore16(convert_uchar16(floor(clamp(sum1 * scale, 0.0f, 255.0f))), 0, result + 16);
            vstore16(convert_uchar16(floor(clamp(sum2 * scale, 0.0f, 255.0f))), 0, result + 32);
            vstore16(convert_uchar16(floor(clamp(sum3 * scale, 0.0f, 255.0f))), 0, result + 48);
            for (i = 0; i < COLUMNS && x + i <= last_x; i += 16) {
                if (x + i + 15 <= last_x) {
                    vstore16(vload16(0, result + i), 0, output + to + (uint)i);
                } else {
                    for (j = i; x + j <= last_x; ++j) output[to + (uint)j] = result[j];
                }
            }
        }
    }
}
