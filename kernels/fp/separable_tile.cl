// Sums of outer products in one pass: a work-group loads a tile of samples and what is around it
// into local memory, adds up along its rows and then along its columns. Four rows of pixels per
// work-item.
#include "convolution.h"
#include "terms.h"

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
    __local int sums[LOCAL_X * (TILE_ROWS + 30)];
    int lx = (int)get_local_id(0);
    int ly = (int)get_local_id(1);
    int size = (int)filter_size;
    int left = (int)get_group_id(0) * LOCAL_X - size / 2;
    int y = (int)get_group_id(1) * TILE_ROWS - size / 2;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    int column;
    uint t;
    uint to;
    int4 sum = 0;

    LOAD_TILE(tile, PITCH, left, LOCAL_X + size - 1, TILE_ROWS + size - 1)
    for (t = 0u; t < TERMS(coefficients); ++t) {
        int tap0 = 0;
        int tap1 = 0;
        int tap2 = 0;
        int tap3 = 0;
        for (row = ly; row < TILE_ROWS + size - 1; row += LOCAL_Y) {
            int along = 0;
            for (column = 0; column < size; ++column) {
                along += coefficients[t * TERM + (uint)column] *
                    (int)tile[row * PITCH + lx + column];
            }
            sums[row * LOCAL_X + lx] = along;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        /* A sum is looked at once for all four rows; `row` is that of the first one's tap. */
        for (row = 0; row < size + 3; ++row) {
            int along = sums[(4 * ly + row) * LOCAL_X + lx];
            tap3 = tap2;
            tap2 = tap1;
            tap1 = tap0;
            tap0 = row < size ? coefficients[t * TERM + TERM_COLUMN + (uint)row] : 0;
            sum += (int4)(tap0, tap1, tap2, tap3) * along;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
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
