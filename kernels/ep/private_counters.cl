// Histogram with counters of its own for every work-item: no atomics, no local memory, legal on
// every device. A work-group takes whole rows and its work-items take neighbouring 16-byte chunks
// of them, so loads are wide and lie side by side. Equal neighbours would make each increment wait
// for the one before it, hence COPIES tables, used in turn. Made for CPUs: few work-items, whose
// tables stay in the first-level cache. The second kernel adds the partial histograms up.
#include "histogram.h"

#ifndef COPIES
#define COPIES 4 /* tables per work-item: 1, 2, 4 or 8 */
#endif

#define COUNT(bin)                             \
    counts[turn * (uint)BINS + (bin)] += 1u;   \
    turn = (turn + 1u) & ((uint)COPIES - 1u);

#define TABLE(k) ((uint)((k) % COPIES) * 256u)
#define COUNT_BYTES(word, k)                            \
    counts[TABLE(k) + ((word) & 255u)] += 1u;           \
    counts[TABLE(k + 1) + ((word) >> 8 & 255u)] += 1u;  \
    counts[TABLE(k + 2) + ((word) >> 16 & 255u)] += 1u; \
    counts[TABLE(k + 3) + ((word) >> 24)] += 1u;

__kernel void histogram(__global const uchar* frame, HISTOGRAM_LANES, __global const ushort* table,
                        uint levels, __global const uchar* mask, __global uint* partials)
{
    uint counts[BINS * COPIES];
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint group = (uint)get_group_id(0);
    uint partial = (uint)get_global_id(0) * (uint)BINS;
    uint turn = 0u;
    uint row;
    uint per_word;
    uint right;
    uint keep;
    uint i;
    uint k;

    CHOOSE_LANE
    DESCRIBE_WORDS
    for (i = 0u; i < (uint)(BINS * COPIES); ++i) counts[i] = 0u;

    if (COUNTS_BYTES) {
        for (row = group; row < height; row += groups) {
            uint start = offset + row * stride;
            uint end = start + width;
            uint at = (start & ~15u) + item * 16u;
            for (; at < end; at += items * 16u) {
                if (at >= start && end - at >= 16u) {
                    uint4 words = *(__global const uint4*)(frame + at);
                    COUNT_BYTES(words.x, 0)
                    COUNT_BYTES(words.y, 4)
                    COUNT_BYTES(words.z, 8)
                    COUNT_BYTES(words.w, 12)
                } else {
                    /* The first or the last chunk of a row: only the bytes inside it. */
                    uint from = max(at, start);
                    uint to = min(at + 16u, end);
                    for (; from < to; ++from) counts[frame[from]] += 1u;
                }
            }
        }
    } else if (per_word != 0u) {
        for (row = group; row < height; row += groups) COUNT_ROW_OF_WORDS
    } else {
        for (row = group; row < height; row += groups) COUNT_ROW_OF_SAMPLES
    }

    for (i = 0u; i < (uint)BINS; ++i) {
        uint sum = counts[i];
        for (k = 1u; k < (uint)COPIES; ++k) sum += counts[k * (uint)BINS + i];
        partials[partial + i] = sum;
    }
}

HISTOGRAM_REDUCE
