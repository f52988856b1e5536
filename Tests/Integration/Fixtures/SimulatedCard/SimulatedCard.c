// A sound card for tests on machines without sound: a plugin of ALSA with a ring buffer that the monotonic clock "plays" into a file.
// What a sound server takes back before it was played is not heard, as on hardware; the monitor of a null sink cannot show that.
//
//     pcm_type.simulated { lib "/path/to/libSimulatedCard.so" }
//     pcm.card { type simulated recording "/path/of/the/recording" }
//
// The recording has stereo frames of Float32 at 48 kHz; while the card is open but stopped, silence. Another opening appends to it.
//
// Preloaded into a server, the library also has the server take the card for hardware: PulseAudio rewinds it, and schedules by timers
// although the machine may be virtual.
#define _GNU_SOURCE
#define PIC
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { rate = 48000, channels = 2, batch = 256 };

struct card {
    snd_pcm_ioplug_t plug;
    int recording;
    pthread_t clock;
    // Guards what follows.
    pthread_mutex_t lock;
    bool is_running;
    int64_t opened_at;  // nanoseconds
    int64_t heard;      // frames since then, silence included
    snd_pcm_uframes_t played;  // frames since the card was prepared
    snd_pcm_uframes_t wake_at;
    snd_pcm_uframes_t boundary;
    atomic_bool is_closing;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Takes a frame out of the ring; what is not written again is heard as silence, not as an echo.
static void take(struct card *card, float frame[channels]) {
    const snd_pcm_channel_area_t *areas = snd_pcm_ioplug_mmap_areas(&card->plug);
    if (!card->is_running || !areas) {
        memset(frame, 0, channels * sizeof *frame);
        return;
    }
    for (int channel = 0; channel < channels; channel++) {
        const snd_pcm_channel_area_t *area = &areas[channel];
        unsigned bit = area->first + card->played % card->plug.buffer_size * area->step;
        float *sample = (float *)((char *)area->addr + bit / 8);
        frame[channel] = *sample;
        *sample = 0;
    }
    card->played++;
}

// Plays what must have been played by now. Called with the lock held.
static void play(struct card *card) {
    int64_t due = (int64_t)((double)(now() - card->opened_at) * rate / 1e9);
    while (card->heard < due) {
        float frames[batch][channels];
        int count = 0;
        for (; count < batch && card->heard < due; count++, card->heard++) take(card, frames[count]);
        if (write(card->recording, frames, count * sizeof frames[0]) < 0) abort();
    }
}

static void *run_clock(void *argument) {
    struct card *card = argument;
    while (!atomic_load(&card->is_closing)) {
        nanosleep(&(struct timespec){0, 500000}, NULL);
        pthread_mutex_lock(&card->lock);
        play(card);
        snd_pcm_uframes_t filled = card->plug.appl_ptr - card->played % card->boundary;
        bool wakes = card->is_running && card->plug.buffer_size - filled >= card->wake_at;
        pthread_mutex_unlock(&card->lock);
        if (wakes) eventfd_write(card->plug.poll_fd, 1);
    }
    return NULL;
}

static int set_running(snd_pcm_ioplug_t *plug, bool is_running) {
    struct card *card = plug->private_data;
    pthread_mutex_lock(&card->lock);
    play(card);
    card->is_running = is_running;
    pthread_mutex_unlock(&card->lock);
    return 0;
}

static int start(snd_pcm_ioplug_t *plug) { return set_running(plug, true); }
static int stop(snd_pcm_ioplug_t *plug) { return set_running(plug, false); }

static int prepare(snd_pcm_ioplug_t *plug) {
    stop(plug);
    ((struct card *)plug->private_data)->played = 0;
    return 0;
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *plug) {
    struct card *card = plug->private_data;
    pthread_mutex_lock(&card->lock);
    play(card);
    snd_pcm_sframes_t position = card->played % card->boundary;
    pthread_mutex_unlock(&card->lock);
    return position;
}

static int set_software_parameters(snd_pcm_ioplug_t *plug, snd_pcm_sw_params_t *parameters) {
    struct card *card = plug->private_data;
    snd_pcm_sw_params_get_avail_min(parameters, &card->wake_at);
    return snd_pcm_sw_params_get_boundary(parameters, &card->boundary);
}

static int poll_events(snd_pcm_ioplug_t *plug, struct pollfd *descriptors, unsigned count, unsigned short *events) {
    eventfd_t value;
    bool is_ready = count > 0 && descriptors[0].revents & POLLIN;
    if (is_ready) eventfd_read(plug->poll_fd, &value);
    *events = is_ready ? POLLOUT : 0;
    return 0;
}

static int close_card(snd_pcm_ioplug_t *plug) {
    struct card *card = plug->private_data;
    atomic_store(&card->is_closing, true);
    pthread_join(card->clock, NULL);
    close(plug->poll_fd);
    close(card->recording);
    free(card);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = start, .stop = stop, .prepare = prepare, .pointer = pointer, .sw_params = set_software_parameters,
    .poll_revents = poll_events, .close = close_card,
};

// The formats of the card: a buffer of up to 1.37 s.
static int describe(snd_pcm_ioplug_t *plug) {
    static const unsigned accesses[] = {SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED};
    static const unsigned formats[] = {SND_PCM_FORMAT_FLOAT_LE};
    int error = snd_pcm_ioplug_set_param_list(plug, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
    if (!error) error = snd_pcm_ioplug_set_param_list(plug, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_RATE, rate, rate);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 1024, 524288);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 512, 262144);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_PERIODS, 2, 1024);
    return error;
}

static const char *recording_path(snd_config_t *configuration) {
    snd_config_t *entry;
    const char *path = NULL;
    if (snd_config_search(configuration, "recording", &entry) == 0) snd_config_get_string(entry, &path);
    return path;
}

SND_PCM_PLUGIN_DEFINE_FUNC(simulated) {
    (void)root;
    const char *path = recording_path(conf);
    if (stream != SND_PCM_STREAM_PLAYBACK || !path) return -ENODEV;
    int recording = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (recording < 0) return -errno;
    struct card *card = calloc(1, sizeof *card);
    if (!card) return -ENOMEM;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&card->lock, &attributes);
    card->recording = recording;
    card->opened_at = now();
    card->boundary = 1L << 30;
    card->wake_at = 1;
    card->plug = (snd_pcm_ioplug_t){
        .version = SND_PCM_IOPLUG_VERSION, .name = "Simulated card", .callback = &callbacks, .private_data = card,
        .mmap_rw = 1, .poll_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), .poll_events = POLLIN,
        .flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA,
    };
    int error = snd_pcm_ioplug_create(&card->plug, name, stream, mode);
    if (!error) error = describe(&card->plug);
    if (!error) error = -pthread_create(&card->clock, NULL, run_clock, card);
    if (error) return error;
    // Refused without the right to it: the card is then as exact as the machine is idle.
    pthread_setschedparam(card->clock, SCHED_FIFO, &(struct sched_param){.sched_priority = 60});
    *pcmp = card->plug.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(simulated);

// What follows replaces functions of libasound and of PulseAudio in a server that preloads the library.

int snd_pcm_info_get_card(const snd_pcm_info_t *information) {
    (void)information;
    return 0;
}

// Plugins stamp with the time of day.
void snd_pcm_status_get_htstamp(const snd_pcm_status_t *status, snd_htimestamp_t *time) {
    (void)status;
    clock_gettime(CLOCK_MONOTONIC, time);
}

bool pa_running_in_vm(void) { return false; }
