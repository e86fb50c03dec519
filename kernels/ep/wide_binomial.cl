// Binomial filter only: [1 2 1] x [1 2 1] / 16 or [1 4 6 4 1] x [1 4 6 4 1] / 256. The arithmetic of
// binomial_rows for CPUs: two 16-bit sums share each 32-bit part of a uint8, which fills the widest
// registers there. The work-item goes along whole rows; what it needs of the rows above waits in private
// memory, which is in a cache there. Marching down instead, it would find each row in another page, and
// all rows of a frame with 3840 columns in a quarter of the first-level cache.
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef COLUMNS
#define COLUMNS 3840 /* output columns per work-item */
#endif
#ifndef ROWS
#define ROWS 64 /* output rows per work-item */
#endif

#include "binomial.h"

/* Where the last 2 RADIUS rows begin in an array that has room for as many, counted in vectors, r0 the oldest:
   the next row takes its place. One vector more to a row, lest all meet in the same places of the cache. */
#define STEP (COLUMNS / 32 + 1)
#if RADIUS == 2
#define DECLARE_ROWS    \
    int r0 = 0;         \
    int r1 = STEP;      \
    int r2 = 2 * STEP;  \
    int r3 = 3 * STEP;
#define NEXT_ROW        \
    {                   \
        int free_ = r0; \
        r0 = r1;        \
        r1 = r2;        \
        r2 = r3;        \
        r3 = free_;     \
    }
#else
#define DECLARE_ROWS    \
    int r0 = 0;         \
    int r1 = STEP;
#define NEXT_ROW        \
    {                   \
        int free_ = r0; \
        r0 = r1;        \
        r1 = free_;     \
    }
#endif

/* Whole words are loaded where all their bytes are samples of the lane; elsewhere sample by sample,
   with what lies beyond the border. */
#define MUST_GATHER (!LANE_IS_BYTES || x < 4 || x + 35 > last_x)

/* Of the row that FIND_LINE found: the words left of `here`, of which the first is `before`, and
   right of it, as `left` and `right`. A work-item has `uint window[10]`. */
#define LOAD_WIDE                                                                       \
    if (gather || made_up) {                                                            \
        int i_;                                                                         \
        uint word_ = 0u;                                                                \
        for (i_ = -4; i_ < 36; ++i_) {                                                  \
            uint sample_;                                                               \
            GATHER(sample_, x + i_)                                                     \
            word_ = word_ >> 8 | sample_ << 24;                                         \
            window[(i_ + 4) >> 2] = word_; /* whole with every fourth sample */         \
        }                                                                               \
        before = window[0];                                                             \
        here = vload8(0, window + 1);                                                   \
        after = window[9];                                                              \
    } else {                                                                            \
        uint at_ = line + (uint)x;                                                      \
        uint bits_ = (at_ & 3u) * 8u;                                                   \
        __global const uint* words_ = (__global const uint*)(frame + (at_ & ~3u));      \
        before = *(words_ - 1);                                                         \
        here = vload8(0, words_);                                                       \
        after = words_[8u];                                                             \
        if (bits_ != 0u) {                                                              \
            uint more_ = words_[9u];                                                    \
            before = before >> bits_ | here.s0 << (32u - bits_);                        \
            right = (uint8)(here.s1, here.s2, here.s3, here.s4,                         \
                            here.s5, here.s6, here.s7, after);                          \
            here = here >> bits_ | right << (32u - bits_);                              \
            after = after >> bits_ | more_ << (32u - bits_);                            \
        }                                                                               \
    }                                                                                   \
    left = (uint8)(before, here.s0, here.s1, here.s2,                                   \
                   here.s3, here.s4, here.s5, here.s6);                                 \
    right = (uint8)(here.s1, here.s2, here.s3, here.s4,                                 \
                    here.s5, here.s6, here.s7, after);

/* Thirty-two results into row `row` of the output, but not beyond its last column. */
#define STORE_WIDE(result, to_row)                                                      \
    {                                                                                   \
        uint to_ = (uint)(to_row) * output_stride + (uint)x;                            \
        if (x + 31 <= last_x) {                                                         \
            vstore8(result, 0, (__global uint*)(output + to_));                         \
        } else {                                                                        \
            int i_;                                                                     \
            vstore8(result, 0, window);                                                 \
            for (i_ = 0; x + i_ <= last_x; ++i_) {                                      \
                output[to_ + (uint)i_] = (uchar)(window[i_ >> 2] >> ((i_ & 3) * 8) & 255u); \
            }                                                                           \
        }                                                                               \
    }

#if RADIUS == 2
#define LOAD_PAIRS           \
    even0 = evens[r0 + at];  \
    odd0 = odds[r0 + at];    \
    even1 = evens[r1 + at];  \
    odd1 = odds[r1 + at];    \
    even2 = evens[r2 + at];  \
    odd2 = odds[r2 + at];    \
    even3 = evens[r3 + at];  \
    odd3 = odds[r3 + at];
#else
#define LOAD_PAIRS           \
    even0 = evens[r0 + at];  \
    odd0 = odds[r0 + at];    \
    even1 = evens[r1 + at];  \
    odd1 = odds[r1 + at];
#endif

__kernel void convolve(__global const uchar* frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int first_x = (int)get_global_id(0) * COLUMNS;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int end_x = min(first_x + COLUMNS, (int)width);
    uint window[10];
    uint8 evens[2 * RADIUS * STEP]; /* rows, filtered across */
    uint8 odds[2 * RADIUS * STEP];
    DECLARE_ROWS
    int row;
    int x;

    if (first_x > last_x || y > last_y) return;

    for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        for (x = first_x; x < end_x; x += 32) {
            int at = (x - first_x) / 32;
            uint gather = MUST_GATHER;
            uint before; /* samples x - 4 to x - 1, the first in the lowest byte */
            uint8 here;  /* samples x to x + 31 */
            uint after;  /* samples x + 32 to x + 35 */
            DECLARE_PAIRS(uint8)
            LOAD_WIDE
            if (row >= RADIUS) {
                LOAD_PAIRS
            }
            ADD_ROW
            evens[r0 + at] = even;
            odds[r0 + at] = odd;
            if (row >= RADIUS) STORE_WIDE(result, y + row - RADIUS)
        }
        NEXT_ROW
    }
}
