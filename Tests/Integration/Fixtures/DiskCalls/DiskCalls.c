#define _GNU_SOURCE
#include "DiskCalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { capacity = 16 };

static __thread int is_recording;
static __thread int errors[2];
static __thread int count;
static __thread struct descant_disk_call_record records[capacity];

void descant_begin_recording_disk_calls(int file_sync_error, int folder_sync_error) {
  errors[DESCANT_FILE_SYNC] = file_sync_error;
  errors[DESCANT_FOLDER_SYNC] = folder_sync_error;
  count = 0;
  is_recording = 1;
}

int descant_end_recording_disk_calls(void) {
  is_recording = 0;
  return count;
}

struct descant_disk_call_record descant_recorded_disk_call(int index) { return records[index]; }

static void record(enum descant_disk_call_kind kind, const struct stat *status) {
  if (count == capacity) return;
  records[count++] =
      (struct descant_disk_call_record){kind, status->st_ino, status->st_size, status->st_mode};
}

// A program's own functions stand before the C library's for everything that it links; they pass the calls on.

__attribute__((visibility("default"))) int fsync(int descriptor) {
  struct stat status;
  if (is_recording && fstat(descriptor, &status) == 0) {
    const enum descant_disk_call_kind kind = S_ISDIR(status.st_mode) ? DESCANT_FOLDER_SYNC : DESCANT_FILE_SYNC;
    record(kind, &status);
    if (errors[kind]) {
      errno = errors[kind];
      return -1;
    }
  }
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
}

__attribute__((visibility("default"))) int rename(const char *from, const char *to) {
  struct stat status;
  if (is_recording && stat(from, &status) == 0) record(DESCANT_RENAME, &status);
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
