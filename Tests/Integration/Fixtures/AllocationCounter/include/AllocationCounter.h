#ifndef ALLOCATIONCOUNTER_H
#define ALLOCATIONCOUNTER_H
#include <stdint.h>

/// Counts what the calling thread allocates from now on.
void descant_begin_counting_allocations(void);

/// Ends counting; returns how many blocks were asked for since, or -1 where the program's allocator cannot be watched.
int64_t descant_end_counting_allocations(void);

#endif
