// Baseline: four neighbouring pixels per work-item from a tile in local memory.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef LOCAL_X
#define LOCAL_X 16
#endif
#ifndef LOCAL_Y
#define LOCAL_Y 16
#endif
#include "tile.h"

#define COLUMNS_OF_TILE (4 * LOCAL_X + 2 * RADIUS)

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    __local uchar tile[COLUMNS_OF_TILE * (LOCAL_Y + 2 * RADIUS)];
    int lx = (int)get_local_id(0);
    int ly = (int)get_local_id(1);
    int left = (int)get_group_id(0) * LOCAL_X * 4 - RADIUS;
    int y = (int)get_group_id(1) * LOCAL_Y - RADIUS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int x;
    int row;
    int column;
    uint to;
    uint k = 0u;
    int4 sum = 0;

    LOAD_TILE(tile, COLUMNS_OF_TILE, left, COLUMNS_OF_TILE, LOCAL_Y + 2 * RADIUS)
    x = left + RADIUS + 4 * lx;
    y += RADIUS + ly;
    if (x > last_x || y > last_y) return;
    for (row = ly; row <= ly + 2 * RADIUS; ++row) {
        for (column = 4 * lx; column <= 4 * lx + 2 * RADIUS; ++column) {
            sum += coefficients[k] *
                convert_int4(vload4(0, tile + row * COLUMNS_OF_TILE + column));
            k += 1u;
        }
    }
    to = (uint)y * output_stride + (uint)x;
    output[to] = RESULT(sum.x);
    if (x + 1 <= last_x) output[to + 1u] = RESULT(sum.y);
    if (x + 2 <= last_x) output[to + 2u] = RESULT(sum.z);
    if (x + 3 <= last_x) output[to + 3u] = RESULT(sum.w);
}
