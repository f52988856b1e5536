#define _GNU_SOURCE
#include "FileReplacement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

int dtl_open_unnamed(const char *folder) { return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600); }

int dtl_name_unnamed(int descriptor, const char *path) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int64_t copy_through_memory(int from, int64_t offset, int to, size_t count) {
    static const size_t maximum = 256 << 10;
    if (count > maximum) count = maximum;
    char *buffer = malloc(count);
    if (!buffer) return -1;
    const ssize_t got = pread(from, buffer, count, offset);
    ssize_t put = 0;
    while (got > 0 && put < got) {
        const ssize_t part = write(to, buffer + put, (size_t)(got - put));
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) break;
        put += part;
    }
    const int code = errno;
    free(buffer);
    errno = code;
    return got < 0 || put < got ? -1 : got;
}

int64_t dtl_copy_range(int from, int64_t offset, int to, size_t count) {
    loff_t place = offset;
    const ssize_t copied = copy_file_range(from, &place, to, NULL, count, 0);
    if (copied >= 0) return copied;
    switch (errno) {
    case ENOSYS: case EXDEV: case EINVAL: case EOPNOTSUPP: case EPERM:
        return copy_through_memory(from, offset, to, count);
    default: return -1;
    }
}

static int copy_attribute(int from, int to, const char *name) {
    const ssize_t size = fgetxattr(from, name, NULL, 0);
    // Gone meanwhile, or not for us to read.
    if (size < 0) return 0;
    char *value = malloc((size_t)size + 1);
    if (!value) return -1;
    const ssize_t got = fgetxattr(from, name, value, (size_t)size);
    int result = got < 0 ? 0 : fsetxattr(to, name, value, (size_t)got, 0);
    if (result < 0 && (errno == ENOTSUP || errno == EPERM || errno == EACCES)) result = 0;
    const int code = errno;
    free(value);
    errno = code;
    return result;
}

int dtl_copy_attributes(int from, int to) {
    // The folder's default access list, which the old file need not have.
    if (fremovexattr(to, "system.posix_acl_access") != 0 && errno != ENODATA && errno != ENOTSUP) return -1;
    const ssize_t size = flistxattr(from, NULL, 0);
    if (size < 0) return errno == ENOTSUP ? 0 : -1;
    if (size == 0) return 0;
    char *names = malloc((size_t)size);
    if (!names) return -1;
    const ssize_t got = flistxattr(from, names, (size_t)size);
    int result = 0;
    for (const char *name = names; result == 0 && name < names + got; name += strlen(name) + 1)
        result = copy_attribute(from, to, name);
    const int code = errno;
    free(names);
    errno = code;
    return result;
}
