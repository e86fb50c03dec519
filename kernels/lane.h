/* How kernels reach the samples of a lane (daemon/gpu/operators.hpp says what a lane is). Included by
   the kernels when they are embedded; macros over scalars only, since old front ends lose functions.

   A sample lies at byte offset + y * stride + x * step, its other byte `low` further. Where samples
   are packed as MIPI does it, 1 << packed of them are followed by a byte with their low bits, `step`
   counts samples instead, and the row starts with sample `first`. */

#ifndef FRAME_BYTE
#define FRAME_BYTE(at) (uint)frame[at]
#endif

#define LANE_ARGUMENTS                                                                             \
    uint offset, uint stride, uint step, int low, uint shift, uint width, uint height, uint packed, \
        uint first

/* One byte per sample, side by side: what the fast paths take. */
#define LANE_IS_BYTES (step == 1u && low == 0 && shift == 8u && packed == 0u)

/* The sample in column x of the row that starts at byte `line`, as a 16-bit number whose highest bit
   is the sample's own (8-bit samples twice). */
#define READ_SAMPLE(sample, line, x)                                                        \
    if (packed == 0u) {                                                                     \
        uint at_ = (line) + (uint)(x) * step;                                               \
        sample = FRAME_BYTE(at_) << 8 | FRAME_BYTE(at_ + (uint)low);                      \
    } else {                                                                                \
        uint index_ = first + (uint)(x) * step;                                             \
        uint place_ = index_ & ((1u << packed) - 1u);                                       \
        uint start_ = (line) + (index_ >> packed) * ((1u << packed) + 1u);                  \
        uint bits_ = 8u >> packed;                                                          \
        uint lows_ = FRAME_BYTE(start_ + (1u << packed)) >> (place_ * bits_);              \
        sample = FRAME_BYTE(start_ + place_) << 8 | (lows_ << (8u - bits_) & 255u);        \
    }
