/* What every filter kernel is given, and what it sees beyond the picture's border. */
#include "lane.h"

/* What is filtered. 0: bytes, by whole numbers. 1: bytes, by floats. 2: floats, by floats; then the
   lane's offset and stride count floats, and its samples lie side by side. */
#ifndef FLOATS
#define FLOATS 0
#endif

#if FLOATS != 0
#define COEFFICIENT float
#else
#define COEFFICIENT int
#endif
#if FLOATS == 0
#define SUM int
/* Negative sums end at 0 whichever way they are rounded. */
#define RESULT(sum) (uchar)min(max(sum, 0) >> min(filter_shift, 31u), 255)
#else
#define SUM float
#endif
#if FLOATS == 1
#define RESULT(sum) (uchar)(int)rint(clamp(sum, 0.0f, 255.0f))
#endif
#if FLOATS == 2
#define PIXEL float
#define SAMPLE float
#define RESULT(sum) sum
#else
#define PIXEL uchar
#define SAMPLE uint
#endif

/* Where the coefficients are: small devices have little room for constants. */
#ifndef COEFFICIENT_SPACE
#define COEFFICIENT_SPACE __constant
#endif

/* Behind the last coefficient of a filter of fixed size stands -255 times the sum of the negative ones:
   what a sum takes to be never negative. */
#define FILTER_NUMBERS                                                            \
    uint output_stride, COEFFICIENT_SPACE COEFFICIENT* coefficients, uint filter_shift, \
        uint border, SAMPLE border_value, uint filter_size
#define FILTER_ARGUMENTS __global PIXEL* output, FILTER_NUMBERS

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

/* Sets `line`, where row y + row or the one that stands for it starts, and `made_up`: whether all its
   samples are the border's value. */
#define FIND_LINE                                                        \
    line = offset + (uint)STANDS_FOR(y + row, last_y) * stride;          \
    made_up = border == CONSTANT && OUTSIDE(y + row, last_y);

#ifndef FRAME_FLOAT
#define FRAME_FLOAT(at) frame[at]
#endif

#if FLOATS == 2
#define READ_PIXEL(sample, column) sample = FRAME_FLOAT(line + (uint)(column));
#else
#define READ_PIXEL(sample, column)     \
    READ_SAMPLE(sample, line, column)  \
    sample = min(sample >> shift, 255u);
#endif

/* The sample in any column of that row, as a byte unless it is a float. */
#define GATHER(sample, column)                                                  \
    READ_PIXEL(sample, STANDS_FOR(column, last_x))                              \
    if (made_up || (border == CONSTANT && OUTSIDE(column, last_x))) {           \
        sample = border_value;                                                  \
    }
