// libavcodec as far as the bundle uses it. What differs between FFmpeg 4.4 and its successors is in functions here.
#pragma once
#include <libavcodec/avcodec.h>
#include <string.h>

/// Creates a decoder on the caller's thread; NULL when this build of the library does not have it, does not accept the
/// codec's header or has no memory.
static inline AVCodecContext *descant_av_open(
    const char *name, const uint8_t *header, int header_size, int sample_rate, int channels
) {
    const AVCodec *codec = avcodec_find_decoder_by_name(name);
    AVCodecContext *context = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!context) return NULL;
    // Only the messages of this decoder are silenced: the level of the library belongs to the whole process.
    context->log_level_offset = 100;
    context->thread_count = 1;
    context->flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL;
    context->request_sample_fmt = AV_SAMPLE_FMT_FLT;
    context->sample_rate = sample_rate;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
    av_channel_layout_default(&context->ch_layout, channels);
#else
    context->channels = channels;
#endif
    if (header_size > 0) {
        context->extradata = (uint8_t *)av_mallocz((size_t)header_size + AV_INPUT_BUFFER_PADDING_SIZE);
        if (context->extradata) {
            memcpy(context->extradata, header, (size_t)header_size);
            context->extradata_size = header_size;
        }
    }
    if ((header_size > 0 && !context->extradata) || avcodec_open2(context, codec, NULL) < 0) avcodec_free_context(&context);
    return context;
}

static inline void descant_av_close(AVCodecContext *context) { avcodec_free_context(&context); }

/// Sends a copy of a coded packet with the zeros behind it that decoders require. The packet's memory is used again.
static inline int descant_av_send(AVCodecContext *context, AVPacket *packet, const uint8_t *bytes, int size) {
    size_t room = (size_t)size + AV_INPUT_BUFFER_PADDING_SIZE;
    if (!packet->buf || packet->buf->size < room || !av_buffer_is_writable(packet->buf)) {
        av_buffer_unref(&packet->buf);
        packet->buf = av_buffer_alloc(room < 8192 ? 8192 : room);
        if (!packet->buf) return AVERROR(ENOMEM);
    }
    memcpy(packet->buf->data, bytes, (size_t)size);
    memset(packet->buf->data + size, 0, AV_INPUT_BUFFER_PADDING_SIZE);
    packet->data = packet->buf->data;
    packet->size = size;
    return avcodec_send_packet(context, packet);
}

static inline int descant_av_channels(const AVFrame *frame) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
    return frame->ch_layout.nb_channels;
#else
    return frame->channels;
#endif
}
