// Filter of float coefficients on bytes.
#ifndef FLOATS
#define FLOATS 1 /* bytes, by floats */
#endif
#define FACTOR 1.0f
#define TO_BYTE(value) (int)rint(value)
#include "march_in_floats.h"
