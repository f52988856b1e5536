#define _GNU_SOURCE
#include "CDescant.h"
#include <dlfcn.h>
#include <stddef.h>

const char *descant_image_containing(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fname : NULL;
}

const void *descant_core_anchor(void) { return (const void *)&descant_core_anchor; }
