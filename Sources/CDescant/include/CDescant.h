#ifndef CDESCANT_H
#define CDESCANT_H

#include <stddef.h>
#include <stdint.h>

#include "HelperProcess.h"
#include "Sandbox.h"

/// Path of the image (program or shared library) that contains `address`, or NULL.
/// A shim because `dladdr` is a GNU extension that Swift's Glibc module does not show.
const char *descant_image_containing(const void *address);

/// An address inside the image that holds the core.
const void *descant_core_anchor(void);

/// Writes the 32 bytes of the SHA-256 digest (FIPS 180-4) of `length` bytes into `digest`.
/// In C so that a debug build of a host still checks large libraries quickly.
void descant_sha256(const void *bytes, size_t length, uint8_t *digest);

#endif
