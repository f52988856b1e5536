#include "Records.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace dtl {

Records::~Records() { std::free(bytes_); }

uint8_t *Records::begin(dtl_field field, uint8_t detail, size_t length) {
    const size_t needed = count_ + 6 + length;
    if (needed > capacity_) {
        const size_t capacity = needed + (needed / 2 > 1024 ? needed / 2 : 1024);
        void *grown = std::realloc(bytes_, capacity);
        if (!grown) throw std::bad_alloc();
        bytes_ = static_cast<uint8_t *>(grown);
        capacity_ = capacity;
    }
    uint8_t *record = bytes_ + count_;
    const uint32_t size = static_cast<uint32_t>(length);
    record[0] = static_cast<uint8_t>(field);
    record[1] = detail;
    std::memcpy(record + 2, &size, 4);
    count_ = needed;
    present_ |= uint64_t(1) << field;
    return record + 6;
}

void Records::append(dtl_field field, uint8_t detail, const void *bytes, size_t length) {
    uint8_t *content = begin(field, detail, length);
    if (length > 0) std::memcpy(content, bytes, length);
}

void Records::text(dtl_field field, const TagLib::String &value) {
    if (!accepts(field)) return;
    const std::string utf8 = value.to8Bit(true);
    append(field, 0, utf8.data(), utf8.size());
}

void Records::texts(dtl_field field, const TagLib::StringList &values) {
    for (const auto &value : values) text(field, value);
}

void Records::number(dtl_field field, int64_t value) {
    if (value == 0 || !accepts(field)) return;
    const std::string digits = std::to_string(value);
    append(field, 0, digits.data(), digits.size());
}

void Records::pair(dtl_field field, int first, int second) {
    if ((first == 0 && second == 0) || !accepts(field)) return;
    const std::string digits = std::to_string(first) + "/" + std::to_string(second);
    append(field, 0, digits.data(), digits.size());
}

void Records::marked(dtl_field field, uint8_t detail, const std::string &mark, const char *bytes, size_t length) {
    uint8_t *content = begin(field, detail, 4 + mark.size() + length);
    const uint32_t size = static_cast<uint32_t>(mark.size());
    std::memcpy(content, &size, 4);
    std::memcpy(content + 4, mark.data(), mark.size());
    if (length > 0) std::memcpy(content + 4 + mark.size(), bytes, length);
}

void Records::lyrics(const TagLib::String &language, const TagLib::String &words) {
    if (!accepts(DTL_LYRICS)) return;
    const std::string text = words.to8Bit(true);
    marked(DTL_LYRICS, 0, language.to8Bit(true), text.data(), text.size());
}

void Records::picture(int kind, const TagLib::String &description, const TagLib::ByteVector &data) {
    if (!accepts(DTL_PICTURE) || data.isEmpty() || data.size() > pictureLimit) return;
    const uint8_t detail = kind >= 0 && kind <= 20 ? static_cast<uint8_t>(kind) : 0;
    marked(DTL_PICTURE, detail, description.to8Bit(true), data.data(), data.size());
}

void Records::chapter(int64_t milliseconds, const TagLib::String &name) {
    if (!accepts(DTL_CHAPTER)) return;
    const std::string text = name.to8Bit(true);
    uint8_t *content = begin(DTL_CHAPTER, 0, sizeof milliseconds + text.size());
    std::memcpy(content, &milliseconds, sizeof milliseconds);
    std::memcpy(content + sizeof milliseconds, text.data(), text.size());
}

void Records::codec(const char *name, bool lossless) { append(DTL_CODEC, lossless, name, std::strlen(name)); }

void Records::numbers(const int64_t (&values)[6]) { append(DTL_NUMBERS, 0, values, sizeof values); }

uint8_t *Records::release(size_t &count) {
    uint8_t *bytes = bytes_;
    count = count_;
    bytes_ = nullptr;
    count_ = capacity_ = 0;
    return bytes;
}

}  // namespace dtl
