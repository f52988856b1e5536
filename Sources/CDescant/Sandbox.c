#define _GNU_SOURCE
#include "CDescant.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// MARK: The host

static void *end_with_host(void *socket) {
  pthread_setname_np(pthread_self(), "descant.host");
  struct pollfd question = {(int)(intptr_t)socket, POLLRDHUP, 0};
  while (poll(&question, 1, -1) < 0 && errno == EINTR) continue;
  _exit(0);
}

int descant_helper_attach(pid_t host, int socket) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return errno;
  // The host may have ended before the call.
  if (getppid() != host) return ESRCH;
  if (fcntl(socket, F_SETFD, FD_CLOEXEC)) return errno;
  umask(077);
  if (chdir("/")) return errno;
  pthread_t thread;
  int result = pthread_create(&thread, NULL, end_with_host, (void *)(intptr_t)socket);
  if (!result) pthread_detach(thread);
  return result;
}

// MARK: Limits

static int limit(int resource, rlim_t value) {
  struct rlimit wanted = {value, value};
  return setrlimit(resource, &wanted) ? errno : 0;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RESERVES_ADDRESSES 1
#endif
#endif

int descant_sandbox_limit(uint64_t memory, unsigned descriptors) {
  // Every heap of malloc reserves 64 MiB of addresses; two are enough.
  mallopt(M_ARENA_MAX, 2);
  int result = limit(RLIMIT_CORE, 0);
  if (!result) result = limit(RLIMIT_NOFILE, descriptors);
  if (!result) result = limit(RLIMIT_DATA, memory);
#ifndef RESERVES_ADDRESSES
  // Code, reservations and the stacks of threads come on top of what is written to.
  if (!result) result = limit(RLIMIT_AS, memory + ((rlim_t)1 << 30));
#endif
  return result;
}

// MARK: The one file

enum { maximum_file_count = 16, maximum_path_length = 4096 };

static char granted_path[maximum_path_length];
static int granted[maximum_file_count];
static atomic_int granted_count;
// How many descriptors were handed out.
static atomic_int taken;

int descant_sandbox_grant(const char *path, const int *descriptors, int count) {
  int old = atomic_exchange(&granted_count, 0);
  for (int index = atomic_load(&taken); index < old; index++) close(granted[index]);
  atomic_store(&taken, 0);
  granted_path[0] = 0;
  if (!path) return 0;
  if (count < 2 || count > maximum_file_count) return EINVAL;
  if (strlen(path) >= maximum_path_length) return ENAMETOOLONG;
  strcpy(granted_path, path);
  memcpy(granted, descriptors, sizeof(int) * count);
  atomic_store(&granted_count, count);
  return 0;
}

static int is_granted(const char *path) {
  return path && granted_path[0] && atomic_load(&granted_count) > 0 && strcmp(path, granted_path) == 0;
}

static long open_granted(const char *path, int flags) {
  if (!is_granted(path) || (flags & O_ACCMODE) != O_RDONLY || flags & (O_DIRECTORY | O_TRUNC)) return -EACCES;
  // The last descriptor stays, so that the file can always be looked at.
  int index = atomic_fetch_add(&taken, 1);
  if (index < atomic_load(&granted_count) - 1) return granted[index];
  atomic_fetch_sub(&taken, 1);
  return -EMFILE;
}

static long status_of_granted(const char *path, struct stat *status) {
  if (!is_granted(path)) return -EACCES;
  return syscall(SYS_fstat, granted[atomic_load(&granted_count) - 1], status) ? -errno : 0;
}

// MARK: Files that the host opens

static int files_socket = -1;
// Taken in the signal handler only, which interrupts no holder: the holder's system calls use no paths.
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

void descant_sandbox_ask_for_files(int socket) { files_socket = socket; }

// Asks the host for a file; the system call with a path is refused to this process.
static long open_by_host(int folder, const char *path, int flags) {
  if (files_socket < 0 || !path || flags & (O_ACCMODE | O_CREAT | O_TRUNC | O_PATH)) return -EACCES;
  char absolute[maximum_path_length];
  size_t length = strnlen(path, maximum_path_length);
  if (length == 0) return -ENOENT;
  if (length + 1 >= maximum_path_length) return -ENAMETOOLONG;
  if (*path != '/' && folder == AT_FDCWD) {
    // The working directory is the root.
    absolute[0] = '/';
    memcpy(absolute + 1, path, ++length);
    path = absolute;
  }
  int file = -1, answer = 0, count = 0, files[maximum_file_count];
  pthread_mutex_lock(&asking);
  ssize_t got = -1;
  if (!descant_send(files_socket, path, length, &folder, *path == '/' ? 0 : 1) &&
      descant_wait_readable(files_socket, -1) > 0) {
    got = descant_receive(files_socket, &answer, sizeof answer, files, &count);
  }
  pthread_mutex_unlock(&asking);
  if (got != (ssize_t)sizeof answer) return -EACCES;
  if (answer) return -answer;
  if (count != 1) return -EACCES;
  file = files[0];
  struct stat status;
  if (flags & O_DIRECTORY && (syscall(SYS_fstat, file, &status) || !S_ISDIR(status.st_mode))) {
    close(file);
    return -ENOTDIR;
  }
  return file;
}

// MARK: The state of threads

// The Linux version of libdispatch reads the state of its threads from /proc once a second, and ends the process when it cannot.
static int thread_status = -1;

static int write_thread_status(void) {
  // Asleep: the pool may add threads when work waits, as it does for threads that block.
  static const char text[] = "1 (thread) S 0\n";
  thread_status = memfd_create("descant-threads", MFD_CLOEXEC);
  if (thread_status < 0) return errno;
  return write(thread_status, text, sizeof text - 1) == (ssize_t)sizeof text - 1 ? 0 : EIO;
}

static int is_thread_status(const char *path) {
  static const char start[] = "/proc/";
  if (!path || strncmp(path, start, sizeof start - 1)) return 0;
  path += sizeof start - 1;
  size_t digits = strspn(path, "0123456789");
  return digits > 0 && strcmp(path + digits, "/stat") == 0;
}

static long open_thread_status(void) {
  if (lseek(thread_status, 0, SEEK_SET) < 0) return -errno;
  int copy = fcntl(thread_status, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? -errno : copy;
}

// Opens the one file, or one that the host grants.
static long open_allowed(int folder, const char *path, int flags) {
  if (is_thread_status(path)) return open_thread_status();
  return is_granted(path) ? open_granted(path, flags) : open_by_host(folder, path, flags);
}

static long status_of_allowed(int folder, const char *path, struct stat *status) {
  if (is_granted(path)) return status_of_granted(path, status);
  long file = open_by_host(folder, path, O_RDONLY);
  if (file < 0) return file;
  long result = syscall(SYS_fstat, (int)file, status) ? -errno : 0;
  close((int)file);
  return result;
}

// Returns `present` for a path that can be read, or the negative number of the error.
static long look_at(int folder, const char *path, long present) {
  if (is_granted(path)) return present;
  long file = open_by_host(folder, path, O_RDONLY);
  if (file < 0) return file;
  close((int)file);
  return present;
}

// MARK: System calls

#if defined(__x86_64__)
#define SYSTEM_ARCHITECTURE AUDIT_ARCH_X86_64
#define ARGUMENT(context, number) \
  ((context)->uc_mcontext.gregs[(number) == 0 ? REG_RDI : (number) == 1 ? REG_RSI : (number) == 2 ? REG_RDX : REG_R10])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define SYSTEM_ARCHITECTURE AUDIT_ARCH_AARCH64
#define ARGUMENT(context, number) ((context)->uc_mcontext.regs[number])
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#endif

#ifdef SYSTEM_ARCHITECTURE

// Runs in place of a system call that would use a path. It has no more rights than the code that made the call.
static void use_path(int signal, siginfo_t *details, void *data) {
  (void)signal;
  ucontext_t *context = data;
  int error = errno;
  const char *first = (const char *)ARGUMENT(context, 0);
  const char *second = (const char *)ARGUMENT(context, 1);
  int folder = (int)ARGUMENT(context, 0);
  long result = -EACCES;
  switch (details->si_syscall) {
#ifdef SYS_open
    case SYS_open: result = open_allowed(AT_FDCWD, first, (int)ARGUMENT(context, 1)); break;
    case SYS_stat:
    case SYS_lstat: result = status_of_allowed(AT_FDCWD, first, (struct stat *)ARGUMENT(context, 1)); break;
    case SYS_access: result = ARGUMENT(context, 1) & ~R_OK ? -EACCES : look_at(AT_FDCWD, first, 0); break;
    case SYS_readlink: result = look_at(AT_FDCWD, first, -EINVAL); break;
#endif
    case SYS_openat: result = open_allowed(folder, second, (int)ARGUMENT(context, 2)); break;
    case SYS_newfstatat:
      if (second && !*second && ARGUMENT(context, 3) & AT_EMPTY_PATH) {
        result = syscall(SYS_fstat, folder, (struct stat *)ARGUMENT(context, 2)) ? -errno : 0;
      } else {
        result = status_of_allowed(folder, second, (struct stat *)ARGUMENT(context, 2));
      }
      break;
    case SYS_faccessat:
    case SYS_faccessat2: result = ARGUMENT(context, 2) & ~R_OK ? -EACCES : look_at(folder, second, 0); break;
    case SYS_readlinkat: result = look_at(folder, second, -EINVAL); break;
    default: break;
  }
  RESULT(context) = result;
  errno = error;
}

// System calls that need no look at their arguments. What works on a descriptor works on those that the process was given.
static const int allowed[] = {
    SYS_read, SYS_getdents64, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_writev, SYS_lseek, SYS_close, SYS_close_range, SYS_fstat,
    SYS_fadvise64, SYS_dup, SYS_dup3, SYS_pipe2, SYS_eventfd2, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl,
    SYS_epoll_pwait, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_sendmsg, SYS_recvmsg, SYS_sendto,
    SYS_recvfrom, SYS_shutdown, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_mmap, SYS_munmap, SYS_mremap,
    SYS_mprotect, SYS_madvise, SYS_brk, SYS_msync, SYS_mincore, SYS_membarrier, SYS_futex, SYS_set_robust_list,
    SYS_get_robust_list, SYS_rseq, SYS_set_tid_address, SYS_gettid, SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid,
    SYS_getgid, SYS_getegid, SYS_exit, SYS_exit_group, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_rt_sigtimedwait, SYS_rt_sigpending, SYS_rt_sigsuspend, SYS_sigaltstack, SYS_restart_syscall, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_get_priority_max,
    SYS_sched_get_priority_min, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday,
    SYS_getrandom, SYS_getrusage, SYS_times, SYS_uname, SYS_sysinfo, SYS_getcpu, SYS_getcwd,
#ifdef SYS_open
    SYS_poll, SYS_select, SYS_epoll_wait, SYS_epoll_create, SYS_dup2, SYS_pipe, SYS_eventfd, SYS_time, SYS_arch_prctl,
    SYS_alarm,
#endif
};

// System calls with a path, which ``use_path`` answers.
static const int with_path[] = {
    SYS_openat, SYS_newfstatat, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
#ifdef SYS_open
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink,
#endif
};

// System calls for which the C library uses an older one when the kernel lacks them.
static const int unknown[] = {SYS_clone3, SYS_statx, SYS_openat2};

static const unsigned control_operations[] = {FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, 0x5401 /* TCGETS */};
static const unsigned descriptor_operations[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_GET_SEALS};
static const unsigned process_operations[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, 0x53564d41 /* PR_SET_VMA */};

enum { maximum_filter_length = 1024 };
static struct sock_filter filter[maximum_filter_length];
static unsigned short filter_length;

static void add(struct sock_filter step) {
  if (filter_length < maximum_filter_length) filter[filter_length++] = step;
}

static void give(unsigned result) { add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result)); }

