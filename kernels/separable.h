/* Filters that are sums of outer products, in two passes: sums along rows into memory, then along
   columns. The includer says how row sums are stored (STORED, TO_STORED4) and what is computed with:
   NUMBER, NUMBER4 and TO_NUMBER4. */
#include "convolution.h"
#include "terms.h"

#ifndef ROWS
#define ROWS 4 /* output rows per work-item of the second pass; nothing else is implemented */
#endif

/* Term t, row y is row t * height + y of `sums`, `pitch` numbers apart. */
__kernel void filter_rows(__global const uchar* frame, LANE_ARGUMENTS, __global STORED* sums,
                          uint pitch, __constant int* terms, uint border, uint border_value,
                          uint filter_size)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1);
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int from = x - (int)(filter_size / 2u);
    int row = 0;
    uint line;
    uint made_up;
    uint aligned;
    uint bits;
    uint t;
    uint i;

    if (x > last_x || y > last_y) return;
    FIND_LINE
    /* Words of four samples: loaded whole, from the aligned words around them, where all that is
       touched are samples of the row; else put together. */
    aligned = LANE_IS_BYTES && from >= 0 && from + (int)filter_size + 16 <= last_x;
    bits = ((line + (uint)from) & 3u) * 8u;
    for (t = 0u; t < TERMS(terms); ++t) {
        __constant int* taps = terms + t * TERM;
        __global const uint* words = (__global const uint*)(frame + ((line + (uint)from) & ~3u));
        NUMBER4 here = 0;
        NUMBER4 next = 0;
        NUMBER4 sum = (NUMBER)ROW_START(terms, t);
        uint ahead = 0u;
        if (aligned) ahead = words[0];
        for (i = 0u; i < filter_size + 4u; i += 4u) {
            uint word = 0u;
            if (aligned) {
                word = ahead;
                words += 1;
                ahead = words[0];
                if (bits != 0u) word = word >> bits | ahead << (32u - bits);
            } else {
                uint n;
                for (n = 0u; n < 4u; ++n) {
                    uint sample;
                    GATHER(sample, from + (int)(i + n))
                    word = word >> 8 | sample << 24;
                }
            }
            here = next;
            next = (NUMBER4)((NUMBER)(word & 255u), (NUMBER)(word >> 8 & 255u),
                             (NUMBER)(word >> 16 & 255u), (NUMBER)(word >> 24));
            if (i != 0u) {
                sum += (NUMBER)taps[0] * here +
                    (NUMBER)taps[1] * (NUMBER4)(here.y, here.z, here.w, next.x) +
                    (NUMBER)taps[2] * (NUMBER4)(here.z, here.w, next.x, next.y) +
                    (NUMBER)taps[3] * (NUMBER4)(here.w, next.x, next.y, next.z);
                taps += 4;
            }
        }
        vstore4(TO_STORED4(sum), 0, sums + (t * height + (uint)y) * pitch + (uint)x);
    }
}

/* Four columns and four rows per work-item: a row of sums is loaded once for all four. */
__kernel void filter_columns(__global const STORED* sums, uint pitch, uint width, uint height,
                             __constant int* terms, uint filter_shift, uint border,
                             uint filter_size, __global uchar* output, uint output_stride)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int radius = (int)(filter_size / 2u);
    NUMBER4 sum0 = (NUMBER)COLUMN_START(terms);
    NUMBER4 sum1 = sum0;
    NUMBER4 sum2 = sum0;
    NUMBER4 sum3 = sum0;
    uint t;
    int row;

    if (x > last_x || y > last_y) return;
    for (t = 0u; t < TERMS(terms); ++t) {
        __constant int* taps = terms + t * TERM + TERM_COLUMN;
        NUMBER tap0 = 0;
        NUMBER tap1 = 0;
        NUMBER tap2 = 0;
        NUMBER tap3 = 0;
        /* `row` is that of the first one's tap. */
        for (row = 0; row < (int)filter_size + 3; ++row) {
            int at = y + row - radius;
            NUMBER4 s = (NUMBER)ROW_OUTSIDE(terms, t);
            if (border != CONSTANT || !OUTSIDE(at, last_y)) {
                uint stored = t * height + (uint)STANDS_FOR(at, last_y);
                s = TO_NUMBER4(vload4(0, sums + stored * pitch + (uint)x));
            }
            tap3 = tap2;
            tap2 = tap1;
            tap1 = tap0;
            tap0 = row < (int)filter_size ? (NUMBER)taps[row] : (NUMBER)0;
            sum0 += tap0 * s;
            sum1 += tap1 * s;
            sum2 += tap2 * s;
            sum3 += tap3 * s;
        }
    }
    for (row = 0; row < ROWS && y + row <= last_y; ++row) {
        uint to = (uint)(y + row) * output_stride + (uint)x;
        int4 result;
#ifdef SUMS_ARE_FLOATS
        /* The factor is 2^-filter_shift, exactly: its exponent alone. Truncated before the
           conversion: what the clamp leaves is not negative. */
        float scale = as_float((127u - min(filter_shift, 31u)) << 23);
        result = convert_int4(floor(clamp(sum0 * scale, 0.0f, 255.0f)));
#else
        /* Negative sums end at 0 whichever way they are rounded. */
        result = min(max(sum0, (int4)(0)) >> min(filter_shift, 31u), (int4)(255));
#endif
        sum0 = sum1;
        sum1 = sum2;
        sum2 = sum3;
        if (x + 3 <= last_x) {
            *(__global uint*)(output + to) = (uint)result.x | (uint)result.y << 8 |
                                             (uint)result.z << 16 | (uint)result.w << 24;
        } else {
            output[to] = (uchar)result.x;
            if (x + 1 <= last_x) output[to + 1u] = (uchar)result.y;
            if (x + 2 <= last_x) output[to + 2u] = (uchar)result.z;
        }
    }
}
