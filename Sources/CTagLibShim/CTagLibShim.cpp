#include "CTagLibShim.h"

#include <aifffile.h>
#include <apefile.h>
#include <asffile.h>
#include <flacfile.h>
#include <id3v1genres.h>
#include <id3v2framefactory.h>
#include <id3v2synchdata.h>
#include <infotag.h>
#include <mp4file.h>
#include <mpcfile.h>
#include <mpegfile.h>
#include <oggflacfile.h>
#include <opusfile.h>
#include <speexfile.h>
#include <tdebuglistener.h>
#include <trueaudiofile.h>
#include <unknownframe.h>
#include <vorbisfile.h>
#include <wavfile.h>
#include <wavpackfile.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <vector>

#include "DSDTags.h"
#include "KeyNames.h"
#include "MP4Chapters.h"
#include "ReadStream.h"
#include "Records.h"
#include "TagWalk.h"

using namespace TagLib;

namespace dtl {

namespace {

enum class Container { none, mpeg, flac, oggFlac, vorbis, opus, speex, mp4, wav, aiff, asf, ape, wavpack, musepack, trueAudio, dsf, dff };

constexpr auto style = AudioProperties::Average;

// MARK: Which container

bool begins(const uint8_t *bytes, size_t count, const char *with, size_t length, size_t at = 0) {
    return count >= at + length && std::memcmp(bytes + at, with, length) == 0;
}

Container oggContainer(const uint8_t *bytes, size_t count) {
    if (count < 27 || count < size_t(27) + bytes[26] + 8) return Container::none;
    const uint8_t *packet = bytes + 27 + bytes[26];
    const size_t left = count - 27 - bytes[26];
    if (begins(packet, left, "\x01vorbis", 7)) return Container::vorbis;
    if (begins(packet, left, "OpusHead", 8)) return Container::opus;
    if (begins(packet, left, "Speex   ", 8)) return Container::speex;
    if (begins(packet, left, "\x7F" "FLAC", 5)) return Container::oggFlac;
    return Container::none;
}

bool isFrameSync(const uint8_t *bytes, size_t count) {
    // Eleven ones, and neither the reserved version nor the reserved bit rate; ADTS has layer 0.
    return count >= 3 && bytes[0] == 0xFF && (bytes[1] & 0xE0) == 0xE0 && (bytes[1] & 0x18) != 0x08 && (bytes[2] & 0xF0) != 0xF0;
}

bool hasSuffix(const char *path, const char *suffix) {
    const size_t length = std::strlen(path), wanted = std::strlen(suffix);
    return length >= wanted && strcasecmp(path + length - wanted, suffix) == 0;
}

Container containerAt(const uint8_t *bytes, size_t count) {
    if (begins(bytes, count, "fLaC", 4)) return Container::flac;
    if (begins(bytes, count, "OggS", 4)) return oggContainer(bytes, count);
    if (begins(bytes, count, "ftyp", 4, 4)) return Container::mp4;
    if (begins(bytes, count, "RIFF", 4) && begins(bytes, count, "WAVE", 4, 8)) return Container::wav;
    if (begins(bytes, count, "FORM", 4) && begins(bytes, count, "AIF", 3, 8)) return Container::aiff;
    if (begins(bytes, count, "\x30\x26\xB2\x75\x8E\x66\xCF\x11", 8)) return Container::asf;
    if (begins(bytes, count, "MAC ", 4)) return Container::ape;
    if (begins(bytes, count, "wvpk", 4)) return Container::wavpack;
    if (begins(bytes, count, "MPCK", 4) || begins(bytes, count, "MP+", 3)) return Container::musepack;
    if (begins(bytes, count, "TTA1", 4) || begins(bytes, count, "TTA2", 4)) return Container::trueAudio;
    if (begins(bytes, count, "DSD \x1C\0\0\0\0\0\0\0", 12)) return Container::dsf;
    if (begins(bytes, count, "FRM8", 4) && begins(bytes, count, "DSD ", 4, 12)) return Container::dff;
    if (isFrameSync(bytes, count)) return Container::mpeg;
    return Container::none;
}

Container container(ReadStream &stream) {
    uint8_t head[512];
    size_t count = stream.peek(0, head, sizeof head);
    bool tagged = false;
    if (begins(head, count, "ID3", 3) && count >= 10) {
        tagged = true;
        int64_t end = 10 + (head[5] & 0x10 ? 10 : 0);
        end += (head[6] & 0x7F) << 21 | (head[7] & 0x7F) << 14 | (head[8] & 0x7F) << 7 | (head[9] & 0x7F);
        count = stream.peek(end, head, sizeof head);
    }
    const Container found = containerAt(head, count);
    if (found != Container::none) return found;
    // Sound may begin behind padding or junk: the tag or the name then speaks for it.
    const bool named = hasSuffix(stream.name(), ".mp3") || hasSuffix(stream.name(), ".mp2") || hasSuffix(stream.name(), ".aac");
    return stream.size() > 0 && (tagged || named) ? Container::mpeg : Container::none;
}

// MARK: What each container says

void properties(const AudioProperties *from, int bits, const ReadStream &stream, Records &records) {
    int64_t values[6] = {0, 0, 0, 0, bits, stream.size()};
    if (from) {
        values[0] = from->lengthInMilliseconds();
        values[1] = from->bitrate();
        values[2] = from->sampleRate();
        values[3] = from->channels();
    }
    records.numbers(values);
}

int mpeg(ReadStream &stream, Records &records) {
#if TAGLIB_MAJOR_VERSION >= 2
    MPEG::File file(&stream, true, style);
#else
    MPEG::File file(&stream, ID3v2::FrameFactory::instance(), true, style);
#endif
    auto *found = file.audioProperties();
    const bool named = hasSuffix(stream.name(), ".mp3") || hasSuffix(stream.name(), ".mp2") || hasSuffix(stream.name(), ".aac");
    const bool sounds = found && found->sampleRate() > 0;
    if (!file.isValid() || (!sounds && !named)) return DTL_UNSUPPORTED;
    if (!sounds && !file.hasID3v2Tag() && !file.hasID3v1Tag() && !file.hasAPETag() && !hasSuffix(stream.name(), ".aac"))
        return DTL_DAMAGED;
    if (file.hasID3v2Tag()) walk(file.ID3v2Tag(), records);
    if (file.hasAPETag()) walk(file.APETag(), records);
    if (file.hasID3v1Tag()) walk(file.ID3v1Tag(), records);
    static const char *names[] = {"MPEG audio", "MP1", "MP2", "MP3"};
    const bool aac = hasSuffix(stream.name(), ".aac");
    const int layer = sounds && !aac && found->layer() >= 1 && found->layer() <= 3 ? found->layer() : 0;
    records.codec(aac ? "AAC" : names[layer], false);
    properties(layer > 0 ? found : nullptr, 0, stream, records);
    return DTL_OK;
}

int flac(ReadStream &stream, Records &records) {
#if TAGLIB_MAJOR_VERSION >= 2
    FLAC::File file(&stream, true, style);
#else
    FLAC::File file(&stream, ID3v2::FrameFactory::instance(), true, style);
#endif
    if (!file.isValid()) return DTL_DAMAGED;
    if (file.hasXiphComment()) walk(file.xiphComment(), records);
    else records.beginTag();
    walk(file.pictureList(), records);
    if (file.hasID3v2Tag()) walk(file.ID3v2Tag(), records);
    if (file.hasID3v1Tag()) walk(file.ID3v1Tag(), records);
    records.codec("FLAC", true);
    properties(file.audioProperties(), file.audioProperties() ? file.audioProperties()->bitsPerSample() : 0, stream, records);
    return DTL_OK;
}

// Vorbis, Opus, Speex, and FLAC in Ogg.
template <class File>
int ogg(ReadStream &stream, Records &records, const char *codec, bool lossless) {
    File file(&stream, true, style);
    if (!file.isValid()) return DTL_DAMAGED;
    walk(file.tag(), records);
    records.codec(codec, lossless);
    properties(file.audioProperties(), 0, stream, records);
    return DTL_OK;
}

// TagLib reads atoms within atoms by recursion. Finds out whether they lie deeper than in any file, the way that TagLib finds them.
bool isTooDeep(ReadStream &stream) {
    static const char *const containers[] = {"moov", "udta", "mdia", "meta", "ilst", "stbl", "minf", "moof", "traf", "trak", "stsd"};
    static const char *const parts[] = {"hdlr", "ilst", "mhdr", "ctry", "lang"};
    const auto isOne = [](const uint8_t *name, const auto &names) {
        return std::any_of(std::begin(names), std::end(names), [&](const char *one) { return std::memcmp(name, one, 4) == 0; });
    };
    constexpr size_t limit = 64;
    std::vector<int64_t> ends;
    int64_t offset = 0;
    uint8_t head[16];
    while (stream.peek(offset, head, 8) == 8) {
        while (!ends.empty() && offset >= ends.back()) ends.pop_back();
        int64_t length = ByteVector(reinterpret_cast<const char *>(head), 4).toUInt();
        int64_t start = offset + 8;
        if (length == 0) length = stream.size() - offset;
        if (length == 1) {
            if (stream.peek(start, head + 8, 8) < 8) return false;
            length = ByteVector(reinterpret_cast<const char *>(head + 8), 8).toLongLong();
            start += 8;
        }
        if (length < 8 || length > stream.size() - offset) return false;
        ends.push_back(offset + length);
        if (ends.size() > limit) return true;
        offset += length;
        if (!isOne(head + 4, containers)) continue;
        offset = start;
        if (std::memcmp(head + 4, "stsd", 4) == 0) offset += 8;
        // In MP4, but not in QuickTime, four bytes precede the parts of `meta`.
        uint8_t next[8];
        if (std::memcmp(head + 4, "meta", 4) == 0 && !(stream.peek(start, next, 8) == 8 && isOne(next + 4, parts))) offset += 4;
    }
    return false;
}

int mp4(ReadStream &stream, Records &records) {
    if (isTooDeep(stream)) return DTL_DAMAGED;
    MP4::File file(&stream, true, style);
    if (!file.isValid()) return DTL_DAMAGED;
    walk(file.tag(), records);
    mp4Chapters(file, records);
    auto *found = file.audioProperties();
    const bool lossless = found && found->codec() == MP4::Properties::ALAC;
    if (found && found->codec() != MP4::Properties::Unknown) records.codec(lossless ? "ALAC" : "AAC", lossless);
    properties(found, lossless ? found->bitsPerSample() : 0, stream, records);
    return DTL_OK;
}

int wav(ReadStream &stream, Records &records) {
    RIFF::WAV::File file(&stream, true, style);
    if (!file.isValid()) return DTL_DAMAGED;
    if (file.hasID3v2Tag()) walk(file.ID3v2Tag(), records);
    if (file.hasInfoTag()) walk(file.InfoTag(), records);
    records.codec("PCM", true);
    properties(file.audioProperties(), file.audioProperties() ? file.audioProperties()->bitsPerSample() : 0, stream, records);
    return DTL_OK;
}

int aiff(ReadStream &stream, Records &records) {
    RIFF::AIFF::File file(&stream, true, style);
    if (!file.isValid()) return DTL_DAMAGED;
    if (file.hasID3v2Tag()) walk(file.tag(), records);
    records.codec("PCM", true);
    properties(file.audioProperties(), file.audioProperties() ? file.audioProperties()->bitsPerSample() : 0, stream, records);
    return DTL_OK;
}

int asf(ReadStream &stream, Records &records) {
    ASF::File file(&stream, true, style);
    if (!file.isValid()) return DTL_DAMAGED;
    walk(file.tag(), records);
    const bool lossless = file.audioProperties() && file.audioProperties()->codec() == ASF::Properties::WMA9Lossless;
    records.codec(lossless ? "WMA Lossless" : "WMA", lossless);
    properties(file.audioProperties(), 0, stream, records);
    return DTL_OK;
}

// Monkey's Audio, WavPack and Musepack.
template <class File>
int apeTagged(ReadStream &stream, Records &records, const char *codec, bool lossless) {
    File file(&stream, true, style);
    if (!file.isValid()) return DTL_DAMAGED;
    if (file.hasAPETag()) walk(file.APETag(), records);
    if (file.hasID3v1Tag()) walk(file.ID3v1Tag(), records);
    records.codec(codec, lossless);
    properties(file.audioProperties(), 0, stream, records);
    return DTL_OK;
}

int trueAudio(ReadStream &stream, Records &records) {
    TrueAudio::File file(&stream, true, style);
    if (!file.isValid()) return DTL_DAMAGED;
    if (file.hasID3v2Tag()) walk(file.ID3v2Tag(), records);
    if (file.hasID3v1Tag()) walk(file.ID3v1Tag(), records);
    records.codec("True Audio", true);
    properties(file.audioProperties(), file.audioProperties() ? file.audioProperties()->bitsPerSample() : 0, stream, records);
    return DTL_OK;
}

int read(ReadStream &stream, Records &records) {
    switch (container(stream)) {
    case Container::none: return DTL_UNSUPPORTED;
    case Container::mpeg: return mpeg(stream, records);
    case Container::flac: return flac(stream, records);
    case Container::oggFlac: return ogg<Ogg::FLAC::File>(stream, records, "FLAC", true);
    case Container::vorbis: return ogg<Ogg::Vorbis::File>(stream, records, "Vorbis", false);
    case Container::opus: return ogg<Ogg::Opus::File>(stream, records, "Opus", false);
    case Container::speex: return ogg<Ogg::Speex::File>(stream, records, "Speex", false);
    case Container::mp4: return mp4(stream, records);
    case Container::wav: return wav(stream, records);
    case Container::aiff: return aiff(stream, records);
    case Container::asf: return asf(stream, records);
    case Container::ape: return apeTagged<APE::File>(stream, records, "Monkey's Audio", true);
    case Container::wavpack: return apeTagged<WavPack::File>(stream, records, "WavPack", true);
    case Container::musepack: return apeTagged<MPC::File>(stream, records, "Musepack", false);
    case Container::trueAudio: return trueAudio(stream, records);
    case Container::dsf: return dsf(stream, records);
    case Container::dff: return dff(stream, records);
    }
    return DTL_UNSUPPORTED;
}

// TagLib tells of damage on standard error; the status says it here.
class Silence final : public DebugListener {
    void printMessage(const String &) override {}
};

// The characters of Windows-1252 from 0x80 to 0x9F. Bytes without one stay as they are.
constexpr wchar_t windowsCharacters[] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
    0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
};

// RIFF INFO does not name its encoding. TagLib takes it for UTF-8 and makes nothing of other text, which is mostly that of Windows.
class InfoText final : public RIFF::Info::StringHandler {
public:
    String parse(const ByteVector &data) const override {
        String text = StringHandler::parse(data);
        if (!text.isEmpty()) return text;
        for (const char byte : data) {
            if (byte == 0) break;
            const auto value = static_cast<uint8_t>(byte);
            text += value >= 0x80 && value < 0xA0 ? windowsCharacters[value - 0x80] : static_cast<wchar_t>(value);
        }
        return text;
    }
};

void prepareTagLib() {
    // Both live as long as the process: TagLib may use them until its end.
    static const bool isPrepared = [] {
        setDebugListener(new Silence);
        RIFF::Info::Tag::setStringHandler(new InfoText);
        return true;
    }();
    (void)isPrepared;
}

}  // namespace

}  // namespace dtl

