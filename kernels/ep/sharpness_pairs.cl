// Sum of the squares of the Laplacian: every work-item leaves the sum of its sixteen columns and
// ROWS rows, and the host adds them up. A square is at most (4 x 255)^2 = 1040400, so 32 bits hold
// 4128 of them; 16 x 256 rows are 4096, hence at most 256 rows per work-item. No atomics, no shared
// memory.
#include "signed_pairs.h"
#include "window.h"

#ifndef ROWS
#define ROWS 32 /* rows per work-item, at most 256 */
#endif

__kernel void sharpness(__global const uchar* frame, LANE_ARGUMENTS, __global uint* partials,
                        uint begin)
{
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    uint sum;
#include "sharpness_rows.h"
    partials[begin + (uint)get_global_id(1) * (uint)get_global_size(0) + (uint)get_global_id(0)] = sum;
}
