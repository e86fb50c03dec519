// Histogram with COPIES local tables per work-group, each one counter longer than its bins: work-items
// that hit the same bin at the same time (a flat picture) use different copies in different memory
// banks, and so do neighbours that hit neighbouring bins (a gradient). Local atomics, 16-byte loads, a grid
// stride in which neighbouring work-items read neighbouring chunks; the row and column of the next
// chunk are found by addition, so the inner loop holds no division. Each group adds its table to the
// bins, which start at zero, with global atomics: a second launch would cost more than the counting.
// Suits GPUs with real local memory and atomics; poor on CPUs, where atomics are slow.
#ifndef COPIES
#define COPIES 8 /* a power of two; COPIES KiB of local memory */
#endif

#define TABLE 257u /* counters of a copy and one to spare: the same bin of two copies is in two banks */

#define COUNT(bin) atomic_inc(&own[bin]);
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
    __local uint counts[TABLE * COPIES];
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint all = (uint)get_global_size(0);
    __local uint* own = counts + (item & (uint)(COPIES - 1)) * TABLE;
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

    for (i = item; i < TABLE * COPIES; i += items) counts[i] = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (plain && stride == width) {
        /* Without padding the picture is one run of bytes: whole chunks, four loads under way at a
           time, and up to 15 bytes before and after them. */
        uint end = offset + width * height;
        uint inner = min((offset + 15u) & ~15u, end);
        uint outer = max(end & ~15u, inner);
        __global const uint4* chunks = (__global const uint4*)(frame + inner);
        uint count = (outer - inner) >> 4;
        uint me = (uint)get_global_id(0);
        for (i = me; i < count; i += 4u * all) {
            uint4 a = chunks[i];
            uint4 b = chunks[min(i + all, count - 1u)];
            uint4 c = chunks[min(i + 2u * all, count - 1u)];
            uint4 d = chunks[min(i + 3u * all, count - 1u)];
            COUNT_CHUNK(a)
            if (i + all < count) {
                COUNT_CHUNK(b)
            }
            if (i + 2u * all < count) {
                COUNT_CHUNK(c)
            }
            if (i + 3u * all < count) {
                COUNT_CHUNK(d)
            }
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
            uint end = start + width;
            uint at = (start & ~15u) + column * 16u;
            if (at >= start && at < end && end - at >= 16u) {
                uint4 words = *(__global const uint4*)(frame + at);
                COUNT_CHUNK(words)
            } else {
                uint from = max(at, start);
                uint to = min(at + 16u, end);
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
        for (k = 0u; k < COPIES; ++k) sum += counts[k * TABLE + i];
        if (sum != 0u) atomic_add(&bins[base + i], sum);
    }
}
