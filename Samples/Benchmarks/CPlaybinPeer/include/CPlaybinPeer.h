// What a program gets from playbin directly, without Descant: the yardstick of start and seek times.
#ifndef C_PLAYBIN_PEER_H
#define C_PLAYBIN_PEER_H

#include <stdint.h>

// Plays a file `count` times into a clocked null sink with one playbin that goes back to READY in between.
// Writes the nanoseconds from each play call to the first buffer at the sink. Returns 0, or -1 when a play
// gives no buffer within 10 s.
int playbin_measure_starts(const char *path, int count, int64_t *nanoseconds);

// Plays a file into a clocked null sink and seeks to positions in seconds, accurately, `pause_ms` apart. Writes the
// nanoseconds from each call to the first buffer after the flush. Returns 0, or -1 as above.
int playbin_measure_seeks(const char *path, const double *positions, int count, int pause_ms, int64_t *nanoseconds);

// Bytes that the program holds in its heap: what it has allocated and not freed. Swift's Glibc module has no name for it.
int64_t heap_bytes_in_use(void);

#endif