extern "C" int dtl_read(const char *path, const char *name, uint8_t **records, size_t *count) {
    try {
        dtl::prepareTagLib();
        *records = nullptr;
        *count = 0;
        dtl::ReadStream stream(path, name);
        if (stream.error() != 0) return stream.error();
        if (!stream.isRegular()) return DTL_UNSUPPORTED;
        dtl::Records found;
        const int status = dtl::read(stream, found);
        if (stream.error() != 0) return stream.error();
        if (stream.isExhausted()) return DTL_ENDLESS;
        if (status == DTL_OK) *records = found.release(*count);
        return status;
    } catch (...) {
        return DTL_FAILED;
    }
}

extern "C" int dtl_field_named(const char *name) {
    try {
        return dtl::fieldNamed(String(name, String::UTF8));
    } catch (...) {
        return 0;
    }
}

extern "C" int dtl_genre_index(const char *name) {
    try {
        const int index = ID3v1::genreIndex(String(name, String::UTF8));
        return index >= 0 && index < 255 ? index : 255;
    } catch (...) {
        return 255;
    }
}

extern "C" int dtl_inflate(const uint8_t *content, size_t count, uint8_t **plain, size_t *plain_count) {
    try {
        *plain = nullptr;
        *plain_count = 0;
        if (count >= size_t(1) << 28) return DTL_UNSUPPORTED;
        const auto size = static_cast<unsigned int>(count);
        // TagLib inflates frames only: this is one of version 2.4 with the flag for compression.
        const ByteVector header = ByteVector("XXXX", 4) + ID3v2::SynchData::fromUInt(size) + ByteVector("\0\x08", 2);
        const ByteVector found = ID3v2::UnknownFrame(header + ByteVector(reinterpret_cast<const char *>(content), size)).data();
        if (found.isEmpty()) return DTL_DAMAGED;
        auto *bytes = static_cast<uint8_t *>(std::malloc(found.size()));
        if (!bytes) return DTL_FAILED;
        std::memcpy(bytes, found.data(), found.size());
        *plain = bytes;
        *plain_count = found.size();
        return DTL_OK;
    } catch (...) {
        return DTL_FAILED;
    }
}