static void load(size_t offset) {
  add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void load_argument(int number, int half) {
  load(offsetof(struct seccomp_data, args) + 8 * (size_t)number + 4 * (size_t)half);
}

static void give_when(unsigned value, unsigned result) {
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
  give(result);
}

// Begins the steps for one system call; ``end_call`` closes them. A jump skips up to 255 steps.
static unsigned short begin_call(int number) {
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 0));
  return filter_length;
}

static void end_call(unsigned short start, unsigned result) {
  give(result);
  filter[start - 1].jf = (unsigned char)(filter_length - start);
}

static void allow_values(int call, int argument, const unsigned *values, size_t count) {
  unsigned short start = begin_call(call);
  load_argument(argument, 0);
  for (size_t index = 0; index < count; index++) give_when(values[index], SECCOMP_RET_ALLOW);
  end_call(start, SECCOMP_RET_ERRNO | EPERM);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void write_filter(void) {
  filter_length = 0;
  load(offsetof(struct seccomp_data, arch));
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYSTEM_ARCHITECTURE, 1, 0));
  give(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
  for (size_t index = 0; index < COUNT(allowed); index++) give_when((unsigned)allowed[index], SECCOMP_RET_ALLOW);
  for (size_t index = 0; index < COUNT(with_path); index++) give_when((unsigned)with_path[index], SECCOMP_RET_TRAP);
  for (size_t index = 0; index < COUNT(unknown); index++) {
    give_when((unsigned)unknown[index], SECCOMP_RET_ERRNO | ENOSYS);
  }
  allow_values(SYS_ioctl, 1, control_operations, COUNT(control_operations));
  allow_values(SYS_prctl, 0, process_operations, COUNT(process_operations));
  // Flags could make a descriptor send signals (O_ASYNC); only O_NONBLOCK and the access mode may be among them.
  unsigned short start = begin_call(SYS_fcntl);
  load_argument(1, 0);
  for (size_t index = 0; index < COUNT(descriptor_operations); index++) {
    give_when(descriptor_operations[index], SECCOMP_RET_ALLOW);
  }
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETFL, 0, 3));
  load_argument(2, 0);
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_ASYNC, 1, 0));
  give(SECCOMP_RET_ALLOW);
  end_call(start, SECCOMP_RET_ERRNO | EPERM);
  // Threads, no processes.
  start = begin_call(SYS_clone);
  load_argument(0, 0);
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 2));
  add((struct sock_filter)BPF_JUMP(
      BPF_JMP | BPF_JSET | BPF_K,
      CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP, 1, 0));
  give(SECCOMP_RET_ALLOW);
  end_call(start, SECCOMP_RET_ERRNO | EPERM);
  // Signals to this process: abort() and raise().
  start = begin_call(SYS_tgkill);
  load_argument(0, 0);
  give_when((unsigned)getpid(), SECCOMP_RET_ALLOW);
  end_call(start, SECCOMP_RET_ERRNO | EPERM);
  // Limits of this process are read and not set.
  start = begin_call(SYS_prlimit64);
  load_argument(0, 0);
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 5));
  load_argument(2, 0);
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
  load_argument(2, 1);
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
  give(SECCOMP_RET_ALLOW);
  end_call(start, SECCOMP_RET_ERRNO | EPERM);
  give(SECCOMP_RET_ERRNO | EPERM);
}

