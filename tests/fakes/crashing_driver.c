/* An OpenCL driver that ends the process that loads it, as a broken vendor library does. */
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void) {
    abort();
}
