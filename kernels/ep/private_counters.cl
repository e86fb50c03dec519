// Histogram with counters of its own for every work-item: no atomics, no local memory, legal on
// every device. A work-group takes whole rows and its work-items take neighbouring 16-byte chunks
// of them, so loads are wide and lie side by side. Equal neighbours would make each increment wait
// for the one before it, hence COPIES tables, used in turn. Suits CPUs (few work-items, the tables
// stay in the first-level cache) and embedded GPUs with memory for private arrays; the second
// kernel adds the partial histograms up.
#ifndef COPIES
#define COPIES 4 /* tables per work-item: 1, 2, 4 or 8 */
#endif

#define TABLE(k) ((uint)((k) % COPIES) * 256u)
#define COUNT_WORD(word, k)                           \
    counts[TABLE(k) + ((word) & 255u)] += 1u;         \
    counts[TABLE(k + 1) + ((word) >> 8 & 255u)] += 1u;  \
    counts[TABLE(k + 2) + ((word) >> 16 & 255u)] += 1u; \
    counts[TABLE(k + 3) + ((word) >> 24)] += 1u;

__kernel void histogram(__global const uchar* frame, uint offset, uint stride, uint step, int low,
                        uint shift, uint width, uint height, __global uint* partials,
                        uint base)
{
    uint counts[256 * COPIES];
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint groups = (uint)get_num_groups(0);
    uint row = (uint)get_group_id(0);
    uint first = base + (uint)get_global_id(0) * 256u;
    uint i;
    uint k;

    for (i = 0u; i < 256u * COPIES; ++i) counts[i] = 0u;

    if (step == 1u && low == 0 && shift == 8u) {
        for (; row < height; row += groups) {
            uint start = offset + row * stride;
            uint end = start + width;
            uint at = (start & ~15u) + item * 16u;
            for (; at < end; at += items * 16u) {
                if (at >= start && end - at >= 16u) {
                    uint4 words = *(__global const uint4*)(frame + at);
                    COUNT_WORD(words.x, 0)
                    COUNT_WORD(words.y, 4)
                    COUNT_WORD(words.z, 8)
                    COUNT_WORD(words.w, 12)
                } else {
                    /* The first or the last chunk of a row: only the bytes inside it. */
                    uint from = max(at, start);
                    uint to = min(at + 16u, end);
                    for (; from < to; ++from) counts[frame[from]] += 1u;
                }
            }
        }
    } else {
        uint places = min(shift, 31u);
        for (; row < height; row += groups) {
            uint x = item;
            for (; x < width; x += items) {
                uint at = offset + row * stride + x * step;
                uint high = frame[at];
                uint both = high << 8 | (uint)frame[at + (uint)low];
                counts[TABLE(0) + min(both >> places, 255u)] += 1u;
            }
        }
    }

    for (i = 0u; i < 256u; ++i) {
        uint sum = counts[i];
        for (k = 1u; k < COPIES; ++k) sum += counts[k * 256u + i];
        partials[first + i] = sum;
    }
}

__kernel void histogram_reduce(__global const uint* partials, uint count, __global uint* bins,
                               uint first)
{
    uint bin = (uint)get_global_id(0);
    uint items = (uint)get_global_size(0);
    uint k;
    for (; bin < 256u; bin += items) {
        uint sum = 0u;
        for (k = 0u; k < count; ++k) sum += partials[k * 256u + bin];
        bins[first + bin] = sum;
    }
}
