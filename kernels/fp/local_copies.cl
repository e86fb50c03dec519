// Histogram with COPIES local tables per work-group, interleaved: the counters of one bin lie side by
// side, one for each copy, and neighbouring work-items use neighbouring copies. With as many copies as
// the memory has banks no two of them ever meet, whatever the picture. Local atomics, 16-byte loads,
// a grid stride in which neighbouring work-items read neighbouring chunks; the row and column of the
// next chunk are found by addition, so the inner loop holds no division. Each group adds its table to
// the bins, which start at zero, with global atomics: a second launch would cost more than the counting.
// Suits GPUs with real local memory and atomics; poor on CPUs, where atomics are slow.
#ifndef COPIES
#define COPIES 32 /* a power of two; COPIES KiB of local memory */
#endif

#define COUNT(bin) atomic_inc(&own[(bin) * (uint)COPIES]);
#define COUNT_WORD(word)       \
    COUNT((word) & 255u)       \
    COUNT((word) >> 8 & 255u)  \
    COUNT((word) >> 16 & 255u) \
    COUNT((word) >> 24)
#define COUNT_CHUNK(words) \
    COUNT_WORD(words.x)    \
    COUNT_WORD(words.y)    \
    COUNT_WORD(words.z)    \
    COUNT_WORD(words.w)

__kernel void histogram(__global const uchar* frame, uint offset, uint stride, uint step, int low,
                        uint shift, uint width, uint height, __global uint* bins,
                        uint base)
{
    __local uint counts[256 * COPIES];
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint all = (uint)get_global_size(0);
    __local uint* own = counts + (item & (uint)(COPIES - 1));
    uint plain = step == 1u && low == 0 && shift == 8u;
    uint places = min(shift, 31u);
    uint rows = height;
    uint columns = width;
    uint row;
    uint column;
    uint more_rows;
    uint more_columns;
    uint i;
    uint k;
    /* Without padding the picture is one run of bytes: whole chunks, and up to 15 bytes before and
       after them. */
    uint run = plain && stride == width;
    uint end = offset + width * height;
    uint inner = min((offset + 15u) & ~15u, end);
    uint outer = max(end & ~15u, inner);
    uint count = run ? (outer - inner) >> 4 : 0u;
    uint me = (uint)get_global_id(0);
    __global const uint4* chunks = (__global const uint4*)(frame + inner);
    uint4 a = (uint4)(0u, 0u, 0u, 0u);
    uint4 b = (uint4)(0u, 0u, 0u, 0u);

    /* Always two loads ahead of the counting; the first are under way while the table is cleared. */
    if (count != 0u) {
        a = chunks[min(me, count - 1u)];
        b = chunks[min(me + all, count - 1u)];
    }
    for (i = item; i < 256u * COPIES; i += items) counts[i] = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (run) {
        for (i = me; i < count; i += 2u * all) {
            uint4 next_a = chunks[min(i + 2u * all, count - 1u)];
            uint4 next_b = chunks[min(i + 3u * all, count - 1u)];
            COUNT_CHUNK(a)
            if (i + all < count) {
                COUNT_CHUNK(b)
            }
            a = next_a;
            b = next_b;
        }
        if (offset + me < inner) {
            COUNT((uint)frame[offset + me])
        }
        if (outer + me < end) {
            COUNT((uint)frame[outer + me])
        }
        rows = 0u;
    } else if (plain) {
        /* Wherever a row starts, its bytes touch at most this many aligned chunks; chunks past its
           end are skipped. */
        columns = (width + 30u) >> 4;
    }
    row = (uint)get_global_id(0) / columns;
    column = (uint)get_global_id(0) - row * columns;
    more_rows = all / columns;
    more_columns = all - more_rows * columns;

    while (row < rows) {
        uint start = offset + row * stride;
        if (plain) {
            uint stop = start + width;
            uint at = (start & ~15u) + column * 16u;
            if (at >= start && at < stop && stop - at >= 16u) {
                uint4 words = *(__global const uint4*)(frame + at);
                COUNT_CHUNK(words)
            } else {
                uint from = max(at, start);
                uint to = min(at + 16u, stop);
                for (; from < to; ++from) {
                    COUNT((uint)frame[from])
                }
            }
        } else {
            uint at = start + column * step;
            uint high = frame[at];
            uint both = high << 8 | (uint)frame[at + (uint)low];
            COUNT(min(both >> places, 255u))
        }
        column += more_columns;
        row += more_rows;
        if (column >= columns) {
            column -= columns;
            row += 1u;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (i = item; i < 256u; i += items) {
        uint sum = 0u;
        /* Starting elsewhere for each bin keeps neighbours in different banks here too. */
        for (k = 0u; k < COPIES; ++k) sum += counts[i * COPIES + ((i + k) & (uint)(COPIES - 1))];
        if (sum != 0u) atomic_add(&bins[base + i], sum);
    }
}
