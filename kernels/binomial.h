/* Binomial filters of whole words: two 16-bit sums share each 32-bit part of a vector, even and odd columns. */
#define PAIR 0x00ff00ffu

/* `here` are the samples of a row, `left` and `right` those four columns to either side; even0 to odd3
   (3x3: to odd1) the last rows, filtered across. */
#if RADIUS == 2
#define DECLARE_PAIRS(type)                                                                         \
    type even0 = 0u;                                                                                \
    type odd0 = 0u;                                                                                 \
    type even1 = 0u;                                                                                \
    type odd1 = 0u;                                                                                 \
    type even2 = 0u;                                                                                \
    type odd2 = 0u;                                                                                 \
    type even3 = 0u;                                                                                \
    type odd3 = 0u;                                                                                 \
    type even;                                                                                      \
    type odd;                                                                                       \
    type left;                                                                                      \
    type right;                                                                                     \
    type result;
#else
#define DECLARE_PAIRS(type)                                                                         \
    type even0 = 0u;                                                                                \
    type odd0 = 0u;                                                                                 \
    type even1 = 0u;                                                                                \
    type odd1 = 0u;                                                                                 \
    type even;                                                                                      \
    type odd;                                                                                       \
    type left;                                                                                      \
    type right;                                                                                     \
    type result;
#endif

/* Adds one row; `result` becomes that of the output row RADIUS above. `left` and `right` are first made the
   samples RADIUS columns to either side. */
#if RADIUS == 2
#define ADD_ROW                                                                                     \
    left = left >> 16 | here << 16;                                                                 \
    right = here >> 16 | right << 16;                                                               \
    odd = here >> 8 & PAIR;                                                                         \
    here = here & PAIR;                                                                             \
    even = (left & PAIR) + (right & PAIR) + ((left >> 8 & PAIR) + odd) * 4u + here * 6u;            \
    odd = (left >> 8 & PAIR) + (right >> 8 & PAIR) + (here + (right & PAIR)) * 4u + odd * 6u;       \
    result = ((even0 + even + (even1 + even3) * 4u + even2 * 6u) >> 8 & PAIR) |                     \
             ((odd0 + odd + (odd1 + odd3) * 4u + odd2 * 6u) & 0xff00ff00u);                         \
    even0 = even1;                                                                                  \
    odd0 = odd1;                                                                                    \
    even1 = even2;                                                                                  \
    odd1 = odd2;                                                                                    \
    even2 = even3;                                                                                  \
    odd2 = odd3;                                                                                    \
    even3 = even;                                                                                   \
    odd3 = odd;
#else
#define ADD_ROW                                                                                     \
    left = left >> 24 | here << 8;                                                                  \
    right = here >> 8 | right << 24;                                                                \
    even = (left & PAIR) + (right & PAIR) + (here & PAIR) * 2u;                                     \
    odd = (left >> 8 & PAIR) + (right >> 8 & PAIR) + (here >> 8 & PAIR) * 2u;                       \
    result = ((even0 + even + even1 * 2u) >> 4 & PAIR) |                                            \
             ((odd0 + odd + odd1 * 2u) >> 4 & PAIR) << 8;                                           \
    even0 = even1;                                                                                  \
    odd0 = odd1;                                                                                    \
    even1 = even;                                                                                   \
    odd1 = odd;
#endif
