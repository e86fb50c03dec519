// Baseline: as local_tile with a tile of 32x8, whose rows are read in longer pieces.
#ifndef LOCAL_X
#define LOCAL_X 32
#endif
#ifndef LOCAL_Y
#define LOCAL_Y 8
#endif
#include "tiled.h"
