#define _GNU_SOURCE
#include "CDescant.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { maximum_descriptor_count = 16 };

// One start that the starting thread is asked for; it lives on the stack of the caller, which waits.
struct start {
  const char *program;
  char *const *arguments;
  int memory;
  int files;
  struct descant_helper *helper;
  int result;
  int is_done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct start *waiting;
static int has_thread;

// Moves a descriptor out of the way of the numbers that the helper gets.
static int moved(int descriptor) {
  int result = fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
  int error = errno;
  close(descriptor);
  errno = error;
  return result;
}

static int spawn(const struct start *start, int socket, int memory, int files, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, descant_helper_socket);
  posix_spawn_file_actions_adddup2(&actions, memory, descant_helper_memory);
  if (files >= 0) posix_spawn_file_actions_adddup2(&actions, files, descant_helper_files);
  int result =
      posix_spawn_file_actions_addclosefrom_np(&actions, (files >= 0 ? descant_helper_files : descant_helper_memory) + 1);
  // A process group of its own, so that Ctrl-C of the terminal reaches only the host. No signal is blocked or ignored.
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!result) result = posix_spawn(process, start->program, &actions, &attributes, start->arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

static int perform(const struct start *start) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return errno;
  int socket = moved(ends[1]);
  if (socket < 0) {
    int error = errno;
    close(ends[0]);
    return error;
  }
  int memory = fcntl(start->memory, F_DUPFD_CLOEXEC, 16);
  int files = start->files < 0 ? -1 : fcntl(start->files, F_DUPFD_CLOEXEC, 16);
  pid_t process = 0;
  int result = memory < 0 || (start->files >= 0 && files < 0) ? errno : spawn(start, socket, memory, files, &process);
  close(socket);
  if (memory >= 0) close(memory);
  if (files >= 0) close(files);
  if (result) {
    close(ends[0]);
    return result;
  }
  int handle = (int)syscall(SYS_pidfd_open, process, 0);
  if (handle < 0) {
    result = errno;
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
    close(ends[0]);
    return result;
  }
  *start->helper = (struct descant_helper){process, handle, ends[0]};
  return 0;
}

static void *start_helpers(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "descant.helpers");
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!waiting || waiting->is_done) pthread_cond_wait(&changed, &lock);
    struct start *start = waiting;
    pthread_mutex_unlock(&lock);
    int result = perform(start);
    pthread_mutex_lock(&lock);
    start->result = result;
    start->is_done = 1;
    pthread_cond_broadcast(&changed);
  }
  return NULL;
}

int descant_helper_start(
    const char *program, char *const *arguments, int memory, int files, struct descant_helper *helper) {
  struct start start = {program, arguments, memory, files, helper, 0, 0};
  pthread_mutex_lock(&lock);
  if (!has_thread) {
    pthread_t thread;
    int result = pthread_create(&thread, NULL, start_helpers, NULL);
    if (result) {
      pthread_mutex_unlock(&lock);
      return result;
    }
    pthread_detach(thread);
    has_thread = 1;
  }
  while (waiting) pthread_cond_wait(&changed, &lock);
  waiting = &start;
  pthread_cond_broadcast(&changed);
  while (!start.is_done) pthread_cond_wait(&changed, &lock);
  waiting = NULL;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return start.result;
}

void descant_helper_kill(struct descant_helper helper) {
  syscall(SYS_pidfd_send_signal, helper.handle, SIGKILL, NULL, 0);
}

int descant_helper_wait(struct descant_helper helper, int milliseconds, int *status) {
  struct pollfd question = {helper.handle, POLLIN, 0};
  int answer;
  do answer = poll(&question, 1, milliseconds);
  while (answer < 0 && errno == EINTR);
  if (answer <= 0) return 0;
  pid_t ended;
  do ended = waitpid(helper.process, status, WNOHANG);
  while (ended < 0 && errno == EINTR);
  return ended == helper.process ? 1 : -1;
}

int descant_shared_memory(size_t size) {
  int memory = memfd_create("descant-helper", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  // A mapping of memory that somebody shortens would end the host with SIGBUS.
  if (ftruncate(memory, (off_t)size) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
    int error = errno;
    close(memory);
    errno = error;
    return -1;
  }
  return memory;
}

int descant_send(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
  struct iovec part = {(void *)bytes, count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * maximum_descriptor_count)];
  } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor_count > maximum_descriptor_count) return EINVAL;
  if (descriptor_count > 0) {
    memset(&control, 0, sizeof control);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
    memcpy(CMSG_DATA(&control.header), descriptors, sizeof(int) * descriptor_count);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? errno : 0;
}

