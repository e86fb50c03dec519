// Interleaved bytes, 2 to 4 of them to a pixel, each into a plane of its own. Four columns and ROWS
// rows per work-item: four pixels are as many words as a pixel has bytes, loaded whole, and every
// plane gets one word of them.
#include "picture.h"

#ifndef ROWS
#define ROWS 4 /* rows per work-item */
#endif

/* The byte `bits` of each of four pixels. */
#define PLANE(bits)                                                                   \
    ((p0 >> (bits) & 255u) | (p1 >> (bits) & 255u) << 8 | (p2 >> (bits) & 255u) << 16 | \
     (p3 >> (bits) & 255u) << 24)

#define STORE_PLANE(plane, byte)                                             \
    if (x + 3 <= last_x) {                                                   \
        *(__global uint*)(output + to + (plane) * size) = PLANE((byte) * 8u); \
    } else {                                                                 \
        for (i = x; i <= last_x; ++i) {                                      \
            output[to + (plane) * size + (uint)(i - x)] =                    \
                frame[line + (uint)i * step + (byte)];                       \
        }                                                                    \
    }

__kernel void planar(__global const uchar* frame, PICTURE_ARGUMENTS, uint planes, uint first_byte,
                     uint second_byte, uint third_byte)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int end = min(y + ROWS, (int)height);
    uint size = height * output_stride;
    int i;

    if (x > last_x) return;
    for (; y < end; ++y) {
        uint line = offset + (uint)y * stride;
        uint to = (uint)y * output_stride + (uint)x;
        uint p0 = 0u;
        uint p1 = 0u;
        uint p2 = 0u;
        uint p3 = 0u;
        if (x + 3 <= last_x) {
            uint at = line + (uint)x * step;
            uint bits = (at & 3u) * 8u;
            __global const uint* words = (__global const uint*)(frame + (at & ~3u));
            uint w0 = words[0];
            uint w1 = words[1];
            uint w2 = step > 2u || bits != 0u ? words[2] : 0u;
            uint w3 = step > 3u || (step == 3u && bits != 0u) ? words[3] : 0u;
            if (bits != 0u) {
                uint w4 = step == 4u ? words[4] : 0u;
                w0 = w0 >> bits | w1 << (32u - bits);
                w1 = w1 >> bits | w2 << (32u - bits);
                w2 = w2 >> bits | w3 << (32u - bits);
                w3 = w3 >> bits | w4 << (32u - bits);
            }
            p0 = w0;
            p1 = step == 2u ? w0 >> 16 : step == 3u ? w0 >> 24 | w1 << 8 : w1;
            p2 = step == 2u ? w1 : step == 3u ? w1 >> 16 | w2 << 16 : w2;
            p3 = step == 2u ? w1 >> 16 : step == 3u ? w2 >> 8 : w3;
        }
        STORE_PLANE(0u, first_byte)
        STORE_PLANE(1u, second_byte)
        if (planes == 3u) {
            STORE_PLANE(2u, third_byte)
        }
    }
}
