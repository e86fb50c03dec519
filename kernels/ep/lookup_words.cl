// Every byte through a table of 256. Sixteen columns and ROWS rows per work-item, loaded and stored
// 16 bytes at a time; the table is small enough for any cache.
#include "picture.h"

#ifndef ROWS
#define ROWS 4 /* rows per work-item */
#endif

#define LOOK_UP(word)                                                                      \
    word = (uint)table[(word) & 255u] | (uint)table[(word) >> 8 & 255u] << 8 |             \
           (uint)table[(word) >> 16 & 255u] << 16 | (uint)table[(word) >> 24] << 24;

__kernel void lookup(__global const uchar* frame, PICTURE_ARGUMENTS, __global const uchar* table)
{
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int end = min(y + ROWS, (int)height);
    uint4 bytes = 0u;

    if (x > last_x) return;
    for (; y < end; ++y) {
        uint line = offset + (uint)y * stride;
        LOAD_16(bytes, line, x)
        LOOK_UP(bytes.x)
        LOOK_UP(bytes.y)
        LOOK_UP(bytes.z)
        LOOK_UP(bytes.w)
        STORE_16(bytes, y, last_x)
    }
}
