/* What every kernel is given that makes a picture from a lane, and how it takes and leaves sixteen
   samples at a time: bytes of a uint4, the first in the lowest byte of x. */
#include "lane.h"

#define PICTURE_ARGUMENTS LANE_ARGUMENTS, __global uchar* output, uint output_stride

/* Drops the first of sixteen bytes and appends `byte`, of which the lowest eight bits count. */
#define PUSH(bytes, byte)                     \
    bytes.x = bytes.x >> 8 | bytes.y << 24;   \
    bytes.y = bytes.y >> 8 | bytes.z << 24;   \
    bytes.z = bytes.z >> 8 | bytes.w << 24;   \
    bytes.w = bytes.w >> 8 | (byte) << 24;

/* The sixteen bytes from byte `at` of the frame on, all of which must be samples of the lane: whole
   words are loaded, none of them without such a byte. */
#define LOAD_WORDS(bytes, at)                                                              \
    {                                                                                      \
        uint bits_ = ((at) & 3u) * 8u;                                                     \
        __global const uint* words_ = (__global const uint*)(frame + ((at) & ~3u));        \
        bytes = vload4(0, words_);                                                         \
        if (bits_ != 0u) {                                                                 \
            uint after_ = words_[4];                                                       \
            bytes.x = bytes.x >> bits_ | bytes.y << (32u - bits_);                         \
            bytes.y = bytes.y >> bits_ | bytes.z << (32u - bits_);                         \
            bytes.z = bytes.z >> bits_ | bytes.w << (32u - bits_);                         \
            bytes.w = bytes.w >> bits_ | after_ << (32u - bits_);                          \
        }                                                                                  \
    }

/* Columns from to from + 15 of the row that starts at byte `line`; the last one stands for those
   beyond it. */
#define LOAD_16(bytes, line, from)                                      \
    if (LANE_IS_BYTES && (from) + 15 <= last_x) {                       \
        LOAD_WORDS(bytes, (line) + (uint)(from))                        \
    } else {                                                            \
        int i_;                                                         \
        for (i_ = 0; i_ < 16; ++i_) {                                   \
            uint sample_;                                               \
            READ_SAMPLE(sample_, line, min((from) + i_, last_x))        \
            PUSH(bytes, min(sample_ >> shift, 255u))                    \
        }                                                               \
    }

/* The bytes into columns x to x + 15, but not beyond `last`, of row `row` of the output. */
#define STORE_16(bytes, row, last)                              \
    {                                                           \
        uint to_ = (uint)(row) * output_stride + (uint)x;       \
        if (x + 15 <= (last)) {                                 \
            *(__global uint4*)(output + to_) = bytes;           \
        } else {                                                \
            int i_;                                             \
            for (i_ = x; i_ <= (last); ++i_) {                  \
                output[to_] = (uchar)(bytes.x & 255u);          \
                PUSH(bytes, 0u)                                 \
                to_ += 1u;                                      \
            }                                                   \
        }                                                       \
    }
