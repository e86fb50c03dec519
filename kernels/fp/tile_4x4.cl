// Baseline: as four_pixels, with a tile of 4 columns and 4 rows per work-item at a time.
#include "histogram.h"
#include "local_table.h"

__kernel void histogram(__global const uchar* frame, HISTOGRAM_LANES, __global const ushort* table,
                        uint levels, __global const uchar* mask, __global uint* bins)
{
    __local uint counts[BINS];
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint group = (uint)get_group_id(0);
    uint band; /* four rows */
    uint row;
    uint x;
    uint i;
    uint k;
    uint bin;

    CHOOSE_LANE
    CLEAR_COUNTS
    for (band = group * 4u; band < height; band += groups * 4u) {
        for (x = item * 4u; x < width; x += items * 4u) {
            for (row = band; row < min(band + 4u, height); ++row) {
                if (COUNTS_BYTES && x + 4u <= width) {
                    uchar4 four = vload4(0, frame + offset + row * stride + x);
                    atomic_inc(&counts[four.x]);
                    atomic_inc(&counts[four.y]);
                    atomic_inc(&counts[four.z]);
                    atomic_inc(&counts[four.w]);
                } else {
                    for (k = x; k < min(x + 4u, width); ++k) {
                        if (MASKED_OUT(k, row)) continue;
                        READ_BIN(bin, k, row)
                        atomic_inc(&counts[bin]);
                    }
                }
            }
        }
    }
    ADD_COUNTS_TO_BINS
}
