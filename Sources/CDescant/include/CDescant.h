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

/// A SHA-256 digest (FIPS 180-4) of bytes that come in pieces.
/// In C so that a debug build of a host still checks large libraries quickly.
typedef struct {
  uint32_t words[8];
  /// The last `length % 64` bytes, which do not fill a block yet.
  uint8_t block[64];
  /// How many bytes were added.
  uint64_t length;
} descant_sha256_state;

/// Begins a digest.
void descant_sha256_begin(descant_sha256_state *digest);

/// Adds `length` bytes.
void descant_sha256_add(descant_sha256_state *digest, const void *bytes, size_t length);

/// Writes the 32 bytes of the digest of all bytes into `result`. Nothing may be added afterwards.
void descant_sha256_end(descant_sha256_state *digest, uint8_t *result);

#endif
