// Sum of the squares of the Laplacian: a work-group adds the sums of its items up in local memory
// and leaves one number. A square is at most (4 x 255)^2 = 1040400, so 32 bits hold 4128 of them:
// LOCAL_X x LOCAL_Y items of 16 columns and ROWS rows must not be more than 4096 samples.
#include "signed_pairs.h"
#include "window.h"

#ifndef ROWS
#define ROWS 4 /* rows per work-item */
#endif
#ifndef LOCAL_X
#define LOCAL_X 16
#endif
#ifndef LOCAL_Y
#define LOCAL_Y 4
#endif

__kernel void sharpness(__global const uchar* frame, LANE_ARGUMENTS, __global uint* partials,
                        uint begin)
{
    __local uint sums[LOCAL_X * LOCAL_Y];
    int x = (int)get_global_id(0) * 16;
    int y = (int)get_global_id(1) * ROWS;
    uint item = (uint)get_local_id(1) * LOCAL_X + (uint)get_local_id(0);
    uint stretch;
    uint sum;
#include "sharpness_rows.h"
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (stretch = LOCAL_X * LOCAL_Y / 2; stretch > 0u; stretch >>= 1) {
        if (item < stretch) sums[item] += sums[item + stretch];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0u) {
        partials[begin + (uint)get_group_id(1) * (uint)get_num_groups(0) + (uint)get_group_id(0)] = sums[0];
    }
}
