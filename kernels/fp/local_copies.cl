// Histogram with COPIES local tables per work-group, interleaved: the counters of one bin lie side by
// side, one for each copy, and neighbouring work-items use neighbouring copies. With as many copies as
// the memory has banks no two of them ever meet, whatever the picture. Local atomics, 16-byte loads,
// a grid stride in which neighbouring work-items read neighbouring chunks; the row and column of the
// next chunk are found by addition, so the inner loop holds no division. Each group adds its table to
// the bins, which start at zero, with global atomics: a second launch would cost more than the counting.
// Suits GPUs with real local memory and atomics; poor on CPUs, where atomics are slow.
#include "histogram.h"

#ifndef COPIES
#define COPIES 32 /* a power of two; BINS x COPIES x 4 bytes of local memory */
#endif

/* A bin's counters are cleared and added up four at a time, if it has as many. */
#if COPIES >= 4
#define COUNTERS uint4
#define PER_BIN (COPIES / 4)
#define TOTAL(counters) (counters.x + counters.y + counters.z + counters.w)
#else
#define COUNTERS uint
#define PER_BIN COPIES
#define TOTAL(counters) (counters)
#endif

#define COUNT(bin) atomic_inc(&counts[(bin) * (uint)COPIES + copy]);
/* Bytes from one bin's counters to the next are 1 << SCALE: a byte of a word is taken out where it already
   is that multiple; below it there is room for the place of the copy. */
#if COPIES == 32
#define SCALE 7
#elif COPIES == 16
#define SCALE 6
#elif COPIES == 8
#define SCALE 5
#elif COPIES == 4
#define SCALE 4
#elif COPIES == 2
#define SCALE 3
#else
#define SCALE 2
#endif
#define COUNT_AT(place) \
    atomic_inc((__local uint*)((__local uchar*)counts + (((place) & (255u << SCALE)) | copy * 4u)));
#define COUNT_BYTES(word)                \
    COUNT_AT((word) << SCALE)            \
    COUNT_AT((word) >> (8 - SCALE))      \
    COUNT_AT((word) >> (16 - SCALE))     \
    COUNT_AT((word) >> (24 - SCALE))
#define COUNT_CHUNK_OF_BYTES(words) \
    COUNT_BYTES(words.x)            \
    COUNT_BYTES(words.y)            \
    COUNT_BYTES(words.z)            \
    COUNT_BYTES(words.w)

__kernel void histogram(__global const uchar* frame, HISTOGRAM_LANES, __global const ushort* table,
                        uint levels, __global const uchar* mask, __global uint* bins)
{
    __local COUNTERS counters[BINS * PER_BIN];
    __local uint* counts = (__local uint*)counters;
    uint item = (uint)get_local_id(0);
    uint items = (uint)get_local_size(0);
    uint group = (uint)get_group_id(0);
    uint copy = item & (uint)(COPIES - 1);
    uint per_word;
    uint right;
    uint keep;
    uint run;
    uint end;
    uint inner;
    uint outer;
    uint count;
    uint me;
    uint all;
    uint columns;
    uint row;
    uint column;
    uint more_rows;
    uint more_columns;
    uint i;
    uint k;
    uint bin;
    __global const uint4* chunks;
    uint4 a = (uint4)(0u, 0u, 0u, 0u);
    uint4 b = (uint4)(0u, 0u, 0u, 0u);

    CHOOSE_LANE
    me = group * items + item;
    all = groups * items;
    /* Bytes without padding are one run: whole chunks, and up to 15 bytes before and after them. */
    run = COUNTS_BYTES && stride == width;
    end = offset + width * height;
    inner = min((offset + 15u) & ~15u, end);
    outer = max(end & ~15u, inner);
    count = run ? (outer - inner) >> 4 : 0u;
    chunks = (__global const uint4*)(frame + inner);

    /* Always two loads ahead of the counting; the first are under way while the table is cleared. */
    if (count != 0u) {
        a = chunks[min(me, count - 1u)];
        b = chunks[min(me + all, count - 1u)];
    }
    for (i = item; i < (uint)(BINS * PER_BIN); i += items) counters[i] = (COUNTERS)(0u);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (run) {
        for (i = me; i < count; i += 2u * all) {
            uint4 next_a = chunks[min(i + 2u * all, count - 1u)];
            uint4 next_b = chunks[min(i + 3u * all, count - 1u)];
            COUNT_CHUNK_OF_BYTES(a)
            if (i + all < count) {
                COUNT_CHUNK_OF_BYTES(b)
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
    } else {
        DESCRIBE_WORDS
        /* Wherever a row starts, its bytes touch at most this many aligned chunks; chunks past its
           end are skipped. */
        columns = per_word != 0u ? (width * step + 30u) >> 4 : width;
        row = me / columns;
        column = me - row * columns;
        more_rows = all / columns;
        more_columns = all - more_rows * columns;
        while (row < height) {
            if (per_word != 0u) {
                uint start = (offset & ~(step - 1u)) + row * stride;
                uint stop = start + width * step;
                uint at = (start & ~15u) + column * 16u;
                COUNT_CHUNK(at, start, stop)
            } else if (!MASKED_OUT(column, row)) {
                READ_BIN(bin, column, row)
                COUNT(bin)
            }
            column += more_columns;
            row += more_rows;
            if (column >= columns) {
                column -= columns;
                row += 1u;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (i = item; i < (uint)BINS; i += items) {
        COUNTERS sums = (COUNTERS)(0u);
        uint sum;
        /* Starting elsewhere for each bin keeps neighbours in different banks here too. */
        for (k = 0u; k < PER_BIN; ++k) sums += counters[i * PER_BIN + ((i ^ k) & (uint)(PER_BIN - 1))];
        sum = TOTAL(sums);
        if (sum != 0u) atomic_add(&bins[base + i], sum * weight);
    }
}
