// Filter of any int16 coefficients in 32-bit integers: the integer rung for embedded devices, where
// float4_rows would not be exact; int4 is scalar code on small GPUs and one register on CPUs.
#define NUMBER int
#define NUMBER4 int4
#define TO_NUMBER4 convert_int4
#define TAP(k) coefficients[k]
#define PREPARE uint divide = min(filter_shift, 31u);
/* Negative sums end at 0 whichever way they are rounded. */
#define RESULT_OF(sum) min(max(sum, (int4)(0)) >> divide, (int4)(255))
#include "rows_of_four.h"
