/* A rectangle of samples in the local memory of a work-group of LOCAL_X x LOCAL_Y. */

/* Fills `tile` with `columns` x `rows` samples from column `left` and row y on, `pitch` to a row, as
   the border has it; every work-item takes part, and may use all of it afterwards. Needs lx and ly,
   the item's place in the group, and declares what else it needs. */
#define LOAD_TILE(tile, pitch, left, columns, rows)                           \
    for (row = ly; row < (rows); row += LOCAL_Y) {                            \
        uint line;                                                            \
        uint made_up;                                                         \
        FIND_LINE                                                             \
        for (column = lx; column < (columns); column += LOCAL_X) {            \
            SAMPLE sample;                                                    \
            GATHER(sample, (left) + column)                                   \
            tile[row * (pitch) + column] = (PIXEL)sample;                     \
        }                                                                     \
    }                                                                         \
    barrier(CLK_LOCAL_MEM_FENCE);
