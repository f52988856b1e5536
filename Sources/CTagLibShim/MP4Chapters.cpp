// Before the other one: behind it, its `File` would be that of MP4, which TagLib's library does not have.
#include <mp4atom.h>

#include "MP4Chapters.h"

#include <algorithm>
#include <cstdint>
#include <set>

using namespace TagLib;

namespace dtl {

namespace {

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

// Where the samples of a track lie, and how long each of them lasts: the boxes of its table.
struct SampleTable {
    // The longest boxes that are read have 12 bytes for each chapter.
    static constexpr int64_t limit = 12 + chapterLimit * 12;

    ByteVector sizes, times, runs, offsets;
    // The bytes of an offset.
    unsigned int width;

    SampleTable(MP4::File &file, MP4::Atom *table)
        : sizes(content(file, table->find("stsz"), limit)), times(content(file, table->find("stts"), limit)),
          runs(content(file, table->find("stsc"), limit)), offsets(content(file, table->find("co64"), limit)), width(8) {
        if (!offsets.isEmpty()) return;
        offsets = content(file, table->find("stco"), limit);
        width = 4;
    }

    // Calls a function with the place, the size and the beginning of each sample, in units of the track.
    template <class Body>
    void each(const Body &body) const {
        if (sizes.size() < 12 || runs.size() < 20) return;
        const unsigned int size = sizes.toUInt(4u), count = std::min(sizes.toUInt(8u), chapterLimit);
        unsigned int sample = 0, run = 8, rate = 8, left = 0, step = 0;
        uint64_t time = 0;
        for (unsigned int chunk = 0; 8 + (chunk + 1) * width <= offsets.size(); ++chunk) {
            // A run holds for the chunks from its first one, which are counted from 1, to the next run's.
            while (run + 24 <= runs.size() && runs.toUInt(run + 12) <= chunk + 1) run += 12;
            const unsigned int place = 8 + chunk * width;
            uint64_t offset = width == 4 ? offsets.toUInt(place) : static_cast<uint64_t>(offsets.toLongLong(place));
            for (unsigned int index = 0; index < runs.toUInt(run + 4) && sample < count; ++index, ++sample) {
                if (size == 0 && 12 + (sample + 1) * 4 > sizes.size()) return;
                const unsigned int length = size != 0 ? size : sizes.toUInt(12 + sample * 4);
                body(offset, length, time);
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
    }
};

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
        const int64_t beginning = delay(file, movie, track);
        SampleTable(file, table).each([&](uint64_t offset, unsigned int size, uint64_t time) {
            records.chapter(beginning + static_cast<int64_t>(time * 1000 / scale), sampleText(file, offset, size));
        });
        return;
    }
}

}  // namespace

void mp4Chapters(MP4::File &file, Records &records) {
    MP4::Atoms atoms(&file);
    if (!boxChapters(file, atoms, records)) trackChapters(file, atoms, records);
}

}  // namespace dtl
