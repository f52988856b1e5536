#include "TagWalk.h"

#include <attachedpictureframe.h>
#include <chapterframe.h>
#include <commentsframe.h>
#include <id3v1genres.h>
#include <relativevolumeframe.h>
#include <textidentificationframe.h>
#include <uniquefileidentifierframe.h>
#include <unsynchronizedlyricsframe.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "KeyNames.h"

using namespace TagLib;

namespace dtl {

// MARK: ID3v2

namespace {

struct FrameName {
    char name[5];
    dtl_field field;
};

constexpr FrameName textFrames[] = {
    {"TIT2", DTL_TITLE}, {"TPE1", DTL_ARTIST}, {"TALB", DTL_ALBUM}, {"TPE2", DTL_ALBUM_ARTIST}, {"TCOM", DTL_COMPOSER},
    {"TCON", DTL_GENRE}, {"TDRC", DTL_DATE}, {"TRCK", DTL_TRACK}, {"TPOS", DTL_DISC}, {"TBPM", DTL_BPM},
    {"TSOT", DTL_TITLE_SORT}, {"TSOP", DTL_ARTIST_SORT}, {"TSOA", DTL_ALBUM_SORT}, {"TSO2", DTL_ALBUM_ARTIST_SORT},
    {"TSOC", DTL_COMPOSER_SORT}, {"TYER", DTL_DATE},
};

dtl_field fieldOf(const ByteVector &frame) {
    if (frame.size() < 4) return dtl_field(0);
    for (const auto &known : textFrames)
        if (std::memcmp(known.name, frame.data(), 4) == 0) return known.field;
    return dtl_field(0);
}

// "17" and "(17)" stand for "Rock".
String genreName(const String &text) {
    String digits = text;
    if (text.size() > 2 && text[0] == '(' && text[text.size() - 1] == ')') digits = text.substr(1, text.size() - 2);
    bool ok = false;
    const int number = digits.toInt(&ok);
    if (!ok || number < 0 || number > 255) return text;
    const String name = ID3v1::genre(number);
    return name.isEmpty() ? text : name;
}

void userText(const ID3v2::UserTextIdentificationFrame *frame, Records &records) {
    const dtl_field field = fieldNamed(frame->description());
    if (field == 0) return;
    // What has a frame of its own is not read from user texts: other programs keep other things under such names.
    const bool own = field >= DTL_TRACK_GAIN && field <= DTL_MB_ALBUM_ARTIST;
    if (!own && field != DTL_ALBUM_ARTIST_SORT && field != DTL_COMPOSER_SORT) return;
    const StringList values = frame->fieldList();
    for (auto value = values.begin(); value != values.end(); ++value)
        if (value != values.begin()) records.text(field, *value);
}

// RVA2, where tools keep the gain of a track or an album for players that do not know TXXX.
void relativeVolume(const ID3v2::RelativeVolumeFrame *frame, Records &records) {
    const String name = frame->identification().upper();
    const bool album = name.startsWith("ALBUM");
    if (!album && !name.startsWith("TRACK")) return;
    const dtl_field field = album ? DTL_ALBUM_GAIN : DTL_TRACK_GAIN;
    if (records.has(field)) return;
    const float gain = frame->volumeAdjustment(ID3v2::RelativeVolumeFrame::MasterVolume);
    records.text(field, String(std::to_string(gain)));
}

const ID3v2::CommentsFrame *bestComment(const ID3v2::FrameList &frames) {
    const ID3v2::CommentsFrame *first = nullptr;
    for (auto frame : frames) {
        auto comment = dynamic_cast<const ID3v2::CommentsFrame *>(frame);
        if (!comment) continue;
        if (comment->description().isEmpty()) return comment;
        // iTunes keeps numbers for itself in comments named like this.
        if (!first && !comment->description().startsWith("iTun")) first = comment;
    }
    return first;
}

void chapter(const ID3v2::ChapterFrame *frame, Records &records) {
    // All ones stand for a beginning that only the offset in the file tells.
    if (frame->startTime() == 0xFFFFFFFF) return;
    const ID3v2::FrameList &names = frame->embeddedFrameList("TIT2");
    records.chapter(frame->startTime(), names.isEmpty() ? String() : names.front()->toString());
}

}  // namespace

void walk(const ID3v2::Tag *tag, Records &records) {
    if (!tag) return;
    records.beginTag();
    const ID3v2::FrameList comments = tag->frameList("COMM");
    if (auto comment = bestComment(comments)) records.text(DTL_COMMENT, comment->text());
    // Text of users before RVA2: it is what says most.
    for (auto frame : tag->frameList("TXXX"))
        if (auto text = dynamic_cast<const ID3v2::UserTextIdentificationFrame *>(frame)) userText(text, records);
    for (auto frame : tag->frameList()) {
        const ByteVector id = frame->frameID();
        if (const dtl_field field = fieldOf(id)) {
            auto text = dynamic_cast<const ID3v2::TextIdentificationFrame *>(frame);
            if (!text) continue;
            // TagLib has no values for an empty text, which is one all the same.
            if (text->fieldList().isEmpty()) records.text(field, String());
            for (const auto &value : text->fieldList()) records.text(field, field == DTL_GENRE ? genreName(value) : value);
        } else if (id == "USLT") {
            if (auto words = dynamic_cast<const ID3v2::UnsynchronizedLyricsFrame *>(frame))
                records.lyrics(String(words->language()), words->text());
        } else if (id == "APIC") {
            if (auto image = dynamic_cast<const ID3v2::AttachedPictureFrame *>(frame))
                records.picture(image->type(), image->description(), image->picture());
        } else if (id == "CHAP") {
            if (auto part = dynamic_cast<const ID3v2::ChapterFrame *>(frame)) chapter(part, records);
        } else if (id == "UFID") {
            auto unique = dynamic_cast<const ID3v2::UniqueFileIdentifierFrame *>(frame);
            if (unique && unique->owner() == "http://musicbrainz.org")
                records.text(DTL_MB_RECORDING, String(unique->identifier(), String::UTF8));
        } else if (id == "RVA2") {
            if (auto volume = dynamic_cast<const ID3v2::RelativeVolumeFrame *>(frame)) relativeVolume(volume, records);
        }
    }
}

// MARK: ID3v1 and RIFF INFO

namespace {

// ID3v1 and RIFF INFO have fixed fields; an empty field is not reported.
void present(dtl_field field, const String &value, Records &records) {
    if (!value.stripWhiteSpace().isEmpty()) records.text(field, value);
}

void walkFixedFields(const TagLib::Tag *tag, Records &records) {
    if (!tag) return;
    records.beginTag();
    present(DTL_TITLE, tag->title(), records);
    present(DTL_ARTIST, tag->artist(), records);
    present(DTL_ALBUM, tag->album(), records);
    present(DTL_COMMENT, tag->comment(), records);
    present(DTL_GENRE, tag->genre(), records);
    records.number(DTL_DATE, tag->year());
    records.number(DTL_TRACK, tag->track());
}

}  // namespace

void walk(const ID3v1::Tag *tag, Records &records) { walkFixedFields(tag, records); }

void walk(const RIFF::Info::Tag *tag, Records &records) { walkFixedFields(tag, records); }

// MARK: Names and values

void walk(APE::Tag *tag, Records &records) {
    if (!tag) return;
    records.beginTag();
    for (const auto &entry : tag->itemListMap()) {
        const APE::Item &item = entry.second;
        if (item.type() == APE::Item::Binary) {
            const bool front = entry.first == "COVER ART (FRONT)";
            if (!front && entry.first != "COVER ART (BACK)") continue;
            const ByteVector data = item.binaryData();
            const int end = data.find('\0');
            if (end < 0) continue;
            records.picture(front ? 3 : 4, String(), data.mid(static_cast<unsigned int>(end) + 1));
        } else if (item.type() == APE::Item::Text) {
            const dtl_field field = fieldNamed(entry.first);
            if (field == DTL_LYRICS) {
                for (const auto &words : item.values()) records.lyrics(String(), words);
            } else if (field != 0) {
                records.texts(field, item.values());
            }
        }
    }
}

namespace {

// The milliseconds of 00:12:30.250; -1 for another text. The decimal point of sscanf's %lf would follow the locale of the host.
int64_t chapterTime(const std::string &text) {
    unsigned hours = 0, minutes = 0, seconds = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "%4u:%2u:%4u%n", &hours, &minutes, &seconds, &end) != 3 || seconds >= 60) return -1;
    // Units of 0.1 ms, of which the last one rounds.
    int64_t fraction = 0;
    const char *digit = text.c_str() + end;
    if (*digit == '.') {
        ++digit;
        for (int unit = 1000; unit > 0 && *digit >= '0' && *digit <= '9'; unit /= 10, ++digit) fraction += (*digit - '0') * unit;
    }
    return ((int64_t(hours) * 60 + minutes) * 60 + seconds) * 1000 + (fraction + 5) / 10;
}