// Landlock refuses files, network and signals once more, for this thread and those that it starts; kernels without it are fine.
static void add_landlock(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return;
  struct {
    uint64_t files, network, scopes;
  } rules = {version >= 5 ? 0xffff : version >= 3 ? 0x7fff : version == 2 ? 0x3fff : 0x1fff, 0, 0};
  size_t size = sizeof rules.files;
  if (version >= 4) {
    rules.network = 3;
    size += sizeof rules.network;
  }
  if (version >= 6) {
    rules.scopes = 3;
    size += sizeof rules.scopes;
  }
  int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (set < 0) return;
  syscall(SYS_landlock_restrict_self, set, 0);
  close(set);
}

int descant_sandbox_enter(void) {
  int result = write_thread_status();
  if (!result) result = limit(RLIMIT_FSIZE, 0);
  if (result) return result;
  // Handlers that write reports open files, with SIGSYS blocked; the host reports the signal.
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT};
  for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) signal(crashes[index], SIG_DFL);
  struct sigaction action = {.sa_sigaction = use_path, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSYS, &action, NULL)) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  add_landlock();
  write_filter();
  if (filter_length >= maximum_filter_length) return E2BIG;
  struct sock_fprog program = {filter_length, filter};
  long outcome = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (outcome > 0) return EBUSY;
  return outcome ? errno : 0;
}

#else

int descant_sandbox_enter(void) { return ENOSYS; }

#endif
