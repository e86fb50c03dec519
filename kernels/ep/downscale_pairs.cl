// Half of the columns and rows, each pixel the mean of four samples, half rounded up. Eight columns
// and ROWS rows of the output per work-item; a 32-bit word holds the sums of two pixels. The last of
// an odd number of columns or rows is averaged with itself, which changes nothing.
#include "picture.h"

#ifndef ROWS
#define ROWS 4 /* output rows per work-item */
#endif

#define PAIR 0x00ff00ffu

__kernel void downscale(__global const uchar* frame, PICTURE_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 8;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int last = last_x / 2;
    int end = min(y + ROWS, last_y / 2 + 1);
    uint4 above = 0u;
    uint4 below = 0u;

    if (x > last) return;
    for (; y < end; ++y) {
        uint line = offset + (uint)(2 * y) * stride;
        uint to = (uint)y * output_stride + (uint)x;
        uint word0;
        uint word1;
        LOAD_16(above, line, 2 * x)
        line = offset + (uint)min(2 * y + 1, last_y) * stride;
        LOAD_16(below, line, 2 * x)
        above = (above & PAIR) + (above >> 8 & PAIR) + (below & PAIR) + (below >> 8 & PAIR);
        above = (above + 0x00020002u) >> 2 & PAIR;
        above = (above | above >> 8) & 0xffffu;
        word0 = above.x | above.y << 16;
        word1 = above.z | above.w << 16;
        if (x + 7 <= last) {
            *(__global uint*)(output + to) = word0;
            *(__global uint*)(output + to + 4u) = word1;
        } else {
            int i;
            for (i = x; i <= last; ++i) {
                output[to] = (uchar)(word0 & 255u);
                word0 = word0 >> 8 | word1 << 24;
                word1 = word1 >> 8;
                to += 1u;
            }
        }
    }
}
