/* Frames as images: one texel per byte, or per float, `stride` of them in a row. Included before
   lane.h. */
__constant sampler_t bytes_of_frame =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

#define FRAME_BYTE(at)                                                                          \
    read_imageui(frame, bytes_of_frame, (int2)((int)((at) % stride), (int)((at) / stride))).x
#define FRAME_FLOAT(at)                                                                         \
    read_imagef(frame, bytes_of_frame, (int2)((int)((at) % stride), (int)((at) / stride))).x
