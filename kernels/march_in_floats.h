/* Bytes filtered in float arithmetic: eight columns and ROWS rows per work-item, which marches down and
   keeps the sums of the rows to come in registers. No local memory, no barrier. The includer says how
   a sum becomes a result: multiplied by FACTOR, and TO_BYTE of what is left of that between 0 and 255. */
#include "convolution.h"
#include "march.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif
#ifndef ROWS
#define ROWS 8 /* output rows per work-item */
#endif

#define TAP(k) ((float)coefficients[k])
#include "weigh.h"
#define SAMPLE_OF(word, place) ((float)((word) >> (8 * (place)) & 255u))

/* The samples of columns x - 1 (f1) to x + 8 (f10). */
#define SPLIT_WORDS                                                                 \
    f1 = SAMPLE_OF(before, 3);                                                      \
    f2 = SAMPLE_OF(here, 0);                                                        \
    f3 = SAMPLE_OF(here, 1);                                                        \
    f4 = SAMPLE_OF(here, 2);                                                        \
    f5 = SAMPLE_OF(here, 3);                                                        \
    f6 = SAMPLE_OF(there, 0);                                                       \
    f7 = SAMPLE_OF(there, 1);                                                       \
    f8 = SAMPLE_OF(there, 2);                                                       \
    f9 = SAMPLE_OF(there, 3);                                                       \
    f10 = SAMPLE_OF(after, 0);

/* Of 5x5 filters s0 is two columns to the left, of 3x3 filters one. */
#if RADIUS == 2
#define ADD_EIGHT                                                                   \
    SPLIT_WORDS                                                                     \
    s0 = (float8)(SAMPLE_OF(before, 2), f1, f2, f3, f4, f5, f6, f7);                \
    s1 = (float8)(f1, f2, f3, f4, f5, f6, f7, f8);                                  \
    s2 = (float8)(f2, f3, f4, f5, f6, f7, f8, f9);                                  \
    s3 = (float8)(f3, f4, f5, f6, f7, f8, f9, f10);                                 \
    s4 = (float8)(f4, f5, f6, f7, f8, f9, f10, SAMPLE_OF(after, 1));                \
    WEIGH_ROW
#else
#define ADD_EIGHT                                                                   \
    SPLIT_WORDS                                                                     \
    s0 = (float8)(f1, f2, f3, f4, f5, f6, f7, f8);                                  \
    s1 = (float8)(f2, f3, f4, f5, f6, f7, f8, f9);                                  \
    s2 = (float8)(f3, f4, f5, f6, f7, f8, f9, f10);                                 \
    WEIGH_ROW
#endif

#define BYTE_OF(sum) (uint)TO_BYTE(clamp((sum) * factor, 0.0f, 255.0f))
#define FINISH_EIGHT                                                                \
    first_four = BYTE_OF(sum.s0) | BYTE_OF(sum.s1) << 8 | BYTE_OF(sum.s2) << 16 |   \
                 BYTE_OF(sum.s3) << 24;                                             \
    second_four = BYTE_OF(sum.s4) | BYTE_OF(sum.s5) << 8 | BYTE_OF(sum.s6) << 16 |  \
                  BYTE_OF(sum.s7) << 24;

__kernel void convolve(__global const uchar* restrict frame, LANE_ARGUMENTS,
                       __global uchar* restrict output, FILTER_NUMBERS)
{
    int x = (int)get_global_id(0) * 8;
    int y = (int)get_global_id(1) * ROWS;
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    float factor = FACTOR;
    int row;
    uint before;
    uint here;
    uint there;
    uint after;
    float f1;
    float f2;
    float f3;
    float f4;
    float f5;
    float f6;
    float f7;
    float f8;
    float f9;
    float f10;
    DECLARE_SUMS(float8)
    uint first_four;
    uint second_four;

    if (x > last_x || y > last_y) return;
#include "march_eight.h"
}
