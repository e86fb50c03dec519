// Filter of any coefficients whose sums stay below 2^24: then every sum is a whole number that a float
// holds exactly, in any rounding mode. GPUs multiply and add floats at least as fast as integers.
#define FACTOR as_float((127u - min(filter_shift, 31u)) << 23) /* 2^-filter_shift: its exponent alone */
#define TO_BYTE(value) (int)(value)
#include "march_in_floats.h"
