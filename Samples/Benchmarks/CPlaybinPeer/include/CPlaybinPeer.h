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

// When the last measured first buffer was at the sink, in nanoseconds of CLOCK_MONOTONIC.
int64_t playbin_last_first_buffer(void);

// A playbin that plays to a PulseAudio server and is commanded like a player. NULL when an element is missing.
typedef struct playbin_transport playbin_transport;
playbin_transport *playbin_transport_open(const char *sink);
void playbin_transport_play(playbin_transport *transport, const char *path);
void playbin_transport_stop(playbin_transport *transport);
void playbin_transport_pause(playbin_transport *transport);
void playbin_transport_resume(playbin_transport *transport);
void playbin_transport_set_volume(playbin_transport *transport, double volume);
void playbin_transport_seek(playbin_transport *transport, double seconds);
void playbin_transport_close(playbin_transport *transport);

// Bytes that the program holds in its heap: what it has allocated and not freed. Swift's Glibc module has no name for it.
int64_t heap_bytes_in_use(void);

#endif