ssize_t descant_receive(int socket, void *bytes, size_t capacity, int *descriptors, int *descriptor_count) {
  struct iovec part = {bytes, capacity};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * maximum_descriptor_count)];
  } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptors) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    *descriptor_count = 0;
  }
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got >= 0 && descriptors) {
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      memcpy(descriptors, CMSG_DATA(header), sizeof(int) * count);
      *descriptor_count = count;
    }
  }
  if (got >= 0 && message.msg_flags & MSG_TRUNC) {
    errno = EMSGSIZE;
    return -1;
  }
  return got;
}

int descant_wait_readable(int socket, int milliseconds) {
  struct pollfd question = {socket, POLLIN, 0};
  int answer;
  do answer = poll(&question, 1, milliseconds);
  while (answer < 0 && errno == EINTR);
  return answer;
}

int descant_socket_pair(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? errno : 0;
}

int descant_are_finite(const float *samples, size_t count) {
  // Zero times infinity or NaN is NaN, and so is a sum with it.
  float sum = 0;
  for (size_t index = 0; index < count; index++) sum += samples[index] * 0;
  return sum == 0;
}

// MARK: Files

static int open_beneath(int folder, const char *path) {
  struct open_how how = {
      .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  int file = (int)syscall(SYS_openat2, folder, *path ? path : ".", &how, sizeof how);
  if (file < 0) return errno == EXDEV ? -EACCES : -errno;
  struct stat status;
  if (fstat(file, &status) || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
    close(file);
    return -EACCES;
  }
  return file;
}

// A path that is absolute lies in one of the folders; another one lies in the folder that came with it, which was opened here.
static int open_wanted(const char *path, const int *received, const char *const *paths, const int *folders, int count) {
  if (*path != '/') return received ? open_beneath(*received, path) : -EACCES;
  int result = -EACCES;
  for (int index = 0; index < count; index++) {
    size_t length = strlen(paths[index]);
    if (strncmp(path, paths[index], length) || (path[length] != '/' && path[length])) continue;
    const char *rest = path + length;
    while (*rest == '/') rest++;
    // A folder may lie in another one, which may contain the file although this one does not.
    int file = open_beneath(folders[index], rest);
    if (file >= 0) return file;
    if (result == -EACCES) result = file;
  }
  return result;
}

static void close_all(const int *descriptors, int count) {
  for (int index = 0; index < count; index++) close(descriptors[index]);
}

void descant_files_serve(int socket, const char *const *paths, const int *folders, int count) {
  char path[4097];
  int received[maximum_descriptor_count];
  while (descant_wait_readable(socket, -1) > 0) {
    int received_count = 0;
    ssize_t length = descant_receive(socket, path, sizeof path - 1, received, &received_count);
    if (length == 0 || (length < 0 && errno != EMSGSIZE)) {
      // An empty message looks like the end, and may have brought descriptors.
      close_all(received, received_count);
      return;
    }
    int file = -ENAMETOOLONG;
    if (length > 0) {
      path[length] = 0;
      file = open_wanted(path, received_count > 0 ? received : NULL, paths, folders, count);
    }
    int answer = file < 0 ? -file : 0;
    int result = descant_send(socket, &answer, sizeof answer, &file, file < 0 ? 0 : 1);
    if (file >= 0) close(file);
    close_all(received, received_count);
    // Whoever does not take the answers waits for none.
    if (result) return;
  }
}

// MARK: Signals

const char *descant_signal_name(int number) {
  switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGFPE: return "SIGFPE";
    case SIGKILL: return "SIGKILL";
    case SIGSYS: return "SIGSYS";
    case SIGXFSZ: return "SIGXFSZ";
    case SIGXCPU: return "SIGXCPU";
    case SIGTERM: return "SIGTERM";
    case SIGINT: return "SIGINT";
    case SIGHUP: return "SIGHUP";
    case SIGPIPE: return "SIGPIPE";
    default: return "another signal";
  }
}
