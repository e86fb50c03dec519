// The header of streams' clients, as C++17 sees it: that it compiles is the test.
#include <glintd/stream.h>

static_assert(__cplusplus < 202002L, "this file is for C++17");
static_assert(sizeof(glintd_stream_slot) == 64, "as in C");
