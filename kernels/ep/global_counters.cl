// Histogram that counts straight into the work-item's own partial histogram in global memory: no
// private array, no atomics, no local memory. Slower than private_counters where that one builds;
// made for small GPUs whose compiler has no room for a private array of 256 counters ("Not Enough
// Register Memory"). Work-groups take whole rows, work-items neighbouring 16-byte chunks.
#define COUNT_WORD(word)                     \
    partials[first + ((word) & 255u)] += 1u;       \
    partials[first + ((word) >> 8 & 255u)] += 1u;  \
    partials[first + ((word) >> 16 & 255u)] += 1u; \
    partials[first + ((word) >> 24)] += 1u;

__kernel void histogram(__global const uchar* frame, uint offset, uint stride, uint step, int low,
                        uint shift, uint width, uint height, __global uint* partials,
                        uint base)
{
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint groups = (uint)get_num_groups(0);
    uint row = (uint)get_group_id(0);
    uint first = base + (uint)get_global_id(0) * 256u;
    uint i;

    for (i = 0u; i < 256u; ++i) partials[first + i] = 0u;

    if (step == 1u && low == 0 && shift == 8u) {
        for (; row < height; row += groups) {
            uint start = offset + row * stride;
            uint end = start + width;
            uint at = (start & ~15u) + item * 16u;
            for (; at < end; at += items * 16u) {
                if (at >= start && end - at >= 16u) {
                    uint4 words = *(__global const uint4*)(frame + at);
                    COUNT_WORD(words.x)
                    COUNT_WORD(words.y)
                    COUNT_WORD(words.z)
                    COUNT_WORD(words.w)
                } else {
                    /* The first or the last chunk of a row: only the bytes inside it. */
                    uint from = max(at, start);
                    uint to = min(at + 16u, end);
                    for (; from < to; ++from) partials[first + (uint)frame[from]] += 1u;
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
                partials[first + min(both >> places, 255u)] += 1u;
            }
        }
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
