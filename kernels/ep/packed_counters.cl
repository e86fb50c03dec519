// Histogram with counters of its own for every work-item, two of 16 bits in a register: 256 of them
// are 128 components, half of what a small embedded GPU has in all. No atomics, no local memory.
// Before a counter could overflow the work-item adds them to its partial histogram in memory and
// starts again. The second kernel adds the partial histograms up.
#include "histogram.h"

#define COUNT(bin) counts[(bin) >> 1] += ((bin) & 1u) != 0u ? 0x10000u : 1u;

__kernel void histogram(__global const uchar* frame, HISTOGRAM_LANES, __global const ushort* table,
                        uint levels, __global const uchar* mask, __global uint* partials)
{
    uint counts[BINS / 2]; /* of bins 2 i in the lower halves, 2 i + 1 in the upper */
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint group = (uint)get_group_id(0);
    uint partial = (uint)get_global_id(0) * (uint)BINS;
    uint counted = 0u;
    uint row;
    uint most; /* samples of one row that a work-item counts, at most */
    uint per_word;
    uint right;
    uint keep;
    uint i;

    CHOOSE_LANE
    DESCRIBE_WORDS
    most = (width / (items * 16u) + 2u) * 16u;
    for (i = 0u; i < (uint)(BINS / 2); ++i) {
        counts[i] = 0u;
        partials[partial + 2u * i] = 0u;
        partials[partial + 2u * i + 1u] = 0u;
    }

    for (row = group; row < height; row += groups) {
        if (per_word != 0u) COUNT_ROW_OF_WORDS else COUNT_ROW_OF_SAMPLES
        counted += most;
        if (counted + most > 65535u || row + groups >= height) {
            for (i = 0u; i < (uint)(BINS / 2); ++i) {
                partials[partial + 2u * i] += counts[i] & 0xffffu;
                partials[partial + 2u * i + 1u] += counts[i] >> 16;
                counts[i] = 0u;
            }
            counted = 0u;
        }
    }
}

HISTOGRAM_REDUCE
