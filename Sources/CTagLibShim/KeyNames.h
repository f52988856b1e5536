// Names of fields in tags that are made of names and values.
#ifndef DTL_KEY_NAMES_H
#define DTL_KEY_NAMES_H

#include <tstring.h>

#include "CTagLibShim.h"

namespace dtl {

// The field behind a name of Vorbis comments, APE tags and ID3v2's TXXX; 0 for others. Case does not matter.
dtl_field fieldNamed(const TagLib::String &name);

}  // namespace dtl

#endif
