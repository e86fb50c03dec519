// Magnitude of the Sobel gradient, |gx| + |gy| saturated. Sixteen columns and ROWS rows per
// work-item; two 16-bit numbers share each 32-bit part of a uint4, even and odd columns. Each
// row is loaded once per item and its differences and sums across are kept for two rows.
#include "signed_pairs.h"
#include "window.h"

#ifndef ROWS
#define ROWS 16 /* output rows per work-item */
#endif

__kernel void sobel(__global const uchar* frame, PICTURE_ARGUMENTS, uint border, uint border_value)
{
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint gather;
    int row;
    uint before = 0u;
    uint4 here = 0u;
    uint after = 0u;
    uint4 evens;
    uint4 odds;
    uint4 lefts;
    uint4 rights;
    uint4 even_d0 = 0u;
    uint4 even_d1 = 0u;
    uint4 even_s0 = 0u;
    uint4 even_s1 = 0u;
    uint4 odd_d0 = 0u;
    uint4 odd_d1 = 0u;
    uint4 odd_s0 = 0u;
    uint4 odd_s1 = 0u;

    if (x > last_x || y > last_y) return;
    gather = MUST_GATHER;

    for (row = -1; row <= ROWS && y + row <= last_y + 1; ++row) {
        uint line;
        uint made_up;
        uint4 even_d;
        uint4 even_s;
        uint4 odd_d;
        uint4 odd_s;
        LOAD_WINDOW
        NEIGHBOURS
        even_d = odds - lefts;
        even_s = lefts + odds + evens * 2u;
        odd_d = rights - evens;
        odd_s = evens + rights + odds * 2u;
        if (row >= 1) {
            uint4 even;
            uint4 odd;
            GRADIENT(even, even_d0, even_d1, even_d, even_s0, even_s)
            GRADIENT(odd, odd_d0, odd_d1, odd_d, odd_s0, odd_s)
            even = even | odd << 8;
            STORE_16(even, y + row - 1, last_x)
        }
        even_d0 = even_d1;
        even_d1 = even_d;
        even_s0 = even_s1;
        even_s1 = even_s;
        odd_d0 = odd_d1;
        odd_d1 = odd_d;
        odd_s0 = odd_s1;
        odd_s1 = odd_s;
    }
}
