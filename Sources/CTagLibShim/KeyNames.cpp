#include "KeyNames.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace dtl {

namespace {

struct Key {
    const char *name;
    dtl_field field;
};

// In the order of strcmp.
constexpr Key keys[] = {
    {"ALBUM", DTL_ALBUM},
    {"ALBUM ARTIST", DTL_ALBUM_ARTIST},
    {"ALBUMARTIST", DTL_ALBUM_ARTIST},
    {"ALBUMARTISTSORT", DTL_ALBUM_ARTIST_SORT},
    {"ALBUMSORT", DTL_ALBUM_SORT},
    {"ARTIST", DTL_ARTIST},
    {"ARTISTSORT", DTL_ARTIST_SORT},
    {"BPM", DTL_BPM},
    {"COMMENT", DTL_COMMENT},
    {"COMPOSER", DTL_COMPOSER},
    {"COMPOSERSORT", DTL_COMPOSER_SORT},
    {"DATE", DTL_DATE},
    {"DESCRIPTION", DTL_COMMENT},
    {"DISC", DTL_DISC},
    {"DISCNUMBER", DTL_DISC},
    {"DISCTOTAL", DTL_DISC_TOTAL},
    {"GENRE", DTL_GENRE},
    {"LYRICS", DTL_LYRICS},
    {"MUSICBRAINZ ALBUM ARTIST ID", DTL_MB_ALBUM_ARTIST},
    {"MUSICBRAINZ ALBUM ID", DTL_MB_RELEASE},
    {"MUSICBRAINZ ARTIST ID", DTL_MB_ARTIST},
    {"MUSICBRAINZ RELEASE GROUP ID", DTL_MB_RELEASE_GROUP},
    {"MUSICBRAINZ RELEASE TRACK ID", DTL_MB_RELEASE_TRACK},
    {"MUSICBRAINZ TRACK ID", DTL_MB_RECORDING},
    {"MUSICBRAINZ_ALBUMARTISTID", DTL_MB_ALBUM_ARTIST},
    {"MUSICBRAINZ_ALBUMID", DTL_MB_RELEASE},
    {"MUSICBRAINZ_ARTISTID", DTL_MB_ARTIST},
    {"MUSICBRAINZ_RELEASEGROUPID", DTL_MB_RELEASE_GROUP},
    {"MUSICBRAINZ_RELEASETRACKID", DTL_MB_RELEASE_TRACK},
    {"MUSICBRAINZ_TRACKID", DTL_MB_RECORDING},
    {"R128_ALBUM_GAIN", DTL_R128_ALBUM_GAIN},
    {"R128_TRACK_GAIN", DTL_R128_TRACK_GAIN},
    {"REPLAYGAIN_ALBUM_GAIN", DTL_ALBUM_GAIN},
    {"REPLAYGAIN_ALBUM_PEAK", DTL_ALBUM_PEAK},
    {"REPLAYGAIN_TRACK_GAIN", DTL_TRACK_GAIN},
    {"REPLAYGAIN_TRACK_PEAK", DTL_TRACK_PEAK},
    {"TITLE", DTL_TITLE},
    {"TITLESORT", DTL_TITLE_SORT},
    {"TOTALDISCS", DTL_DISC_TOTAL},
    {"TOTALTRACKS", DTL_TRACK_TOTAL},
    {"TRACK", DTL_TRACK},
    {"TRACKNUMBER", DTL_TRACK},
    {"TRACKTOTAL", DTL_TRACK_TOTAL},
    {"UNSYNCEDLYRICS", DTL_LYRICS},
    {"YEAR", DTL_DATE},
};

constexpr size_t longest = 32;

}  // namespace

dtl_field fieldNamed(const TagLib::String &name) {
    char text[longest];
    size_t count = 0;
    for (auto letter : name) {
        if (count + 1 == longest || letter < 0x20 || letter > 0x7E) return dtl_field(0);
        text[count++] = static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 32 : letter);
    }
    text[count] = 0;
    const auto found = std::lower_bound(std::begin(keys), std::end(keys), text, [](const Key &key, const char *wanted) {
        return std::strcmp(key.name, wanted) < 0;
    });
    return found != std::end(keys) && std::strcmp(found->name, text) == 0 ? found->field : dtl_field(0);
}

}  // namespace dtl
