/* What every histogram kernel is given: lanes, each counted by work-groups of its own into bins of its
   own. The first lane travels in the arguments, which saves the most common launch (one lane) the
   wait for memory; the others are looked up. */

#include "lane.h"

#ifndef BINS
#define BINS 256
#endif

/* Words of a lane's record; LaneRecord in daemon/gpu/launch.cpp writes it. */
#define LANE_WORDS 16u

#define HISTOGRAM_LANES                                                                          \
    LANE_ARGUMENTS, uint mask_first, uint mask_stride, uint mask_step, uint base, uint weight,   \
        uint groups, __global const uint* lanes, __global const uint* parts

/* Makes the arguments those of the lane that work-group `group` works on, and `group` and `groups` its
   place and the number of groups there. */
#define CHOOSE_LANE                                                                   \
    if (group >= groups) {                                                            \
        __global const uint* lane_ = lanes + parts[2u * group] * LANE_WORDS;          \
        group = parts[2u * group + 1u];                                               \
        offset = lane_[0];                                                            \
        stride = lane_[1];                                                            \
        step = lane_[2];                                                              \
        low = (int)lane_[3];                                                          \
        shift = lane_[4];                                                             \
        width = lane_[5];                                                             \
        height = lane_[6];                                                            \
        packed = lane_[7];                                                            \
        first = lane_[8];                                                             \
        mask_first = lane_[9];                                                        \
        mask_stride = lane_[10];                                                      \
        mask_step = lane_[11];                                                        \
        base = lane_[12];                                                             \
        weight = lane_[13];                                                           \
        groups = lane_[14];                                                           \
    }

/* Bytes side by side that go into the bin of their own number. */
#define COUNTS_BYTES (BINS == 256 && LANE_IS_BYTES && mask_stride == 0u && levels == 0u)

/* The bin of the sample in column x, row y; sets `bin`. `levels` entries of `table` say it, or without
   a table the highest bits of the sample do. */
#define READ_BIN(bin, x, y)                                              \
    READ_SAMPLE(bin, offset + (y) * stride, x)                           \
    bin = bin >> shift;                                                  \
    bin = levels != 0u ? (uint)table[min(bin, levels - 1u)] : bin;       \
    bin = min(bin, (uint)BINS - 1u);

/* Whether the mask (a bit per pixel, the lowest bit of a byte first) lets the sample through. */
#define MASKED_OUT(x, y)                                                            \
    (mask_stride != 0u &&                                                           \
     (mask[(mask_first + (y) * mask_stride + (x) * mask_step) >> 3] >>              \
          ((mask_first + (y) * mask_stride + (x) * mask_step) & 7u) & 1) == 0)

/* A lane of words: samples lie 1, 2 or 4 bytes apart and can be taken out of aligned 32-bit words by a
   shift and a mask. Sets `per_word`, the samples of a word (0: not such a lane), `right` and `keep`:
   sample k of a word is word >> (right + k * 32 / per_word) & keep. */
#define DESCRIBE_WORDS                                                                      \
    per_word = 0u;                                                                          \
    right = 0u;                                                                             \
    keep = 255u;                                                                            \
    if (COUNTS_BYTES) {                                                                     \
        per_word = 4u;                                                                      \
    } else if (mask_stride == 0u && levels == 0u && packed == 0u && (stride & 3u) == 0u) {  \
        if (BINS == 256 && low == 0 && shift == 8u && (step == 2u || step == 4u)) {         \
            per_word = 4u / step;                                                           \
            right = (offset & (step - 1u)) * 8u;                                            \
        } else if (low == -1 && step == 2u && (offset & 1u) == 1u) {                        \
            per_word = 2u;                                                                  \
            right = shift;                                                                  \
            keep = 0xffffu >> shift;                                                        \
        }                                                                                   \
    }

