#include <archive.h>
#include <archive_entry.h>

// glibc declares it with _GNU_SOURCE only.
extern void *memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);
