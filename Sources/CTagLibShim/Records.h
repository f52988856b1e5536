// Gathers what is found in a file as records; see CTagLibShim.h for their form.
#ifndef DTL_RECORDS_H
#define DTL_RECORDS_H

#include <tbytevector.h>
#include <tstring.h>
#include <tstringlist.h>

#include <cstdint>
#include <string>

#include "CTagLibShim.h"

namespace dtl {

class Records {
public:
    Records() = default;
    ~Records();
    Records(const Records &) = delete;
    Records &operator=(const Records &) = delete;

    // What was found so far stands before what another kind of tag says of the same field.
    void beginTag() { earlier_ = present_; }

    void text(dtl_field field, const TagLib::String &value);
    void texts(dtl_field field, const TagLib::StringList &values);
    void number(dtl_field field, int64_t value);
    void pair(dtl_field field, int first, int second);
    void lyrics(const TagLib::String &language, const TagLib::String &words);
    void picture(int kind, const TagLib::String &description, const TagLib::ByteVector &data);
    void chapter(int64_t milliseconds, const TagLib::String &name);
    void codec(const char *name, bool lossless);
    void numbers(const int64_t (&values)[6]);

    // Whether a field has a value, in this kind of tag or an earlier one.
    bool has(dtl_field field) const { return (present_ >> field) & 1; }
    // Hands the memory over.
    uint8_t *release(size_t &count);

private:
    // The maximum size of a picture that is read, in bytes.
    static constexpr unsigned int pictureLimit = 10000000;

    bool accepts(dtl_field field) const { return !((earlier_ >> field) & 1); }
    void append(dtl_field field, uint8_t detail, const void *bytes, size_t length);
    uint8_t *begin(dtl_field field, uint8_t detail, size_t length);
    void marked(dtl_field field, uint8_t detail, const std::string &mark, const char *bytes, size_t length);

    uint8_t *bytes_ = nullptr;
    size_t count_ = 0;
    size_t capacity_ = 0;
    uint64_t present_ = 0;
    uint64_t earlier_ = 0;
};

static_assert(DTL_FIELD_COUNT <= 64, "fields are counted in one word");

}  // namespace dtl

#endif
