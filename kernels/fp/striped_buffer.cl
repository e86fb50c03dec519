// Baseline: as group_partials, with a strip of neighbouring rows per work-group.
#include "histogram.h"
#include "local_table.h"

__kernel void histogram(__global const uchar* frame, HISTOGRAM_LANES, __global const ushort* table,
                        uint levels, __global const uchar* mask, __global uint* partials)
{
    __local uint counts[BINS];
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint group = (uint)get_group_id(0);
    uint strip; /* rows of a work-group, one below the other */
    uint last;
    uint row;
    uint x;
    uint i;
    uint bin;

    CHOOSE_LANE
    CLEAR_COUNTS
    strip = (height + groups - 1u) / groups;
    last = min((group + 1u) * strip, height);
    for (row = group * strip; row < last; ++row) {
        for (x = item; x < width; x += items) {
            if (MASKED_OUT(x, row)) continue;
            READ_BIN(bin, x, row)
            atomic_inc(&counts[bin]);
        }
    }
    LEAVE_COUNTS_AS_PARTIAL
}

HISTOGRAM_REDUCE