// CHAPTER001=00:12:30.250 and CHAPTER001NAME=The Sea (the Chapter Extension of xiph.org's wiki).
void chapters(const Ogg::FieldListMap &fields, Records &records) {
    std::map<unsigned, std::pair<int64_t, String>> found;
    for (const auto &entry : fields) {
        const std::string key = entry.first.upper().to8Bit(true);
        unsigned number = 0;
        int end = 0;
        if (entry.second.isEmpty() || std::sscanf(key.c_str(), "CHAPTER%3u%n", &number, &end) != 1) continue;
        if (key.compare(static_cast<size_t>(end), std::string::npos, "NAME") == 0) {
            found.try_emplace(number, -1, String()).first->second.second = entry.second.front();
        } else if (static_cast<size_t>(end) == key.size()) {
            const int64_t time = chapterTime(entry.second.front().to8Bit(true));
            if (time >= 0) found.try_emplace(number, -1, String()).first->second.first = time;
        }
    }
    for (const auto &part : found)
        if (part.second.first >= 0) records.chapter(part.second.first, part.second.second);
}

}  // namespace

void walk(Ogg::XiphComment *tag, Records &records) {
    if (!tag) return;
    records.beginTag();
    chapters(tag->fieldListMap(), records);
    for (const auto &entry : tag->fieldListMap()) {
        const dtl_field field = fieldNamed(entry.first);
        if (field == 0) continue;
        if (field == DTL_LYRICS) {
            for (const auto &words : entry.second) records.lyrics(String(), words);
        } else if (field == DTL_DATE && entry.first == "YEAR" && tag->contains("DATE")) {
            continue;
        } else if (field == DTL_COMMENT && entry.first == "DESCRIPTION" && tag->contains("COMMENT")) {
            continue;
        } else {
            records.texts(field, entry.second);
        }
    }
    walk(tag->pictureList(), records);
}

