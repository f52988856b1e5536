// Calls of Linux that Swift's Glibc module does not have.
#ifndef DTL_FILE_REPLACEMENT_H
#define DTL_FILE_REPLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Opens a file without a name in a folder, for writing. Returns a descriptor, or -1 with errno.
int dtl_open_unnamed(const char *folder);

// Gives such a file a name. Returns 0, or -1 with errno.
int dtl_name_unnamed(int descriptor, const char *path);

// Copies bytes from a place in one file to the present place in another, within the kernel where it can.
// Returns how many were copied (0 at the end of the file), or -1 with errno.
int64_t dtl_copy_range(int from, int64_t offset, int to, size_t count);

// Gives a file the extended attributes of another, access lists included; an access list of its own is removed before. What the target's
// file system does not know or only the system may set is left out. Returns 0, or -1 with errno.
int dtl_copy_attributes(int from, int to);

#ifdef __cplusplus
}
#endif

#endif
