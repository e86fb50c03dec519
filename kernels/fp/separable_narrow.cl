// Sums of outer products in two passes with 16 bits between them, for filters whose row sums span
// no more: the host shifts them so that they start at zero.
#define STORED ushort
#define TO_STORED4 convert_ushort4
#define NUMBER int
#define NUMBER4 int4
#define TO_NUMBER4 convert_int4
#include "separable.h"
