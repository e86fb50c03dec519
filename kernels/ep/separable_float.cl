// Sums of outer products in two passes, in float4 arithmetic: for filters whose sums stay below
// 2^24, so that a float holds each of them exactly, in any rounding mode.
#define SUMS_ARE_FLOATS
#define STORED float
#define TO_STORED4 convert_float4
#define NUMBER float
#define NUMBER4 float4
#define TO_NUMBER4 convert_float4
#include "separable.h"
