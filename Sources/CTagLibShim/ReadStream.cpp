#include "ReadStream.h"

#include <fcntl.h>
#include <id3v2synchdata.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dtl {

// Tags lie at the beginning and the end: two windows of this size hold nearly all that is looked at.
static constexpr int64_t windowSize = 16 << 10;

ReadStream::ReadStream(const char *path, const char *name) : name_(name) {
    // Nonblocking, as opening a pipe would wait for a writer; regular files do not care.
    descriptor_ = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) {
        error_ = errno;
        return;
    }
    struct stat status;
    if (fstat(descriptor_, &status) != 0) {
        error_ = errno;
        return;
    }
    if (S_ISDIR(status.st_mode)) error_ = EISDIR;
    regular_ = S_ISREG(status.st_mode);
    size_ = status.st_size;
    // Looking for the first frame of an MP3 reads a whole file once, and every call costs at least 64 bytes here.
    budget_ = (16 << 20) + 8 * size_;
}

ReadStream::~ReadStream() {
    if (descriptor_ >= 0) close(descriptor_);
}

int64_t ReadStream::load(uint8_t *to, int64_t from, int64_t length) {
    int64_t got = 0;
    while (got < length) {
        const ssize_t part = pread(descriptor_, to + got, static_cast<size_t>(length - got), from + got);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) error_ = errno;
        if (part <= 0) break;
        got += part;
    }
    return got;
}

ReadStream::Window *ReadStream::window(int64_t from, int64_t length) {
    if (recent_.holds(from, length)) return &recent_;
    std::swap(recent_, older_);
    if (recent_.holds(from, length)) return &recent_;
    if (!recent_.bytes) recent_.bytes.reset(new uint8_t[windowSize]);
    // What lies at the end is often read backwards.
    recent_.start = std::max<int64_t>(0, std::min(from, size_ - windowSize));
    recent_.count = load(recent_.bytes.get(), recent_.start, std::min(windowSize, size_ - recent_.start));
    return recent_.holds(from, length) ? &recent_ : nullptr;
}

size_t ReadStream::peek(int64_t offset, uint8_t *to, size_t count) {
    if (offset < 0 || offset >= size_) return 0;
    const int64_t length = std::min<int64_t>(static_cast<int64_t>(count), size_ - offset);
    if (length > windowSize) return static_cast<size_t>(std::max<int64_t>(0, load(to, offset, length)));
    const Window *found = window(offset, length);
    if (!found) return 0;
    std::memcpy(to, found->bytes.get() + (offset - found->start), static_cast<size_t>(length));
    return static_cast<size_t>(length);
}

// The ID3v2 chapters (CHAP, CTOC) in a block, one within another or not.
struct Chapters {
    int count = 0;
    bool areCompressed = false, areUnsynchronised = false;

    explicit Chapters(const TagLib::ByteVector &block) {
        const char *at = block.data(), *end = at + block.size();
        for (; end - at >= 10; ++at) {
            at = static_cast<const char *>(std::memchr(at, 'C', static_cast<size_t>(end - at - 9)));
            if (!at) return;
            if (std::memcmp(at, "CHAP", 4) != 0 && std::memcmp(at, "CTOC", 4) != 0) continue;
            // Version 2.4 has 7 bits a byte, which is the smaller of two readings; text has sizes beyond the end of the block.
            const int64_t size = (at[4] & 0x7F) << 21 | (at[5] & 0x7F) << 14 | (at[6] & 0x7F) << 7 | (at[7] & 0x7F);
            if (size > end - at - 10) continue;
            ++count;
            // The flags of versions 2.3 and 2.4.
            if (at[9] & 0x88) areCompressed = true;
            if (at[9] & 0x02) areUnsynchronised = true;
        }
    }
};

// TagLib reads chapters within chapters by recursion, which takes some 400 bytes of the stack each. True for a block with more of them
// than any file has, and for compressed ones, whose content cannot be counted here.
bool ReadStream::mayOverflowStack(TagLib::ByteVector block) {
    if (block.size() == 10 && block.startsWith("ID3") && (block[5] & 0x80)) unsynchronised_ = true;
    // Where chapters are unsynchronised, TagLib decodes each one, and the chapters within it again.
    for (int round = 0; round < 64; ++round) {
        const Chapters found(block);
        if (found.count > 4000 || found.areCompressed) return true;
        if (found.areUnsynchronised) unsynchronised_ = true;
        if (found.count == 0 || !unsynchronised_) return false;
        const TagLib::ByteVector decoded = TagLib::ID3v2::SynchData::decode(block);
        if (decoded.size() == block.size()) return false;
        block = decoded;
    }
    return true;
}

TagLib::ByteVector ReadStream::checked(const TagLib::ByteVector &block) {
    if (!mayOverflowStack(block)) return block;
    budget_ = 0;
    return TagLib::ByteVector();
}

TagLib::ByteVector ReadStream::readBlock(Size length) {
    const int64_t left = size_ - position_;
    if (length == 0 || left <= 0 || position_ < 0 || budget_ <= 0) return TagLib::ByteVector();
    const int64_t count = length > static_cast<uint64_t>(left) ? left : static_cast<int64_t>(length);
    budget_ -= 64 + count;
    const int64_t from = position_;
    if (count > windowSize / 2) {
        TagLib::ByteVector block(static_cast<unsigned int>(std::min<int64_t>(count, INT32_MAX)), 0);
        const int64_t got = load(reinterpret_cast<uint8_t *>(block.data()), from, block.size());
        position_ += got;
        block.resize(static_cast<unsigned int>(got));
        return checked(block);
    }
    const Window *found = window(from, count);
    if (!found) return TagLib::ByteVector();
    position_ += count;
    return checked(TagLib::ByteVector(
        reinterpret_cast<const char *>(found->bytes.get() + (from - found->start)), static_cast<unsigned int>(count)));
}

void ReadStream::seek(Offset offset, Position position) {
    switch (position) {
    case Beginning: position_ = offset; break;
    case Current: position_ += offset; break;
    case End: position_ = size_ + offset; break;
    }
    if (position_ < 0) position_ = 0;
}

}  // namespace dtl
