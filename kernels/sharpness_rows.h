/* The squares of the Laplacian of sixteen columns and ROWS rows, added to `sum`: a block of code,
   included inside each sharpness kernel. Two 16-bit numbers share each 32-bit part of a uint4.
   The including file includes signed_pairs.h. */
{
    int last_x = (int)width - 1;
    int last_y = (int)height - 1;
    uint border = REPLICATE;
    uint border_value = 0u;
    uint gather = MUST_GATHER;
    /* Columns beyond the last one count for nothing: a mask of the bytes that are kept. */
    uint4 keep = 0u;
    uint before = 0u;
    uint4 here = 0u;
    uint after = 0u;
    uint4 evens;
    uint4 odds;
    uint4 lefts;
    uint4 rights;
    /* Four times the middle row less its neighbours above, left and right, and the row itself. */
    uint4 even_rest = 0u;
    uint4 odd_rest = 0u;
    uint4 even_middle = 0u;
    uint4 odd_middle = 0u;
    uint4 pair;
    uint4 sums = 0u;
    int row;

    for (row = 0; row < 16; ++row) {
        PUSH(keep, x + row <= last_x ? 255u : 0u)
    }
    for (row = -1; x <= last_x && row <= ROWS && y + row <= last_y + 1; ++row) {
        uint line;
        uint made_up;
        LOAD_WINDOW
        NEIGHBOURS
        if (row >= 1) {
            pair = even_rest - evens + 0x80008000u;
            pair = MAGNITUDE(pair) & (keep & PAIR) * 257u;
            sums += (pair & 0xffffu) * (pair & 0xffffu) + (pair >> 16) * (pair >> 16);
            pair = odd_rest - odds + 0x80008000u;
            pair = MAGNITUDE(pair) & (keep >> 8 & PAIR) * 257u;
            sums += (pair & 0xffffu) * (pair & 0xffffu) + (pair >> 16) * (pair >> 16);
        }
        even_rest = evens * 4u - even_middle - lefts - odds;
        odd_rest = odds * 4u - odd_middle - evens - rights;
        even_middle = evens;
        odd_middle = odds;
    }
    sum = sums.x + sums.y + sums.z + sums.w;
}
