// Chapters of MP4 files, which TagLib does not know.
#ifndef DTL_MP4_CHAPTERS_H
#define DTL_MP4_CHAPTERS_H

#include <mp4file.h>

#include "Records.h"

namespace dtl {

// Reads Nero's box, or else a track of text, as Apple's audio books have it.
void mp4Chapters(TagLib::MP4::File &file, Records &records);

}  // namespace dtl

#endif
