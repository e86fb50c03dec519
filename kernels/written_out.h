/* Before a loop that few work-items enter: written out it would have many loads under way, and the registers
   for them are taken from every work-item. */
#ifdef cl_nv_pragma_unroll
#define NOT_WRITTEN_OUT _Pragma("unroll 1")
#else
#define NOT_WRITTEN_OUT
#endif

/* Before a loop over the rows of a work-item: written out it has neither the work for sums that nobody
   asks for, at its start and end, nor that of moving sums from register to register, and its loads can
   be far ahead. Where the compiler knows no such hint, or has no room, it stays a loop. */
#ifdef cl_nv_pragma_unroll
#define WRITTEN_OUT _Pragma("unroll")
#else
#define WRITTEN_OUT
#endif
