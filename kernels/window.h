/* Sixteen columns of a row with their neighbours, for kernels that march down with a 3x3 window. */
#include "convolution.h"
#include "picture.h"

#define PAIR 0x00ff00ffu

/* Whether some of the columns x - 4 to x + 19 must be gathered one by one. */
#define MUST_GATHER (!LANE_IS_BYTES || x < 4 || x + 19 > last_x)

/* Row y + row, or what stands for it: columns x - 4 to x - 1 in `before`, x to x + 15 in `here` and
   x + 16 to x + 19 in `after`, the first of each in the lowest byte. */
#define LOAD_WINDOW                                                         \
    FIND_LINE                                                               \
    if (gather || made_up) {                                                \
        int i_;                                                             \
        for (i_ = -4; i_ < 20; ++i_) {                                      \
            uint sample_;                                                   \
            GATHER(sample_, x + i_)                                         \
            before = before >> 8 | here.x << 24;                            \
            PUSH(here, after)                                               \
            after = after >> 8 | sample_ << 24;                             \
        }                                                                   \
    } else {                                                                \
        uint place_ = line + (uint)x;                                       \
        uint bits_ = (place_ & 3u) * 8u;                                    \
        __global const uint* words_ = (__global const uint*)(frame + (place_ & ~3u)); \
        before = *(words_ - 1);                                             \
        here = vload4(0, words_);                                           \
        after = words_[4];                                                  \
        if (bits_ != 0u) {                                                  \
            uint more_ = words_[5];                                         \
            before = before >> bits_ | here.x << (32u - bits_);             \
            here.x = here.x >> bits_ | here.y << (32u - bits_);             \
            here.y = here.y >> bits_ | here.z << (32u - bits_);             \
            here.z = here.z >> bits_ | here.w << (32u - bits_);             \
            here.w = here.w >> bits_ | after << (32u - bits_);              \
            after = after >> bits_ | more_ << (32u - bits_);                \
        }                                                                   \
    }

/* Of these columns the even ones in `evens` and the odd ones in `odds`, two to a word; in `lefts` the
   left neighbours of the even ones and in `rights` the right neighbours of the odd ones. The other
   neighbours of each are the columns of the other kind. */
#define NEIGHBOURS                               \
    evens = here & PAIR;                         \
    odds = here >> 8 & PAIR;                     \
    lefts = odds << 16;                          \
    lefts.x |= before >> 24;                     \
    lefts.y |= odds.x >> 16;                     \
    lefts.z |= odds.y >> 16;                     \
    lefts.w |= odds.z >> 16;                     \
    rights = evens >> 16;                        \
    rights.x |= evens.y << 16;                   \
    rights.y |= evens.z << 16;                   \
    rights.z |= evens.w << 16;                   \
    rights.w |= (after & 255u) << 16;
