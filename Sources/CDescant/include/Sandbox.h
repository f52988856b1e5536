#ifndef DESCANT_SANDBOX_H
#define DESCANT_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Ties this process to its host: it is killed when the host's thread that started it ends, and ends when the host closes the socket,
/// also while other code hangs. To be called first.
///
/// Returns 0, or the number of the error; ESRCH when the host has ended already.
int descant_helper_attach(pid_t host, int socket);

/// Limits this process: writable memory in bytes, open descriptors, no core dump.
///
/// Returns 0, or the number of the error.
int descant_sandbox_limit(uint64_t memory, unsigned descriptors);

/// Takes the rights of this process away, of all its threads and for ever: system calls that are not on a list are refused. Files are
/// opened by ``descant_sandbox_grant`` and ``descant_sandbox_ask_for_files`` only; there are no sockets, programs, processes, signals to others, and no writing to files.
///
/// Returns 0, or the number of the error; ENOSYS where the kernel or the processor is not supported.
int descant_sandbox_enter(void);

/// Has the host at the other end of `socket` open files and folders that this process wants to read; to be called before
/// ``descant_sandbox_enter``. See ``descant_files_serve``.
void descant_sandbox_ask_for_files(int socket);

/// Makes the one file known that may be opened, by exactly this path. Each opening takes one of the descriptors (2 to 16), which
/// were opened independently of each other; the last one stays for looking at the file. They belong to the sandbox from now on.
///
/// NULL takes the file away and closes the descriptors that were not used. Not to be called while other threads open files.
///
/// Returns 0, or the number of the error.
int descant_sandbox_grant(const char *path, const int *descriptors, int count);

#endif
