// A file for TagLib to read: two windows of it in memory, and a limit to how often it is read.
#ifndef DTL_READ_STREAM_H
#define DTL_READ_STREAM_H

#include <taglib.h>
#include <tiostream.h>

#include <cstdint>
#include <memory>

namespace dtl {

#if TAGLIB_MAJOR_VERSION >= 2
using Offset = TagLib::offset_t;
using Size = size_t;
using Place = TagLib::offset_t;
#else
using Offset = long;
using Size = unsigned long;
using Place = unsigned long;
#endif

class ReadStream final : public TagLib::IOStream {
public:
    // Opens a file, and calls it `name`; `error()` tells what went wrong, as errno.
    ReadStream(const char *path, const char *name);
    ~ReadStream() override;
    ReadStream(const ReadStream &) = delete;
    ReadStream &operator=(const ReadStream &) = delete;

    int error() const { return error_; }
    bool isRegular() const { return regular_; }
    // Whether more was read than any sound file needs; from then on the stream is at its end.
    bool isExhausted() const { return budget_ <= 0; }
    int64_t size() const { return size_; }
    // Copies up to `count` bytes at `offset`; returns how many there were.
    size_t peek(int64_t offset, uint8_t *to, size_t count);

    TagLib::FileName name() const override { return name_; }
    TagLib::ByteVector readBlock(Size length) override;
    bool readOnly() const override { return true; }
    bool isOpen() const override { return descriptor_ >= 0; }
    void seek(Offset offset, Position position = Beginning) override;
    Offset tell() const override { return static_cast<Offset>(position_); }
    Offset length() override { return static_cast<Offset>(size_); }

    // Nothing is written through this stream.
    void writeBlock(const TagLib::ByteVector &) override {}
    void insert(const TagLib::ByteVector &, Place, Size) override {}
    void removeBlock(Place, Size) override {}
    void truncate(Offset) override {}

private:
    struct Window {
        std::unique_ptr<uint8_t[]> bytes;
        int64_t start = 0;
        int64_t count = 0;
        bool holds(int64_t from, int64_t length) const { return from >= start && from + length <= start + count; }
    };
    Window *window(int64_t from, int64_t length);
    int64_t load(uint8_t *to, int64_t from, int64_t length);
    // The block, or none and the end of the stream.
    TagLib::ByteVector checked(const TagLib::ByteVector &block);
    bool mayOverflowStack(TagLib::ByteVector block);

    const char *name_;
    int descriptor_ = -1;
    int error_ = 0;
    bool regular_ = false;
    int64_t size_ = 0;
    int64_t position_ = 0;
    int64_t budget_ = 0;
    // Whether an ID3v2 tag or a frame is unsynchronised.
    bool unsynchronised_ = false;
    Window recent_, older_;
};

}  // namespace dtl

#endif
