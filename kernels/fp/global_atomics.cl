// Baseline: an atomic addition to the bins in global memory for every sample.
#include "histogram.h"

__kernel void histogram(__global const uchar* frame, HISTOGRAM_LANES, __global const ushort* table,
                        uint levels, __global const uchar* mask, __global uint* bins)
{
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint group = (uint)get_group_id(0);
    uint row;
    uint x;
    uint bin;

    CHOOSE_LANE
    for (row = group; row < height; row += groups) {
        for (x = item; x < width; x += items) {
            if (MASKED_OUT(x, row)) continue;
            READ_BIN(bin, x, row)
            atomic_add(&bins[base + bin], weight);
        }
    }
}
