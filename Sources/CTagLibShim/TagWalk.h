// What each kind of tag says, written down as records.
#ifndef DTL_TAG_WALK_H
#define DTL_TAG_WALK_H

#include <apetag.h>
#include <asftag.h>
#include <flacpicture.h>
#include <id3v1tag.h>
#include <id3v2tag.h>
#include <infotag.h>
#include <mp4tag.h>
#include <xiphcomment.h>

#include "Records.h"

namespace dtl {

void walk(const TagLib::ID3v2::Tag *tag, Records &records);
void walk(const TagLib::ID3v1::Tag *tag, Records &records);
void walk(TagLib::APE::Tag *tag, Records &records);
void walk(TagLib::Ogg::XiphComment *tag, Records &records);
void walk(const TagLib::List<TagLib::FLAC::Picture *> &pictures, Records &records);
void walk(TagLib::MP4::Tag *tag, Records &records);
void walk(TagLib::ASF::Tag *tag, Records &records);
void walk(const TagLib::RIFF::Info::Tag *tag, Records &records);

}  // namespace dtl

#endif
