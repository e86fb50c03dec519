/* Signed 16-bit numbers, two to a word, and the gradient that the Sobel kernels make of them. A negative
   number borrows from its neighbour; adding 0x8000 to both sets that right. */

/* Of two such numbers that are given as v + 0x8000: 1 where v is not negative, and |v|. */
#define NOT_NEGATIVE(pair) ((pair) >> 15 & 0x00010001u)
#define MAGNITUDE(pair) \
    (((pair) ^ (NOT_NEGATIVE(pair) + 0x7fff7fffu)) + 0x00010001u - NOT_NEGATIVE(pair))

/* |gx| + |gy| at the middle one of three rows, at most 255: `d` are differences across, `s` sums. */
#define GRADIENT(result, d0, d1, d2, s0, s2)                                  \
    result = d0 + d1 * 2u + d2 + 0x80008000u;                                 \
    result = MAGNITUDE(result) + MAGNITUDE(s2 + 0x80008000u - s0);            \
    result = (result | ((result + 0x7f007f00u) >> 15 & 0x00010001u) * 0xffu) & PAIR;
