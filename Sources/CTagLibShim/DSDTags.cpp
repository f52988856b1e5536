#include "DSDTags.h"

#include <id3v2framefactory.h>
#include <id3v2tag.h>
#include <tfile.h>

#include <cstring>

#include "TagWalk.h"

using namespace TagLib;

namespace dtl {

namespace {

// What TagLib reads an ID3v2 tag from; the format around it is not TagLib's concern.
class TagSource final : public File {
public:
    explicit TagSource(IOStream *stream) : File(stream) {}
    TagLib::Tag *tag() const override { return nullptr; }
    AudioProperties *audioProperties() const override { return nullptr; }
    bool save() override { return false; }
};

void id3v2(ReadStream &stream, int64_t offset, Records &records) {
    uint8_t mark[3];
    if (stream.peek(offset, mark, 3) < 3 || std::memcmp(mark, "ID3", 3) != 0) return;
    TagSource source(&stream);
    const ID3v2::Tag tag(&source, static_cast<Offset>(offset), ID3v2::FrameFactory::instance());
    walk(&tag, records);
}

uint64_t little(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | bytes[count];
    return value;
}

uint64_t big(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int index = 0; index < count; ++index) value = value << 8 | bytes[index];
    return value;
}

void properties(const ReadStream &stream, uint64_t rate, uint64_t channels, uint64_t samples, Records &records) {
    int64_t values[6] = {0, 0, 0, 0, 1, stream.size()};
    // Sixteen times what any file has; beyond it a header is damaged and says nothing.
    if (rate > 0 && rate < uint64_t(1) << 28 && channels > 0 && channels <= 64) {
        values[2] = static_cast<int64_t>(rate);
        values[3] = static_cast<int64_t>(channels);
        values[1] = static_cast<int64_t>(rate * channels / 1000);
        if (samples < uint64_t(1) << 48) values[0] = static_cast<int64_t>(samples * 1000 / rate);
    }
    records.codec("DSD", true);
    records.numbers(values);
}

// A text that a 32-bit length precedes.
void countedText(ReadStream &stream, int64_t offset, uint64_t size, dtl_field field, Records &records) {
    uint8_t head[4];
    constexpr uint64_t limit = 64 << 10;
    if (size < 4 || stream.peek(offset, head, 4) < 4) return;
    const uint64_t count = big(head, 4);
    if (count == 0 || count > size - 4 || count > limit) return;
    std::string text(count, '\0');
    if (stream.peek(offset + 4, reinterpret_cast<uint8_t *>(&text[0]), count) < count) return;
    records.text(field, String(text, String::Latin1));
}

struct DFF {
    uint64_t rate = 0, channels = 0, bytes = 0;
    int64_t tag = -1, title = -1, artist = -1;
    uint64_t titleSize = 0, artistSize = 0;
};

// Chunks within a range; those of `PROP` and `DIIN` lie within them. The limit is for files that keep a reader busy.
void chunks(ReadStream &stream, int64_t offset, int64_t end, int &left, DFF &found, bool isInner) {
    while (offset <= end - 12 && left-- > 0) {
        uint8_t head[12];
        if (stream.peek(offset, head, 12) < 12) return;
        const uint64_t size = big(head + 4, 8);
        const int64_t body = offset + 12;
        const auto is = [&](const char *name) { return std::memcmp(head, name, 4) == 0; };
        const bool isWhole = size <= static_cast<uint64_t>(end - body);
        if (is("DSD ") || is("DST ")) found.bytes = isWhole ? size : static_cast<uint64_t>(end - body);
        if (!isWhole) return;
        const int64_t next = body + static_cast<int64_t>(size);
        uint8_t number[4];
        if (is("ID3 ")) found.tag = body;
        if (is("FS  ") && stream.peek(body, number, 4) == 4) found.rate = big(number, 4);
        if (is("CHNL") && stream.peek(body, number, 2) == 2) found.channels = big(number, 2);
        if (is("DITI")) found.title = body, found.titleSize = size;
        if (is("DIAR")) found.artist = body, found.artistSize = size;
        if (!isInner && is("PROP")) chunks(stream, body + 4, next, left, found, true);
        if (!isInner && is("DIIN")) chunks(stream, body, next, left, found, true);
        offset = next + static_cast<int64_t>(size & 1);
    }
}

}  // namespace

int dsf(ReadStream &stream, Records &records) {
    uint8_t head[80];
    if (stream.peek(0, head, sizeof head) < sizeof head || std::memcmp(head + 28, "fmt ", 4) != 0) return DTL_DAMAGED;
    const uint64_t tag = little(head + 20, 8);
    if (tag > 0 && tag < static_cast<uint64_t>(stream.size())) id3v2(stream, static_cast<int64_t>(tag), records);
    properties(stream, little(head + 56, 4), little(head + 52, 4), little(head + 64, 8), records);
    return DTL_OK;
}

int dff(ReadStream &stream, Records &records) {
    DFF found;
    int left = 1000;
    chunks(stream, 16, stream.size(), left, found, false);
    if (found.rate == 0 || found.channels == 0) return DTL_DAMAGED;
    if (found.tag >= 0) id3v2(stream, found.tag, records);
    records.beginTag();
    if (found.title >= 0) countedText(stream, found.title, found.titleSize, DTL_TITLE, records);
    if (found.artist >= 0) countedText(stream, found.artist, found.artistSize, DTL_ARTIST, records);
    properties(stream, found.rate, found.channels, found.bytes / found.channels * 8, records);
    return DTL_OK;
}

}  // namespace dtl
