// The two halves of the zero-copy proof (zero_copy/gpu_buffer.cpp): one writes a pattern that
// depends on place and seed, the other counts the words that differ from it. Any number of
// work-items shares the words out; each leaves a count of its own, so no atomics are needed.
//
// pattern(i, seed) = (i + seed) * 2654435761, Knuth's multiplicative hash (TAOCP 6.4).

__kernel void pattern_write(__global uint* buffer, uint words, uint seed)
{
    uint i;
    for (i = get_global_id(0); i < words; i += get_global_size(0)) {
        buffer[i] = (i + seed) * 2654435761u;
    }
}

__kernel void pattern_compare(__global const uint* buffer, uint words, uint seed,
                              __global uint* mismatches)
{
    uint i;
    uint wrong = 0;
    for (i = get_global_id(0); i < words; i += get_global_size(0)) {
        if (buffer[i] != (i + seed) * 2654435761u) {
            wrong += 1;
        }
    }
    mismatches[get_global_id(0)] = wrong;
}
