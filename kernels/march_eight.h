/* Eight columns and ROWS rows, from top to bottom: a block of code, included inside the kernels whose
   work-items march down. The including file says with ADD_EIGHT what is done with a row in `before`, `here`,
   `there` and `after`, and with FINISH_EIGHT how `first_four` and `second_four` become the results of
   the row RADIUS above. */
if (IS_WHOLE_WORDS(8)) {
    WRITTEN_OUT
    for (row = -RADIUS; row < RADIUS; ++row) {
        LOAD_EIGHT_WHOLE
        ADD_EIGHT
    }
    WRITTEN_OUT
    for (row = RADIUS; row < ROWS + RADIUS; ++row) {
        LOAD_EIGHT_WHOLE
        ADD_EIGHT
        if (y + row - RADIUS <= last_y) {
            uint to = (uint)(y + row - RADIUS) * output_stride + (uint)x;
            FINISH_EIGHT
            *(__global uint*)(output + to) = first_four;
            *(__global uint*)(output + to + 4u) = second_four;
        }
    }
    return;
}
for (row = -RADIUS; row < ROWS + RADIUS && y + row <= last_y + RADIUS; ++row) {
    LOAD_EIGHT
    ADD_EIGHT
    if (row >= RADIUS) {
        FINISH_EIGHT
        STORE_WORD(first_four, x, y + row - RADIUS)
        STORE_WORD(second_four, x + 4, y + row - RADIUS)
    }
}
