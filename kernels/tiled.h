/* A filter of fixed size from a tile in local memory, one pixel per work-item. */
#include "convolution.h"
#include "tile.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif

#define PITCH (LOCAL_X + 2 * RADIUS)

__kernel void convolve(__global const PIXEL* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    __local PIXEL tile[PITCH * (LOCAL_Y + 2 * RADIUS)];
    int lx = (int)get_local_id(0);
    int ly = (int)get_local_id(1);
    int left = (int)get_group_id(0) * LOCAL_X - RADIUS;
    int y = (int)get_group_id(1) * LOCAL_Y - RADIUS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    int column;
    uint k = 0u;
    SUM sum = 0;

    LOAD_TILE(tile, PITCH, left, LOCAL_X + 2 * RADIUS, LOCAL_Y + 2 * RADIUS)
    left += RADIUS + lx;
    y += RADIUS + ly;
    if (left > last_x || y > last_y) return;
    for (row = ly; row <= ly + 2 * RADIUS; ++row) {
        for (column = lx; column <= lx + 2 * RADIUS; ++column) {
            sum += coefficients[k] * (SUM)tile[row * PITCH + column];
            k += 1u;
        }
    }
    output[(uint)y * output_stride + (uint)left] = RESULT(sum);
}
