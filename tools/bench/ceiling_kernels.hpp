// Kernels that do one thing only. Results are stored if they have a value that they never have by
// design: the compiler cannot know, and no store takes bandwidth from what is measured.
#pragma once

#include <string_view>

namespace glint::bench {

/// Loads of WORDS x 4 bytes, LOADS of them under way at once. Work-items take chunks that lie as
/// many apart as there are work-items ("strided"; with enough of them one round is all), or a run
/// of neighbouring chunks each ("blocks"). The second dimension only makes room for more work-items
/// than small devices take in one.
inline constexpr std::string_view memory_source = R"cl(
#define ITEM (get_global_id(1) * get_global_size(0) + get_global_id(0))
#define ITEMS (get_global_size(0) * get_global_size(1))
#if WORDS == 16
#define CHUNK uint16
#define FOUR(v) (v.s0123 ^ v.s4567 ^ v.s89ab ^ v.scdef)
#else
#define CHUNK uint4
#define FOUR(v) v
#endif
#if LOADS == 4
#define EACH(action) action(0u) action(1u) action(2u) action(3u)
#elif LOADS == 2
#define EACH(action) action(0u) action(1u)
#else
#define EACH(action) action(0u)
#endif
#define READ(k) sum ^= from[i + k * apart];
#define COPY(k) to[i + k * apart] = from[i + k * apart];
#define KEEP                                                                     \
    four = FOUR(sum);                                                            \
    if ((four.x ^ four.y ^ four.z ^ four.w) == 0x5bd1e995u) to[0] = (CHUNK)(four.x);

__kernel void read_strided(__global const CHUNK* from, uint count, __global CHUNK* to)
{
    uint apart = (uint)ITEMS;
    uint i = (uint)ITEM;
    CHUNK sum = (CHUNK)(0u);
    uint4 four;
    for (; i + (LOADS - 1u) * apart < count; i += LOADS * apart) {
        EACH(READ)
    }
    for (; i < count; i += apart) {
        READ(0u)
    }
    KEEP
}

__kernel void copy_strided(__global const CHUNK* from, uint count, __global CHUNK* to)
{
    uint apart = (uint)ITEMS;
    uint i = (uint)ITEM;
    for (; i + (LOADS - 1u) * apart < count; i += LOADS * apart) {
        EACH(COPY)
    }
    for (; i < count; i += apart) {
        COPY(0u)
    }
}

__kernel void read_blocks(__global const CHUNK* from, uint count, __global CHUNK* to)
{
    uint apart = 1u;
    uint length = (count + (uint)ITEMS - 1u) / (uint)ITEMS;
    uint i = min((uint)ITEM * length, count);
    uint end = min(i + length, count);
    CHUNK sum = (CHUNK)(0u);
    uint4 four;
    for (; i + LOADS - 1u < end; i += LOADS) {
        EACH(READ)
    }
    for (; i < end; ++i) {
        READ(0u)
    }
    KEEP
}

__kernel void copy_blocks(__global const CHUNK* from, uint count, __global CHUNK* to)
{
    uint apart = 1u;
    uint length = (count + (uint)ITEMS - 1u) / (uint)ITEMS;
    uint i = min((uint)ITEM * length, count);
    uint end = min(i + length, count);
    for (; i + LOADS - 1u < end; i += LOADS) {
        EACH(COPY)
    }
    for (; i < end; ++i) {
        COPY(0u)
    }
}
)cl";

/// Eight chains of WIDTH-wide multiply-adds, none of which waits for another, in float or in
/// INTEGER, uint or ushort: kernels for bytes may count in 16 bits, of which the vector units of a
/// CPU have twice as many.
inline constexpr std::string_view multiply_add_source = R"cl(
#define JOIN_AGAIN(a, b) a##b
#define JOIN(a, b) JOIN_AGAIN(a, b)
#define FLOATS JOIN(float, WIDTH)
#define INTS JOIN(INTEGER, WIDTH)
#if WIDTH == 16
#define FOUR(v) (v.s0123 + v.s4567 + v.s89ab + v.scdef)
#else
#define FOUR(v) v
#endif
#define EIGHT(action) action(0) action(1) action(2) action(3) action(4) action(5) action(6) action(7)

#define START_FLOAT(k) FLOATS x##k = (FLOATS)(start + (float)(k));
#define STEP_FLOAT(k) x##k = mad(x##k, factor, addend);
__kernel void mad_floats(float by, float plus, uint rounds, __global float* out)
{
    float start = (float)get_global_id(0);
    FLOATS factor = (FLOATS)(by);
    FLOATS addend = (FLOATS)(plus);
    FLOATS sum;
    float4 four;
    uint i;
    EIGHT(START_FLOAT)
    for (i = 0u; i < rounds; ++i) {
        EIGHT(STEP_FLOAT)
    }
    sum = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
    four = FOUR(sum);
    if (four.x + four.y + four.z + four.w == -1.0f) out[0] = four.x;
}

#define START_INT(k) INTS x##k = (INTS)((INTEGER)(start + (uint)(k)));
#define STEP_INT(k) x##k = x##k * factor + addend;
__kernel void mad_integers(uint by, uint plus, uint rounds, __global uint* out)
{
    uint start = (uint)get_global_id(0);
    INTS factor = (INTS)((INTEGER)by);
    INTS addend = (INTS)((INTEGER)plus);
    INTS sum;
    JOIN(INTEGER, 4) four;
    uint i;
    EIGHT(START_INT)
    for (i = 0u; i < rounds; ++i) {
        EIGHT(STEP_INT)
    }
    sum = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
    four = FOUR(sum);
    if ((uint)(INTEGER)(four.x + four.y + four.z + four.w) == plus) out[0] = (uint)four.x;
}
)cl";
inline constexpr unsigned multiply_add_chains = 8;

}  // namespace glint::bench
