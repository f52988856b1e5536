// Tags of DSF and DFF files, which TagLib 1 does not know.
#ifndef DTL_DSD_TAGS_H
#define DTL_DSD_TAGS_H

#include "ReadStream.h"
#include "Records.h"

namespace dtl {

// DSF: an ID3v2 tag at the place that the header names.
int dsf(ReadStream &stream, Records &records);
// DFF (DSDIFF): an ID3v2 tag in a chunk of its own, and the title and artist of the edited master.
int dff(ReadStream &stream, Records &records);

}  // namespace dtl

#endif
