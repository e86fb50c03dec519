/* What every filter kernel is given, and what it sees beyond the picture's border. */
#include "lane.h"

/* Behind the last coefficient stands -255 times the sum of the negative ones: what a sum takes to be
   never negative. */
#define FILTER_NUMBERS                                                                         \
    uint output_stride, __constant int* coefficients, uint filter_shift, uint border,          \
        uint border_value
#define FILTER_ARGUMENTS __global uchar* output, FILTER_NUMBERS

/* Border, as daemon/gpu/operators.hpp numbers them. */
#define REPLICATE 0u
#define CONSTANT 1u
#define REFLECT_101 2u

/* The index that stands for `index` outside 0 to last. A picture narrower than the filter is mirrored
   again and again; one sample is its own mirror image. */
#define MIRRORED(index, last)                                              \
    min((int)(abs(index) % (uint)max(2 * (last), 1)),                      \
        2 * (last) - (int)(abs(index) % (uint)max(2 * (last), 1)))
#define STANDS_FOR(index, last) \
    (border == REFLECT_101 ? MIRRORED(index, last) : clamp(index, 0, last))

#define OUTSIDE(index, last) ((uint)(index) > (uint)(last))

/* Sets `line`, the byte where row y + row or the one that stands for it starts, and `made_up`: whether
   all its samples are the border's value. */
#define FIND_LINE                                                        \
    line = offset + (uint)STANDS_FOR(y + row, last_y) * stride;          \
    made_up = border == CONSTANT && OUTSIDE(y + row, last_y);

/* The sample in any column of that row, as a byte. */
#define GATHER(sample, column)                                                  \
    READ_SAMPLE(sample, line, STANDS_FOR(column, last_x))                       \
    sample = min(sample >> shift, 255u);                                        \
    if (made_up || (border == CONSTANT && OUTSIDE(column, last_x))) {           \
        sample = border_value;                                                  \
    }
