// Baseline: as naive, from an image. Under OpenCL 1.1 that image is a copy of the frame.
#include "lane_image.h"
#include "convolution.h"

#ifndef RADIUS
#define RADIUS 2 /* 1: 3x3, 2: 5x5 */
#endif

__kernel void convolve(__read_only image2d_t frame, LANE_ARGUMENTS, FILTER_ARGUMENTS)
{
    int x = (int)get_global_id(0);
    int y = (int)get_global_id(1);
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    int row;
    int column;
    uint k = 0u;
    SUM sum = 0;

    if (x > last_x || y > last_y) return;
    for (row = -RADIUS; row <= RADIUS; ++row) {
        uint line;
        uint made_up;
        FIND_LINE
        for (column = x - RADIUS; column <= x + RADIUS; ++column) {
            SAMPLE sample;
            GATHER(sample, column)
            sum += coefficients[k] * (SUM)sample;
            k += 1u;
        }
    }
    output[(uint)y * output_stride + (uint)x] = RESULT(sum);
}