void walk(const List<FLAC::Picture *> &pictures, Records &records) {
    for (auto picture : pictures) records.picture(picture->type(), picture->description(), picture->data());
}

// MARK: MP4

namespace {

struct AtomName {
    const char *name;
    dtl_field field;
};

constexpr AtomName textAtoms[] = {
    {"\251nam", DTL_TITLE}, {"\251ART", DTL_ARTIST}, {"\251alb", DTL_ALBUM}, {"aART", DTL_ALBUM_ARTIST},
    {"\251wrt", DTL_COMPOSER}, {"\251gen", DTL_GENRE}, {"\251day", DTL_DATE}, {"\251cmt", DTL_COMMENT},
    {"sonm", DTL_TITLE_SORT}, {"soar", DTL_ARTIST_SORT}, {"soal", DTL_ALBUM_SORT}, {"soaa", DTL_ALBUM_ARTIST_SORT},
    {"soco", DTL_COMPOSER_SORT},
};

const char freeform[] = "----:com.apple.iTunes:";

void item(const String &name, const MP4::Item &item, Records &records) {
    for (const auto &known : textAtoms)
        if (name == known.name) return records.texts(known.field, item.toStringList());
    if (name == "trkn" || name == "disk") {
        const auto pair = item.toIntPair();
        records.pair(name == "trkn" ? DTL_TRACK : DTL_DISC, pair.first, pair.second);
    } else if (name == "tmpo") {
        records.number(DTL_BPM, item.toInt());
    } else if (name == "\251lyr") {
        for (const auto &words : item.toStringList()) records.lyrics(String(), words);
    } else if (name == "covr") {
        int kind = 3;
        for (const auto &cover : item.toCoverArtList()) {
            records.picture(kind, String(), cover.data());
            kind = 0;
        }
    } else if (name.startsWith(freeform)) {
        const dtl_field field = fieldNamed(name.substr(sizeof freeform - 1));
        if (field >= DTL_TRACK_GAIN && field <= DTL_MB_ALBUM_ARTIST) records.texts(field, item.toStringList());
    }
}

}  // namespace

