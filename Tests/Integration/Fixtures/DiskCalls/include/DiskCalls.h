#ifndef DISKCALLS_H
#define DISKCALLS_H
#include <stdint.h>

/// A call that decides what is on a disk after a power failure.
enum descant_disk_call_kind { DESCANT_FILE_SYNC, DESCANT_FOLDER_SYNC, DESCANT_RENAME };

/// One call, and the file as it was when the call was made.
struct descant_disk_call_record {
  enum descant_disk_call_kind kind;
  uint64_t inode;
  int64_t size;
  uint32_t mode;
};

/// Records `fsync` and `rename` of the calling thread from now on, 16 calls at most. Syncs of files or folders fail with these errors, unless
/// they are 0.
void descant_begin_recording_disk_calls(int file_sync_error, int folder_sync_error);

/// Ends recording; returns how many calls were recorded.
int descant_end_recording_disk_calls(void);

/// A recorded call of this thread, from 0 on.
struct descant_disk_call_record descant_recorded_disk_call(int index);

#endif
