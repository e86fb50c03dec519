// Filter of any odd size and any coefficients: a tile of samples and what is around it in local
// memory, four rows of pixels per work-item, so that a sample is looked at once for four of them.
#define COEFFICIENT_SPACE __global const
#include "convolution.h"

#ifndef LOCAL_X
#define LOCAL_X 32
#endif
#ifndef LOCAL_Y
#define LOCAL_Y 8
#endif
#include "tile.h"

#define TILE_ROWS (4 * LOCAL_Y)
#define PITCH (LOCAL_X + 30) /* for filters of up to 31 */

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    __local uchar tile[PITCH * (TILE_ROWS + 30)];
    int lx = (int)get_local_id(0);
    int ly = (int)get_local_id(1);
    int size = (int)filter_size;
    int left = (int)get_group_id(0) * LOCAL_X - size / 2;
    int y = (int)get_group_id(1) * TILE_ROWS - size / 2;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    int column;
    uint to;
    /* Rows of coefficients are padded with zeros to whole fours. */
    int pitch = (size + 3) & ~3;
    int4 sum = 0;

    LOAD_TILE(tile, PITCH, left, LOCAL_X + size - 1, TILE_ROWS + size - 1)
    for (column = 0; column < size; ++column) {
        int tap0 = 0;
        int tap1 = 0;
        int tap2 = 0;
        int tap3 = 0;
        /* `row` is that of the first pixel's tap. Three rows of zeros stand before and after those
           of the filter. */
        for (row = 0; row < size + 3; ++row) {
            int sample = (int)tile[(4 * ly + row) * PITCH + lx + column];
            tap3 = tap2;
            tap2 = tap1;
            tap1 = tap0;
            tap0 = coefficients[(row + 3) * pitch + column];
            sum += (int4)(tap0, tap1, tap2, tap3) * sample;
        }
    }
    left += size / 2 + lx;
    y += size / 2 + 4 * ly;
    to = (uint)y * output_stride + (uint)left;
    if (left > last_x || y > last_y) return;
    output[to] = RESULT(sum.x);
    if (y + 1 <= last_y) output[to + output_stride] = RESULT(sum.y);
    if (y + 2 <= last_y) output[to + 2u * output_stride] = RESULT(sum.z);
    if (y + 3 <= last_y) output[to + 3u * output_stride] = RESULT(sum.w);
}
