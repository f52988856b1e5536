// Speaks with espeak-ng for a host at the other end of the socket that is the standard input.
//
// espeak-ng is under the GNU General Public License, version 3 or later, and so is this program as a whole; see NOTICE
// in Plugins/EspeakSpeech. It shares no memory with its host, and whatever espeak-ng does to the process ends here.
//
// Messages, in both directions: 4 bytes length of what follows, 1 byte kind, then the fields. Numbers are unsigned and
// little endian.
//
//   to the helper
//     S  speak    4 number of the request, 2 words per minute, 1 pitch (0…100), 1 length of the voice's name, the name,
//                 then the text in UTF-8
//     C  cancel   4 number of the request
//     V  voices
//     N  are you there?
//   from the helper
//     R  ready    1 version of this protocol, 4 sample rate, then espeak-ng's version; sent first, and in answer to N
//     V  voices   for each: identifier, tab, name, tab, languages with commas between them, line feed
//     W  word     4 number of the request, 4 place (in scalars, from 0), 4 frame; comes before the sound it lies in
//     P  sound    4 number of the request, then 16-bit samples, mono
//     E  end      4 number of the request, 1 why: 0 spoken, 1 cancelled, 2 no such voice, 3 espeak-ng failed
//
// One request at a time. It ends when the socket does.
//
// Every request is spoken by a copy of the process (fork), which ends with it. What was spoken changes espeak-ng: after a row of
// signs the same sentence is 8 % longer. And a text that ends espeak-ng ends the copy only.

//
// Before the first text it gives its rights up: it reads espeak-ng's data and nothing else, and opens no socket, writes no file and
// starts no program. A text or the name of a voice that makes espeak-ng do something else gets no further.

#define _GNU_SOURCE  // closefrom (glibc 2.34), O_PATH

#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { protocol_version = 1, host = STDIN_FILENO, buffer_milliseconds = 100, greatest_message = 64 << 20 };
enum ending { ending_spoken = 0, ending_cancelled = 1, ending_no_voice = 2, ending_failed = 3 };

static uint32_t sample_rate;
static uint32_t request;      // The number of the one that is being spoken.
static bool is_cancelled;

// Messages of the host that have been read but not dealt with.
static uint8_t *inbox;
static size_t inbox_length, inbox_capacity;

static uint32_t read_number(const uint8_t *bytes, int count) {
    uint32_t number = 0;
    for (int index = 0; index < count; index++) number |= (uint32_t)bytes[index] << (8 * index);
    return number;
}

static void put_number(uint8_t *bytes, uint32_t number, int count) {
    for (int index = 0; index < count; index++) bytes[index] = (uint8_t)(number >> (8 * index));
}

// Reads what has come. The host's end is the end of this program, in the midst of a word too.
static void receive(void) {
    if (inbox_capacity - inbox_length < 65536) {
        inbox_capacity = inbox_length + 65536 + inbox_capacity / 2;
        inbox = realloc(inbox, inbox_capacity);
        if (!inbox) _exit(70);
    }
    ssize_t count = read(host, inbox + inbox_length, inbox_capacity - inbox_length);
    if (count == 0) _exit(0);
    if (count < 0) {
        if (errno == EINTR || errno == EAGAIN) return;
        _exit(0);
    }
    inbox_length += (size_t)count;
}

// The length of the first whole message behind its length field, or 0.
static size_t whole_message(size_t offset) {
    if (inbox_length - offset < 5) return 0;
    size_t length = read_number(inbox + offset, 4);
    if (length == 0 || length > greatest_message) _exit(65);
    return inbox_length - offset >= 4 + length ? length : 0;
}

static void drop_message(size_t offset, size_t length) {
    size_t end = offset + 4 + length;
    memmove(inbox + offset, inbox + end, inbox_length - end);
    inbox_length -= 4 + length;
}

// Finds the cancellation of the running request among what has come; older ones are dropped.
static void look_for_cancel(void) {
    size_t offset = 0, length;
    while ((length = whole_message(offset)) > 0) {
        const uint8_t *message = inbox + offset + 4;
        if (message[0] == 'C' && length == 5) {
            if (read_number(message + 1, 4) == request) is_cancelled = true;
            drop_message(offset, length);
        } else {
            offset += 4 + length;
        }
    }
}