void walk(MP4::Tag *tag, Records &records) {
    if (!tag) return;
    records.beginTag();
    for (const auto &entry : tag->itemMap()) item(entry.first, entry.second, records);
}

// MARK: ASF

namespace {

constexpr AtomName asfNames[] = {
    {"WM/AlbumTitle", DTL_ALBUM}, {"WM/AlbumArtist", DTL_ALBUM_ARTIST}, {"WM/Composer", DTL_COMPOSER},
    {"WM/Genre", DTL_GENRE}, {"WM/Year", DTL_DATE}, {"WM/TrackNumber", DTL_TRACK}, {"WM/PartOfSet", DTL_DISC},
    {"WM/BeatsPerMinute", DTL_BPM}, {"WM/TitleSortOrder", DTL_TITLE_SORT}, {"WM/ArtistSortOrder", DTL_ARTIST_SORT},
    {"WM/AlbumSortOrder", DTL_ALBUM_SORT}, {"WM/AlbumArtistSortOrder", DTL_ALBUM_ARTIST_SORT},
    {"WM/ComposerSortOrder", DTL_COMPOSER_SORT}, {"MusicBrainz/Track Id", DTL_MB_RECORDING},
    {"MusicBrainz/Release Track Id", DTL_MB_RELEASE_TRACK}, {"MusicBrainz/Album Id", DTL_MB_RELEASE},
    {"MusicBrainz/Release Group Id", DTL_MB_RELEASE_GROUP}, {"MusicBrainz/Artist Id", DTL_MB_ARTIST},
    {"MusicBrainz/Album Artist Id", DTL_MB_ALBUM_ARTIST},
};

dtl_field asfField(const String &name) {
    for (const auto &known : asfNames)
        if (name == known.name) return known.field;
    const dtl_field field = fieldNamed(name);
    return field >= DTL_TRACK_GAIN && field <= DTL_ALBUM_PEAK ? field : dtl_field(0);
}

// TagLib has a text for text only; many programs store numbers as such.
String asfText(const ASF::Attribute &attribute) {
    switch (attribute.type()) {
    case ASF::Attribute::BoolType: return String(std::to_string(attribute.toBool()));
    case ASF::Attribute::WordType: return String(std::to_string(attribute.toUShort()));
    case ASF::Attribute::DWordType: return String(std::to_string(attribute.toUInt()));
    case ASF::Attribute::QWordType: return String(std::to_string(attribute.toULongLong()));
    default: return attribute.toString();
    }
}

}  // namespace

void walk(ASF::Tag *tag, Records &records) {
    if (!tag) return;
    records.beginTag();
    present(DTL_TITLE, tag->title(), records);
    present(DTL_COMMENT, tag->comment(), records);
    const auto &attributes = tag->attributeListMap();
    // TagLib joins the artists of this field; further ones are attributes.
    present(DTL_ARTIST, tag->artist(), records);
    for (const auto &entry : attributes) {
        if (entry.first == "WM/Picture") {
            for (const auto &attribute : entry.second) {
                const ASF::Picture picture = attribute.toPicture();
                if (picture.isValid()) records.picture(picture.type(), picture.description(), picture.picture());
            }
        } else if (entry.first == "WM/Lyrics") {
            for (const auto &attribute : entry.second) records.lyrics(String(), attribute.toString());
        } else if (const dtl_field field = asfField(entry.first)) {
            for (const auto &attribute : entry.second) records.text(field, asfText(attribute));
        }
    }
}

}  // namespace dtl
