/* The sums of a work-item that marches down: s0 to s4 (3x3: s0 to s2) are the samples below each column of
   the filter, a0 to a3 (3x3: a0, a1) the sums of the output rows to come. The includer says what TAP(k),
   coefficient k, is. */

#if RADIUS == 2
#define DECLARE_SUMS(type)                                                          \
    type a0 = 0;                                                                    \
    type a1 = 0;                                                                    \
    type a2 = 0;                                                                    \
    type a3 = 0;                                                                    \
    type s0;                                                                        \
    type s1;                                                                        \
    type s2;                                                                        \
    type s3;                                                                        \
    type s4;                                                                        \
    type sum;
#else
#define DECLARE_SUMS(type)                                                          \
    type a0 = 0;                                                                    \
    type a1 = 0;                                                                    \
    type s0;                                                                        \
    type s1;                                                                        \
    type s2;                                                                        \
    type sum;
#endif

/* Adds one row; `sum` becomes that of the output row RADIUS above. One product after the other, so that
   each can be one operation together with its addition. */
#if RADIUS == 2
#define WEIGH_ROW                                                                   \
    sum = a3 + TAP(20) * s0 + TAP(21) * s1 + TAP(22) * s2 +                         \
        TAP(23) * s3 + TAP(24) * s4;                                                \
    a3 = a2 + TAP(15) * s0 + TAP(16) * s1 + TAP(17) * s2 +                          \
        TAP(18) * s3 + TAP(19) * s4;                                                \
    a2 = a1 + TAP(10) * s0 + TAP(11) * s1 + TAP(12) * s2 +                          \
        TAP(13) * s3 + TAP(14) * s4;                                                \
    a1 = a0 + TAP(5) * s0 + TAP(6) * s1 + TAP(7) * s2 +                             \
        TAP(8) * s3 + TAP(9) * s4;                                                  \
    a0 = TAP(0) * s0 + TAP(1) * s1 + TAP(2) * s2 +                                  \
        TAP(3) * s3 + TAP(4) * s4;
#else
#define WEIGH_ROW                                                                   \
    sum = a1 + TAP(6) * s0 + TAP(7) * s1 + TAP(8) * s2;                             \
    a1 = a0 + TAP(3) * s0 + TAP(4) * s1 + TAP(5) * s2;                              \
    a0 = TAP(0) * s0 + TAP(1) * s1 + TAP(2) * s2;
#endif

/* Coefficient k as ck, for kernels that would convert it again and again. */
#if RADIUS == 2
#define DECLARE_TAPS(type, from)                                                    \
    type c0 = (from)coefficients[0];                                                \
    type c1 = (from)coefficients[1];                                                \
    type c2 = (from)coefficients[2];                                                \
    type c3 = (from)coefficients[3];                                                \
    type c4 = (from)coefficients[4];                                                \
    type c5 = (from)coefficients[5];                                                \
    type c6 = (from)coefficients[6];                                                \
    type c7 = (from)coefficients[7];                                                \
    type c8 = (from)coefficients[8];                                                \
    type c9 = (from)coefficients[9];                                                \
    type c10 = (from)coefficients[10];                                              \
    type c11 = (from)coefficients[11];                                              \
    type c12 = (from)coefficients[12];                                              \
    type c13 = (from)coefficients[13];                                              \
    type c14 = (from)coefficients[14];                                              \
    type c15 = (from)coefficients[15];                                              \
    type c16 = (from)coefficients[16];                                              \
    type c17 = (from)coefficients[17];                                              \
    type c18 = (from)coefficients[18];                                              \
    type c19 = (from)coefficients[19];                                              \
    type c20 = (from)coefficients[20];                                              \
    type c21 = (from)coefficients[21];                                              \
    type c22 = (from)coefficients[22];                                              \
    type c23 = (from)coefficients[23];                                              \
    type c24 = (from)coefficients[24];
#else
#define DECLARE_TAPS(type, from)                                                    \
    type c0 = (from)coefficients[0];                                                \
    type c1 = (from)coefficients[1];                                                \
    type c2 = (from)coefficients[2];                                                \
    type c3 = (from)coefficients[3];                                                \
    type c4 = (from)coefficients[4];                                                \
    type c5 = (from)coefficients[5];                                                \
    type c6 = (from)coefficients[6];                                                \
    type c7 = (from)coefficients[7];                                                \
    type c8 = (from)coefficients[8];
#endif
