// For CPUs: filter of any odd size whose sums a float holds exactly; 16 columns and four rows per
// work-item. A vector of samples is loaded once for all four rows.
#define COEFFICIENT_SPACE __global const
#define COEFFICIENTS_ARE_FLOATS
#include "convolution.h"

#ifndef ROWS
#define ROWS 4 /* output rows per work-item; nothing else is implemented */
#endif

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int size = (int)filter_size;
    int radius = size / 2;
    int from = x - radius;
    /* 2^-filter_shift, exactly: its exponent alone. */
    float scale = as_float((127u - min(filter_shift, 31u)) << 23);
    int pitch = (size + 3) & ~3;
    float window[16 + 32];
    float16 sum0 = 0.0f;
    float16 sum1 = 0.0f;
    float16 sum2 = 0.0f;
    float16 sum3 = 0.0f;
    int row;
    int i;
    int j;

    if (x > last_x || y > last_y) return;
    for (row = -radius; row < ROWS + radius; ++row) {
        /* Three rows of zeros stand before and after those of the filter. */
        __global const float* taps = coefficients + (row + radius + 3) * pitch;
        uint line;
        uint made_up;
        FIND_LINE
        for (i = 0; i < 16 + size - 1; i += 16) {
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
        for (i = 0; i < size; ++i) {
            float16 samples = vload16(0, window + i);
            sum0 += taps[i] * samples;
            sum1 += taps[i - pitch] * samples;
            sum2 += taps[i - 2 * pitch] * samples;
            sum3 += taps[i - 3 * pitch] * samples;
        }
    }
    for (row = 0; row < ROWS && y + row <= last_y; ++row) {
        uint to = (uint)(y + row) * output_stride + (uint)x;
        /* Truncated before the conversion: what the clamp leaves is not negative. */
        uchar16 result = convert_uchar16(floor(clamp(sum0 * scale, 0.0f, 255.0f)));
        sum0 = sum1;
        sum1 = sum2;
        sum2 = sum3;
        if (x + 15 <= last_x) {
            *(__global uint4*)(output + to) = as_uint4(result);
        } else {
            uchar bytes[16];
            vstore16(result, 0, bytes);
            for (i = 0; x + i <= last_x; ++i) output[to + (uint)i] = bytes[i];
        }
    }
}
