#ifndef DESCANT_HELPER_PROCESS_H
#define DESCANT_HELPER_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The descriptors of a helper process: its end of the socket, the memory that it shares with the host, and, for a helper that may
/// read files, its end of the socket that ``descant_files_serve`` answers.
enum { descant_helper_socket = 3, descant_helper_memory = 4, descant_helper_files = 5 };

/// A helper process that was started.
struct descant_helper {
  pid_t process;
  /// Refers to the process even when its number is in use again; closed by the owner.
  int handle;
  /// The host's end of the socket (SOCK_SEQPACKET); closed by the owner.
  int socket;
};

/// Starts `program` with the arguments `arguments` (ended by NULL), a socket, the memory behind `memory` and, unless it is -1, the
/// socket `files`.
///
/// All helpers are started by one thread that lives as long as the process: the kernel ends a helper that has asked for it
/// (PR_SET_PDEATHSIG) when the thread that started it ends. Standard input and outputs are /dev/null; everything else is closed.
///
/// Returns 0, or the number of the error.
int descant_helper_start(
    const char *program, char *const *arguments, int memory, int files, struct descant_helper *helper);

/// Ends a helper at once, if it still runs.
void descant_helper_kill(struct descant_helper helper);

/// Waits up to `milliseconds` until a helper has ended, and takes its exit status. No other child of the process is touched.
///
/// Returns 1 with `status` set as by `waitpid`, 0 when it still runs, -1 when somebody else has taken the status.
int descant_helper_wait(struct descant_helper helper, int milliseconds, int *status);

/// Makes memory of a fixed size that two processes can map; nobody can shorten it.
///
/// Returns a descriptor, or -1 with `errno`.
int descant_shared_memory(size_t size);

/// Sends one message with up to 16 descriptors; never waits and raises no signal.
///
/// Returns 0, or the number of the error.
int descant_send(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count);

/// Receives one message of up to `capacity` bytes and, when `descriptors` is not NULL, up to 16 descriptors; never waits.
/// Descriptors that are not asked for are discarded by the kernel.
///
/// Returns the length, 0 when the other end is closed, or -1 with `errno`; EMSGSIZE for a longer message.
ssize_t descant_receive(int socket, void *bytes, size_t capacity, int *descriptors, int *descriptor_count);

/// Waits until a message can be received.
///
/// Returns 1, 0 after `milliseconds` (-1 waits for ever), or -1 with `errno`.
int descant_wait_readable(int socket, int milliseconds);

/// Returns 1 when every sample is a number, 0 when one is infinite or NaN.
int descant_are_finite(const float *samples, size_t count);

/// Makes two connected sockets (SOCK_SEQPACKET) that no program inherits.
///
/// Returns 0, or the number of the error.
int descant_socket_pair(int ends[2]);

/// Opens files for a helper until it closes its socket: regular files and folders, for reading, beneath `count` folders.
///
/// Each folder has its absolute path in `paths` and an open descriptor in `folders`. A path that leaves its folder, by `..` or by a
/// link, is refused.
void descant_files_serve(int socket, const char *const *paths, const int *folders, int count);

/// The name of a signal, such as "SIGSEGV".
const char *descant_signal_name(int number);

#endif
