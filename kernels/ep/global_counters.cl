// Histogram that counts straight into the work-item's own partial histogram in global memory: no
// private array, no atomics, no local memory. Slower than packed_counters where that one builds;
// made for small GPUs whose compiler has no room for a private array of counters ("Not Enough
// Register Memory"). Work-groups take whole rows, work-items neighbouring 16-byte chunks.
#include "histogram.h"

#define COUNT(bin) partials[partial + (bin)] += 1u;

__kernel void histogram(__global const uchar* frame, HISTOGRAM_LANES, __global const ushort* table,
                        uint levels, __global const uchar* mask, __global uint* partials)
{
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint group = (uint)get_group_id(0);
    uint partial = (uint)get_global_id(0) * (uint)BINS;
    uint row;
    uint per_word;
    uint right;
    uint keep;
    uint i;

    CHOOSE_LANE
    DESCRIBE_WORDS
    for (i = 0u; i < (uint)BINS; ++i) partials[partial + i] = 0u;

    for (row = group; row < height; row += groups) {
        if (per_word != 0u) COUNT_ROW_OF_WORDS else COUNT_ROW_OF_SAMPLES
    }
}

HISTOGRAM_REDUCE