// Sends everything, and meanwhile hears the host: who has stopped listening cancels.
static void send_all(const uint8_t *bytes, size_t count) {
    while (count > 0) {
        struct pollfd wait = {.fd = host, .events = POLLIN | POLLOUT};
        if (poll(&wait, 1, -1) < 0 && errno != EINTR) _exit(71);
        if (wait.revents & (POLLIN | POLLHUP | POLLERR)) {
            receive();
            look_for_cancel();
        }
        if (!(wait.revents & POLLOUT)) continue;
        ssize_t sent = send(host, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            _exit(0);
        }
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void send_message(char kind, const uint8_t *fields, size_t fields_length, const void *rest, size_t rest_length) {
    uint8_t head[32];
    put_number(head, (uint32_t)(1 + fields_length + rest_length), 4);
    head[4] = (uint8_t)kind;
    if (fields_length > 0) memcpy(head + 5, fields, fields_length);
    send_all(head, 5 + fields_length);
    send_all(rest, rest_length);
}

static int hear(short *samples, int count, espeak_EVENT *events) {
    struct pollfd news = {.fd = host, .events = POLLIN};
    if (poll(&news, 1, 0) > 0) {
        receive();
        look_for_cancel();
    }
    for (; !is_cancelled && events->type != espeakEVENT_LIST_TERMINATED; events++) {
        // Events of no length are repeated at a stale place.
        if (events->type != espeakEVENT_WORD || events->length <= 0 || events->text_position < 1) continue;
        uint8_t fields[12];
        put_number(fields, request, 4);
        put_number(fields + 4, (uint32_t)events->text_position - 1, 4);
        put_number(fields + 8, (uint32_t)((uint64_t)events->audio_position * sample_rate / 1000), 4);
        send_message('W', fields, sizeof fields, NULL, 0);
    }
    if (!is_cancelled && samples && count > 0) {
        uint8_t number[4];
        put_number(number, request, 4);
        send_message('P', number, sizeof number, samples, (size_t)count * sizeof *samples);
    }
    return is_cancelled ? 1 : 0;
}

// Every choice of a voice leaves a command in a queue of espeak-ng's that only speech empties, and the parent never speaks: behind
// some forty of them the mark of the first word is lost. So the parent chooses when the voice is another one, and a few times only.
static bool choose_in_parent(const char *voice, bool *is_chosen) {
    enum { most_choices = 8 };
    static char present[256];
    static int choices;
    *is_chosen = choices > 0 && strcmp(present, voice) == 0;
    if (*is_chosen || choices == most_choices) return true;
    present[0] = 0;
    if (espeak_SetVoiceByName(voice) != EE_OK) return false;
    snprintf(present, sizeof present, "%s", voice);
    choices++;
    *is_chosen = true;
    return true;
}

// In the copy: speaks, with the voice that is set.
static enum ending speak(const uint8_t *fields, size_t length) {
    espeak_SetParameter(espeakRATE, (int)read_number(fields + 4, 2), 0);
    espeak_SetParameter(espeakPITCH, fields[6], 0);
    size_t text_length = length - 8 - fields[7];
    char *text = calloc(1, text_length + 1);
    if (!text) return ending_failed;
    memcpy(text, fields + 8 + fields[7], text_length);
    espeak_ERROR result = espeak_Synth(text, text_length + 1, 0, POS_CHARACTER, 0, espeakCHARS_UTF8, NULL, NULL);
    if (is_cancelled) return ending_cancelled;
    return result == EE_OK ? ending_spoken : ending_failed;
}

static void send_end(enum ending ending) {
    uint8_t answer[5];
    put_number(answer, request, 4);
    answer[4] = (uint8_t)ending;
    send_message('E', answer, sizeof answer, NULL, 0);
}

static void serve_speech(const uint8_t *fields, size_t length) {
    request = length >= 4 ? read_number(fields, 4) : 0;
    is_cancelled = false;
    if (length < 8 || length < 8u + fields[7]) return send_end(ending_failed);
    char voice[256] = {0};
    memcpy(voice, fields + 8, fields[7]);
    bool is_chosen;
    if (!choose_in_parent(voice, &is_chosen)) return send_end(ending_no_voice);
    look_for_cancel();
    if (is_cancelled) return send_end(ending_cancelled);
    pid_t parent = getpid(), copy = fork();
    if (copy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(0);
        bool has_voice = is_chosen || espeak_SetVoiceByName(voice) == EE_OK;
        send_end(has_voice ? speak(fields, length) : ending_no_voice);
        _exit(0);
    }
    int status = 0;
    while (copy > 0 && waitpid(copy, &status, 0) < 0 && errno == EINTR) continue;
    if (copy < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) send_end(ending_failed);
}

static size_t append(char *list, size_t used, size_t room, const char *text, char end) {
    size_t length = strlen(text);
    if (used + length + 1 > room) return used;
    memcpy(list + used, text, length);
    list[used + length] = end;
    return used + length + 1;
}

static void serve_voices(void) {
    enum { room = 1 << 20 };
    char *list = malloc(room);
    if (!list) _exit(70);
    size_t used = 0;
    for (const espeak_VOICE **voices = espeak_ListVoices(NULL); *voices; voices++) {
        // Those of MBROLA need a program and data of their own.
        if (strncmp((*voices)->identifier, "mb/", 3) == 0) continue;
        used = append(list, used, room, (*voices)->identifier, '\t');
        used = append(list, used, room, (*voices)->name, '\t');
        // Each language is a byte of priority and a text; the most preferred comes first.
        for (const char *language = (*voices)->languages; *language; language += strlen(language) + 1) {
            bool is_last = language[1 + strlen(language + 1) + 1] == 0;
            used = append(list, used, room, language + 1, is_last ? '\n' : ',');
        }
    }
    send_message('V', NULL, 0, list, used);
    free(list);
}

static void greet(void) {
    uint8_t ready[5] = {protocol_version};
    put_number(ready + 1, sample_rate, 4);
    const char *version = espeak_Info(NULL);
    send_message('R', ready, sizeof ready, version, strlen(version));
}

#if defined(__x86_64__)
#define SYSTEM_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SYSTEM_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// What espeak-ng never needs. Everything that takes a path is landlock's.
static const int refused_calls[] = {
    SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_execve, SYS_execveat, SYS_ptrace,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill, SYS_mount, SYS_umount2, SYS_unshare, SYS_setns,
    SYS_pivot_root, SYS_chroot, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open,
    SYS_io_uring_setup, SYS_userfaultfd, SYS_pidfd_getfd, SYS_memfd_create,
};

// Refuses system calls, in this process and its copies, where the kernel can.
static void refuse_calls(void) {
#ifdef SYSTEM_ARCHITECTURE
    enum { count = sizeof refused_calls / sizeof *refused_calls };
    struct sock_filter filter[5 + 2 * count];
    unsigned short length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYSTEM_ARCHITECTURE, 1, 0);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int index = 0; index < count; index++) {
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused_calls[index], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, filter};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

// Leaves the files below a folder to read, and no others, where the kernel has landlock (5.13).
static void read_only_below(const char *folder) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return;
    // Headers older than the kernel do not name all rights: moves (2), truncation (3), TCP (4), devices (5), signals (6).
    struct {
        uint64_t files, network, scopes;
    } rules = {version >= 5 ? 0xffff : version >= 3 ? 0x7fff : version == 2 ? 0x3fff : 0x1fff, 3, 3};
    size_t size = sizeof rules.files * (version >= 6 ? 3 : version >= 4 ? 2 : 1);
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    int data = open(folder, O_PATH | O_CLOEXEC);
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR, .parent_fd = data};
    if (set < 0 || data < 0 || syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) ||
        syscall(SYS_landlock_restrict_self, set, 0)) {
        _exit(71);
    }
    close(set);
    close(data);
}

static void limit(int resource, rlim_t value) {
    struct rlimit wanted = {value, value};
    if (setrlimit(resource, &wanted)) _exit(71);
}

static void give_up_rights(void) {
    const char *data = NULL;
    espeak_Info(&data);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_DATA, (rlim_t)1 << 30);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) _exit(71);
    if (data) read_only_below(data);
    refuse_calls();
}

int main(void) {
    // Files and sockets of the host that it did not close at the start of programs are none of our business.
    closefrom(STDERR_FILENO + 1);
    int rate = espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, buffer_milliseconds, NULL, espeakINITIALIZE_DONT_EXIT);
    if (rate <= 0) return 69;
    sample_rate = (uint32_t)rate;
    espeak_SetSynthCallback(hear);
    give_up_rights();
    greet();
    for (;;) {
        size_t length = whole_message(0);
        if (length == 0) {
            receive();
            continue;
        }
        uint8_t *message = malloc(length);
        if (!message) return 70;
        memcpy(message, inbox + 4, length);
        drop_message(0, length);
        if (message[0] == 'S') serve_speech(message + 1, length - 1);
        if (message[0] == 'V') serve_voices();
        if (message[0] == 'N') greet();
        free(message);
    }
}
