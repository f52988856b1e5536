// What a program gets from TagLib directly, without Descant: the yardstick of reading tags.
#ifndef C_TAG_PEER_H
#define C_TAG_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads title, artist, album, track, year, length and pictures of a file the way TagLib's examples do. Adds the bytes of
// its pictures. Returns 0, or -1 when TagLib cannot read it.
int taglib_read(const char *path, int64_t *picture_bytes);

// CPU time of this process in microseconds, user and system.
int64_t process_cpu_us(void);

#ifdef __cplusplus
}
#endif

#endif
