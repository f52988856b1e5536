#include "CTagLibShim.h"

#include <aifffile.h>
#include <apefile.h>
#include <asffile.h>
#include <flacfile.h>
#include <id3v1genres.h>
#include <id3v2framefactory.h>
#include <id3v2synchdata.h>
#include <infotag.h>
#include <mp4atom.h>
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
#include <set>
#include <vector>

#include "DSDTags.h"
#include "KeyNames.h"
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

// How many chapters of a file are read.
constexpr unsigned int chapterLimit = 10000;

// The content of a box of MP4, behind its size and name; empty without the box, and when it is longer than a limit.
ByteVector content(MP4::File &file, const MP4::Atom *box, int64_t limit) {
    if (!box) return {};
#if TAGLIB_MAJOR_VERSION >= 2
    const int64_t offset = box->offset(), length = box->length();
#else
    const int64_t offset = box->offset, length = box->length;
#endif
    if (length <= 8 || length - 8 > limit) return {};
    file.seek(offset + 8);
    return file.readBlock(static_cast<unsigned int>(length - 8));
}

// The chapters of Nero's box chpl: a version, flags, in version 1 a reserved byte, their number (1 byte, in version 1 4 bytes), and for
// each its beginning in units of 100 ns (8 bytes), the length of its name (1 byte) and its name.
//
// Returns whether there are any.
bool boxChapters(MP4::File &file, MP4::Atoms &atoms, Records &records) {
    const ByteVector box = content(file, atoms.find("moov", "udta", "chpl"), chapterLimit * (9 + 255) + 9);
    const auto byte = [&](unsigned int at) { return static_cast<uint8_t>(box[static_cast<int>(at)]); };
    unsigned int at = box.size() >= 9 && byte(0) > 0 ? 9 : 5;
    bool found = false;
    while (at + 9 <= box.size()) {
        const unsigned int name = byte(at + 8);
        if (at + 9 + name > box.size()) break;
        const int64_t start = box.mid(at, 8).toLongLong();
        if (start >= 0) {
            records.chapter(start / 10000, String(box.mid(at + 9, name), String::UTF8));
            found = true;
        }
        at += 9 + name;
    }
    return found;
}

// The numbers of the tracks that hold the chapters of other ones, from the references of type `chap`.
std::set<unsigned int> chapterTracks(MP4::File &file, const MP4::AtomList &tracks) {
    std::set<unsigned int> numbers;
    for (MP4::Atom *track : tracks) {
        const ByteVector references = content(file, track->find("tref"), 4096);
        for (unsigned int at = 0; at + 8 <= references.size();) {
            const unsigned int length = references.toUInt(at);
            if (length < 8 || length > references.size() - at) break;
            if (references.mid(at + 4, 4) == "chap") {
                for (unsigned int place = at + 8; place + 4 <= at + length; place += 4) numbers.insert(references.toUInt(place));
            }
            at += length;
        }
    }
    return numbers;
}

// How much later than its samples say a track begins, in milliseconds: an edit list may begin with nothing.
int64_t delay(MP4::File &file, MP4::Atom *movie, MP4::Atom *track) {
    // TagLib does not look into the box `edts`, in which the list lies alone.
    const ByteVector box = content(file, track->find("edts"), 4096), header = content(file, movie->find("mvhd"), 256);
    if (box.size() < 28 || box.mid(4, 4) != "elst" || header.size() < 24) return 0;
    const ByteVector edits = box.mid(8);
    const bool isLong = edits[0] != 0;
    const int64_t length = isLong ? edits.toLongLong(8u) : edits.toUInt(8u);
    const int64_t beginning = isLong ? edits.toLongLong(16u) : static_cast<int32_t>(edits.toUInt(12u));
    const unsigned int scale = header.toUInt(header[0] != 0 ? 20u : 12u);
    if (beginning != -1 || scale == 0 || length < 0 || length > int64_t(1) << 50) return 0;
    return length * 1000 / scale;
}