/* Counts the samples of one word of such a lane by COUNT(bin), which each kernel defines. */
#define COUNT_WORD(word)                                              \
    if (per_word == 4u) {                                             \
        COUNT((word) & 255u)                                          \
        COUNT((word) >> 8 & 255u)                                     \
        COUNT((word) >> 16 & 255u)                                    \
        COUNT((word) >> 24)                                           \
    } else {                                                          \
        COUNT(min((word) >> right & keep, (uint)BINS - 1u))           \
        if (per_word == 2u) {                                         \
            COUNT(min((word) >> (right + 16u) & keep, (uint)BINS - 1u)) \
        }                                                             \
    }

/* Row `row` of a lane of words, by `items` work-items side by side, 16 bytes each at a time. */
#define COUNT_ROW_OF_WORDS                                                              \
    {                                                                                   \
        uint start_ = (offset & ~(step - 1u)) + row * stride;                           \
        uint end_ = start_ + width * step;                                              \
        uint at_chunk_ = (start_ & ~15u) + item * 16u;                                  \
        for (; at_chunk_ < end_; at_chunk_ += items * 16u) {                            \
            COUNT_CHUNK(at_chunk_, start_, end_)                                        \
        }                                                                               \
    }

/* The 16 bytes at `at`: whole, or the samples between `start` and `end` one by one. */
#define COUNT_CHUNK(at, start, end)                                                     \
    if ((at) >= (start) && (at) < (end) && (end) - (at) >= 16u) {                       \
        uint4 words_ = *(__global const uint4*)(frame + (at));                          \
        COUNT_WORD(words_.x)                                                            \
        COUNT_WORD(words_.y)                                                            \
        COUNT_WORD(words_.z)                                                            \
        COUNT_WORD(words_.w)                                                            \
    } else {                                                                            \
        uint from_ = max((at), (start));                                                \
        uint to_ = min((at) + 16u, (end));                                              \
        for (; from_ < to_; from_ += step) {                                            \
            uint high_ = from_ + (offset & (step - 1u));                                \
            uint both_ = (uint)frame[high_] << 8 | (uint)frame[high_ + (uint)low];      \
            COUNT(min(both_ >> shift, (uint)BINS - 1u))                                 \
        }                                                                               \
    }

/* Row `row` of any lane, sample by sample. */
#define COUNT_ROW_OF_SAMPLES                                  \
    {                                                         \
        uint x_;                                              \
        for (x_ = item; x_ < width; x_ += items) {            \
            uint bin_;                                        \
            if (MASKED_OUT(x_, row)) continue;                \
            READ_BIN(bin_, x_, row)                           \
            COUNT(bin_)                                       \
        }                                                     \
    }

/* The second kernel of variants whose work-groups leave partial histograms, `each` of them per group:
   bin x of result y. Two words per result: its first work-group and the one after its last; the groups
   of a lane count as often as the lane weighs. */
#define HISTOGRAM_REDUCE                                                                          \
    __kernel void histogram_reduce(__global const uint* partials, uint each,                      \
                                   __global const uint* results, __global const uint* lanes,      \
                                   __global const uint* parts, __global uint* bins)               \
    {                                                                                             \
        uint result = (uint)get_global_id(1);                                                     \
        uint bin = (uint)get_global_id(0);                                                        \
        uint last = results[2u * result + 1u];                                                    \
        for (; bin < (uint)BINS; bin += (uint)get_global_size(0)) {                               \
            uint sum = 0u;                                                                        \
            uint group = results[2u * result];                                                    \
            for (; group < last; ++group) {                                                       \
                uint counted = 0u;                                                                \
                uint k;                                                                           \
                for (k = group * each; k < (group + 1u) * each; ++k) {                            \
                    counted += partials[k * (uint)BINS + bin];                                    \
                }                                                                                 \
                sum += counted * lanes[parts[2u * group] * LANE_WORDS + 13u];                     \
            }                                                                                     \
            bins[result * (uint)BINS + bin] = sum;                                                \
        }                                                                                         \
    }
