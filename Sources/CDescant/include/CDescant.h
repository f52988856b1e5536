#ifndef CDESCANT_H
#define CDESCANT_H

/// Path of the image (program or shared library) that contains `address`, or NULL.
/// A shim because `dladdr` is a GNU extension that Swift's Glibc module does not show.
const char *descant_image_containing(const void *address);

/// An address inside the image that holds the core.
const void *descant_core_anchor(void);

#endif
