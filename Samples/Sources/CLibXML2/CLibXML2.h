#include <libxml/xmlversion.h>
// libxml2 only points to types of ICU, and Foundation has its own copy of their headers.
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
