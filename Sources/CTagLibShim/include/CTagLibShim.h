// What TagLib knows of a file, as plain bytes. No exception and no C++ type crosses this edge.
#ifndef C_TAGLIB_SHIM_H
#define C_TAGLIB_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include "FileReplacement.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a record holds.
enum dtl_field {
    DTL_TITLE = 1,
    DTL_ARTIST,
    DTL_ALBUM,
    DTL_ALBUM_ARTIST,
    DTL_COMPOSER,
    DTL_GENRE,
    DTL_DATE,
    DTL_TRACK,        // "7" or "7/12"
    DTL_TRACK_TOTAL,
    DTL_DISC,         // "1" or "1/2"
    DTL_DISC_TOTAL,
    DTL_BPM,
    DTL_COMMENT,
    DTL_TITLE_SORT,
    DTL_ARTIST_SORT,
    DTL_ALBUM_SORT,
    DTL_ALBUM_ARTIST_SORT,
    DTL_COMPOSER_SORT,
    DTL_TRACK_GAIN,   // "-3.21 dB"
    DTL_TRACK_PEAK,
    DTL_ALBUM_GAIN,
    DTL_ALBUM_PEAK,
    DTL_R128_TRACK_GAIN,  // 1/256 dB, relative to -23 LUFS
    DTL_R128_ALBUM_GAIN,
    DTL_MB_RECORDING,
    DTL_MB_RELEASE_TRACK,
    DTL_MB_RELEASE,
    DTL_MB_RELEASE_GROUP,
    DTL_MB_ARTIST,
    DTL_MB_ALBUM_ARTIST,
    DTL_LYRICS,       // length of the language (4 bytes), language, words
    DTL_PICTURE,      // length of the description (4 bytes), description, picture; the detail is its kind
    DTL_CODEC,        // the codec's name; the detail is 1 for lossless ones
    DTL_NUMBERS,      // six int64_t: milliseconds, kbit/s, Hz, channels, bits, bytes of the file; 0 for unknown
    DTL_CHAPTER,      // its beginning in milliseconds (int64_t), its name
    DTL_FIELD_COUNT
};

// What else than an errno (positive) dtl_read returns.
enum dtl_status {
    DTL_OK = 0,
    DTL_UNSUPPORTED = -1,  // no container that has tags TagLib knows
    DTL_DAMAGED = -2,      // a known container, but not readable
    DTL_ENDLESS = -3,      // reading took more than its share, as only a crafted file makes it
    DTL_FAILED = -4        // out of memory, or TagLib gave up
};

// Reads a file's tags into records, each: field (1 byte), detail (1 byte), length (4 bytes), content. Texts are UTF-8. The format
// may follow from the end of `name`. Values of a field come in order. Free the records with free(). Any thread.
int dtl_read(const char *path, const char *name, uint8_t **records, size_t *count);

// The field behind a name of Vorbis comments, APE tags, ID3v2's TXXX and MP4's free items, as dtl_read understands it; 0 for other
// names. The name is UTF-8; case does not matter. Any thread.
int dtl_field_named(const char *name);

// The number of a genre in ID3v1; 255 for one that has none. The name is UTF-8. Any thread.
int dtl_genre_index(const char *name);

// Inflates the content of a compressed ID3v2 frame, which begins with its length in four bytes, as dtl_read does. Returns a dtl_status.
// Free the plain content with free(). Any thread.
int dtl_inflate(const uint8_t *content, size_t count, uint8_t **plain, size_t *plain_count);

#ifdef __cplusplus
}
#endif

#endif