// The name that a sample of a text track holds: its length (2 bytes) and the text, in UTF-16 when it begins with a byte order mark.
String sampleText(MP4::File &file, uint64_t offset, unsigned int size) {
    if (offset > static_cast<uint64_t>(file.length())) return {};
    file.seek(static_cast<int64_t>(offset));
    const ByteVector sample = file.readBlock(std::min(size, 2u + 1024));
    if (sample.size() < 2) return {};
    const ByteVector text = sample.mid(2, sample.toUShort(0u, true));
    const bool isWide = text.startsWith(ByteVector("\xFE\xFF", 2)) || text.startsWith(ByteVector("\xFF\xFE", 2));
    return String(text, isWide ? String::UTF16 : String::UTF8);
}

// The chapters of QuickTime: a text track that another one names. Each of its samples is a chapter, from the beginning of the sample on.
void trackChapters(MP4::File &file, MP4::Atoms &atoms, Records &records) {
    MP4::Atom *movie = atoms.find("moov");
    if (!movie) return;
    const MP4::AtomList tracks = movie->findall("trak");
    const std::set<unsigned int> numbers = chapterTracks(file, tracks);
    for (MP4::Atom *track : tracks) {
        const ByteVector header = content(file, track->find("tkhd"), 256), media = content(file, track->find("mdia", "mdhd"), 256);
        if (header.size() < 24 || media.size() < 24) continue;
        // Enhanced audio books have a track of pictures beside the one of names.
        const ByteVector kind = content(file, track->find("mdia", "hdlr"), 4096).mid(8, 4);
        if (!numbers.count(header.toUInt(header[0] != 0 ? 20u : 12u)) || (kind != "text" && kind != "sbtl")) continue;
        const unsigned int scale = media.toUInt(media[0] != 0 ? 20u : 12u);
        MP4::Atom *table = track->find("mdia", "minf", "stbl");
        if (!table || scale == 0) continue;
        const int64_t limit = 12 + chapterLimit * 12;
        const ByteVector sizes = content(file, table->find("stsz"), limit), times = content(file, table->find("stts"), limit);
        const ByteVector runs = content(file, table->find("stsc"), limit), wide = content(file, table->find("co64"), limit);
        const ByteVector offsets = wide.isEmpty() ? content(file, table->find("stco"), limit) : wide;
        const unsigned int width = wide.isEmpty() ? 4 : 8;
        if (sizes.size() < 12 || runs.size() < 20) continue;
        const unsigned int size = sizes.toUInt(4u), count = std::min(sizes.toUInt(8u), chapterLimit);
        const int64_t beginning = delay(file, movie, track);
        unsigned int sample = 0, run = 8, rate = 8, left = 0, step = 0;
        uint64_t time = 0;
        for (unsigned int chunk = 0; 8 + (chunk + 1) * width <= offsets.size(); ++chunk) {
            // A run holds for the chunks from its first one, which are counted from 1, to the next run's.
            while (run + 24 <= runs.size() && runs.toUInt(run + 12) <= chunk + 1) run += 12;
            const unsigned int place = 8 + chunk * width;
            uint64_t offset = wide.isEmpty() ? offsets.toUInt(place) : static_cast<uint64_t>(offsets.toLongLong(place));
            for (unsigned int index = 0; index < runs.toUInt(run + 4) && sample < count; ++index, ++sample) {
                if (size == 0 && 12 + (sample + 1) * 4 > sizes.size()) return;
                const unsigned int length = size != 0 ? size : sizes.toUInt(12 + sample * 4);
                records.chapter(beginning + static_cast<int64_t>(time * 1000 / scale), sampleText(file, offset, length));
                offset += length;
                for (; left == 0 && rate + 8 <= times.size(); rate += 8) {
                    left = times.toUInt(rate);
                    step = times.toUInt(rate + 4);
                }
                if (left > 0) {
                    --left;
                    time += step;
                }
            }
        }
        return;
    }
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
    MP4::Atoms atoms(&file);
    if (!boxChapters(file, atoms, records)) trackChapters(file, atoms, records);
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
