/* The table that filters of outer products are given in place of coefficients, as
   daemon/gpu/term_table.hpp lays it out: for each term the taps along the row and, from TERM_COLUMN
   on, those along the column, zeros behind both; then what follows. */
#define TERM 64u
#define TERM_COLUMN 32u
#define ROW_START(table, t) table[128u + (t)]   /* what the sums of a row start with */
#define ROW_OUTSIDE(table, t) table[130u + (t)] /* the sums of a row of Border::constant */
#define COLUMN_START(table) table[132]          /* undoes ROW_START */
#define TERMS(table) (uint)table[133]
