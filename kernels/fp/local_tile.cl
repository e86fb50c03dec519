// Baseline: a tile of 16x16 samples and what is around it in local memory.
#ifndef LOCAL_X
#define LOCAL_X 16
#endif
#ifndef LOCAL_Y
#define LOCAL_Y 16
#endif
#include "tiled.h"
