/* Bytes in whole words, row by row: shared by the kernels whose work-items march down the picture. */
#include "written_out.h"

/* Four samples from column `column` on of the row at `line`, the first in the lowest byte; with what
   lies beyond the border. */
#define GATHER_WORD(word, column)                                                              \
    if (LANE_IS_BYTES && !made_up && (column) >= 0 && (column) + 3 <= last_x) {                \
        uint at_ = line + (uint)(column);                                                      \
        uint bits_ = (at_ & 3u) * 8u;                                                          \
        word = *(__global const uint*)(frame + (at_ & ~3u));                                   \
        if (bits_ != 0u) {                                                                     \
            word = word >> bits_ |                                                             \
                   *(__global const uint*)(frame + (at_ & ~3u) + 4u) << (32u - bits_);         \
        }                                                                                      \
    } else {                                                                                   \
        int i_;                                                                                \
        word = 0u;                                                                             \
        NOT_WRITTEN_OUT                                                                        \
        for (i_ = 0; i_ < 4; ++i_) {                                                           \
            uint sample_;                                                                      \
            GATHER(sample_, (column) + i_)                                                     \
            word = word >> 8 | sample_ << 24;                                                  \
        }                                                                                      \
    }

/* Whether a work-item of `columns` columns may load whole aligned words without a decision: everywhere if
   the border only repeats samples and the row ends with the last of the words, else where no sample
   it asks for is beyond the border. */
#define IS_WHOLE_WORDS(columns)                                                                     \
    (LANE_IS_BYTES && ((offset | stride) & 3u) == 0u &&                                              \
     ((border == REPLICATE && width % (uint)(columns) == 0u) || IS_INSIDE(columns)))
#define IS_INSIDE(columns)                                                                          \
    (x >= 4 && x + (columns) + 3 <= last_x && y >= RADIUS && y + ROWS - 1 + RADIUS <= last_y)

/* The first sample of a word four times, and the last. */
#define FIRST_REPEATED(word) (((word) & 255u) * 0x01010101u)
#define LAST_REPEATED(word) (((word) >> 24) * 0x01010101u)

/* Up to four results, lowest byte first, from column `column` on of row `to_row`. */
#define STORE_WORD(word, column, to_row)                                                \
    {                                                                                   \
        uint to_ = (uint)(to_row) * output_stride + (uint)(column);                     \
        int left_ = (int)width - (column);                                              \
        if (left_ >= 4) {                                                               \
            *(__global uint*)(output + to_) = word;                                     \
        } else {                                                                        \
            if (left_ > 0) output[to_] = (uchar)((word) & 255u);                        \
            if (left_ > 1) output[to_ + 1u] = (uchar)((word) >> 8 & 255u);              \
            if (left_ > 2) output[to_ + 2u] = (uchar)((word) >> 16 & 255u);             \
        }                                                                               \
    }

#define PAIR 0x00ff00ffu

/* Samples of two columns in one register: with x the column of the first sample of `here`, those of
   columns x + k and x + k + 2 as p0 (k = -2) to p5 (k = 3). Filters of radius 1 take the inner ones. */
#define MAKE_INNER_PAIRS(before, here, after)       \
    p1 = ((before) >> 24 | (here) << 8) & PAIR;     \
    p2 = (here) & PAIR;                             \
    p3 = (here) >> 8 & PAIR;                        \
    p4 = ((here) >> 16 | (after) << 16) & PAIR;
#define MAKE_OUTER_PAIRS(before, here, after)       \
    p0 = ((before) >> 16 | (here) << 16) & PAIR;    \
    p5 = ((here) >> 24 | (after) << 8) & PAIR;

/* Eight columns, x to x + 7, of the row y + row in `here` and `there`, with four more on either side.
   WHOLE: see IS_WHOLE_WORDS. */
#define LOAD_EIGHT_WHOLE                                                                            \
    {                                                                                               \
        __global const uint* words_ =                                                               \
            (__global const uint*)(frame + offset + (uint)clamp(y + row, 0, last_y) * stride) +     \
            (x >> 2);                                                                               \
        here = words_[0];                                                                           \
        there = words_[1];                                                                          \
        before = words_[x > 0 ? -1 : 0];                                                            \
        after = words_[x + 8 <= last_x ? 2 : 1];                                                    \
        before = x > 0 ? before : FIRST_REPEATED(before);                                           \
        after = x + 8 <= last_x ? after : LAST_REPEATED(after);                                     \
    }
#define LOAD_EIGHT                        \
    {                                     \
        uint line;                        \
        uint made_up;                     \
        FIND_LINE                         \
        GATHER_WORD(before, x - 4)        \
        GATHER_WORD(here, x)              \
        GATHER_WORD(there, x + 4)         \
        GATHER_WORD(after, x + 8)         \
    }

/* The same with four columns. */
#define LOAD_FOUR_WHOLE                                                                             \
    {                                                                                               \
        __global const uint* words_ =                                                               \
            (__global const uint*)(frame + offset + (uint)clamp(y + row, 0, last_y) * stride) +     \
            (x >> 2);                                                                               \
        here = words_[0];                                                                           \
        before = words_[x > 0 ? -1 : 0];                                                            \
        after = words_[x + 4 <= last_x ? 1 : 0];                                                    \
        before = x > 0 ? before : FIRST_REPEATED(before);                                           \
        after = x + 4 <= last_x ? after : LAST_REPEATED(after);                                     \
    }
#define LOAD_FOUR                         \
    {                                     \
        uint line;                        \
        uint made_up;                     \
        FIND_LINE                         \
        GATHER_WORD(before, x - 4)        \
        GATHER_WORD(here, x)              \
        GATHER_WORD(after, x + 4)         \
    }
