// Filter of any odd size and any coefficients in 32-bit integers: four pixels of a row per
// work-item, a word of samples at a time, no local memory. Small rather than fast: loops where the
// others are written out.
#define COEFFICIENT_SPACE __global const
#include "convolution.h"

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0) * 4;
    int y = (int)get_global_id(1);
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int radius = (int)(filter_size / 2u);
    int from = x - radius;
    uint whole;
    uint to = (uint)y * output_stride + (uint)x;
    int row;
    uint i;
    /* Rows of coefficients are padded with zeros to whole fours; three of zeros come before. */
    __global const int* taps = coefficients + 3u * ((filter_size + 3u) & ~3u);
    int4 here = 0;
    int4 next = 0;
    int4 tap;
    int4 sum = 0;

    if (x > last_x || y > last_y) return;
    /* Words of four samples are loaded whole where all that is touched are samples of the row. */
    whole = LANE_IS_BYTES && from >= 0 && from + (int)filter_size + 12 <= last_x;
    for (row = -radius; row <= radius; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        for (i = 0u; i < filter_size + 4u; i += 4u) {
            uint word = 0u;
            if (whole && !made_up) {
                uint at = line + (uint)from + i;
                uint bits = (at & 3u) * 8u;
                __global const uint* words = (__global const uint*)(frame + (at & ~3u));
                word = words[0];
                if (bits != 0u) word = word >> bits | words[1] << (32u - bits);
            } else {
                uint n;
                for (n = 0u; n < 4u; ++n) {
                    uint sample;
                    GATHER(sample, from + (int)(i + n))
                    word = word >> 8 | sample << 24;
                }
            }
            here = next;
            next = (int4)((int)(word & 255u), (int)(word >> 8 & 255u), (int)(word >> 16 & 255u),
                          (int)(word >> 24));
            if (i == 0u) continue;
            tap = vload4(0, taps);
            taps += 4;
            sum += tap.x * here + tap.y * (int4)(here.y, here.z, here.w, next.x) +
                tap.z * (int4)(here.z, here.w, next.x, next.y) +
                tap.w * (int4)(here.w, next.x, next.y, next.z);
        }
    }
    /* Negative sums end at 0 whichever way they are rounded. */
    sum = min(max(sum, (int4)(0)) >> min(filter_shift, 31u), (int4)(255));
    if (x + 3 <= last_x) {
        *(__global uint*)(output + to) =
            (uint)sum.x | (uint)sum.y << 8 | (uint)sum.z << 16 | (uint)sum.w << 24;
    } else {
        output[to] = (uchar)sum.x;
        if (x + 1 <= last_x) output[to + 1u] = (uchar)sum.y;
        if (x + 2 <= last_x) output[to + 2u] = (uchar)sum.z;
    }
}
