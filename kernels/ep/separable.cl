// Sums of outer products in two passes, everything in 32-bit integers.
#define STORED int
#define TO_STORED4 convert_int4
#define NUMBER int
#define NUMBER4 int4
#define TO_NUMBER4 convert_int4
#include "separable.h"
