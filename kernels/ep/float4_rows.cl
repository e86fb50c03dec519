// Filter of any coefficients whose sums stay below 2^24: then every sum is a whole number that a
// float holds exactly, in any rounding mode. In float4 arithmetic, the only vector arithmetic that
// small embedded GPUs have.
#define NUMBER float
#define NUMBER4 float4
#define TO_NUMBER4 convert_float4
#define TAP(k) c##k
#define PREPARE                                                        \
    /* 2^-filter_shift, exactly: its exponent alone. */                \
    float scale = as_float((127u - min(filter_shift, 31u)) << 23);     \
    DECLARE_TAPS(float, float)
/* Truncated before the conversion: what is left of the clamp is not negative. */
#define RESULT_OF(sum) convert_int4(floor(clamp(sum * scale, 0.0f, 255.0f)))
#include "rows_of_four.h"
