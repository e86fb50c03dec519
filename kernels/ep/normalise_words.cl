// Threshold, subtraction of the mean and scaling in one pass. Sixteen columns and ROWS rows per
// work-item: bytes 16 at a time, the same byte of four words together; other samples one by one.
#include "picture.h"

#ifndef ROWS
#define ROWS 4 /* rows per work-item */
#endif

__kernel void normalise(__global const uchar* frame, PICTURE_ARGUMENTS, int threshold, int mean,
                        int gain, int scale, int level)
{
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int end = min(y + ROWS, (int)height);
    /* Shifting rounds down; one less than the divisor makes that upwards for negative numbers. */
    int below_one = (int)((1u << scale) - 1u);
    uint4 bytes = 0u;
    int i;

    if (x > last_x) return;
    for (; y < end; ++y) {
        uint line = offset + (uint)y * stride;
        if (LANE_IS_BYTES && x + 15 <= last_x) {
            uint4 result = 0u;
            LOAD_WORDS(bytes, line + (uint)x)
            for (i = 0; i < 32; i += 8) {
                int4 value = as_int4(bytes >> (uint)i & 255u);
                value = (value - mean) * gain & (value >= threshold);
                value = (value + (below_one & (value < 0))) >> scale;
                result |= as_uint4(min(max(value + level, 0), 255)) << (uint)i;
            }
            bytes = result;
        } else {
            for (i = 0; i < 16; ++i) {
                uint sample;
                int value;
                READ_SAMPLE(sample, line, min(x + i, last_x))
                value = (int)(sample >> shift);
                value = value < threshold ? 0 : (value - mean) * gain;
                value = (value + (value < 0 ? below_one : 0)) >> scale;
                PUSH(bytes, (uint)min(max(value + level, 0), 255))
            }
        }
        STORE_16(bytes, y, last_x)
    }
}
