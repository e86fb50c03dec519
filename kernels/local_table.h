/* The beginning and the two endings of kernels with one table of counters per work-group, `counts`. */
#define CLEAR_COUNTS                                          \
    for (i = item; i < (uint)BINS; i += items) counts[i] = 0u; \
    barrier(CLK_LOCAL_MEM_FENCE);

#define ADD_COUNTS_TO_BINS                                                           \
    barrier(CLK_LOCAL_MEM_FENCE);                                                    \
    for (i = item; i < (uint)BINS; i += items) {                                     \
        if (counts[i] != 0u) atomic_add(&bins[base + i], counts[i] * weight);        \
    }

#define LEAVE_COUNTS_AS_PARTIAL                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                        \
    for (i = item; i < (uint)BINS; i += items) {                         \
        partials[(uint)get_group_id(0) * (uint)BINS + i] = counts[i];    \
    }
