#define _GNU_SOURCE
#include "FixtureConstructor.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

// Runs while the library is loaded, before anybody can ask it anything. It leaves a file beside the bundle, by
// which a test sees that code of the library ran.
__attribute__((constructor)) static void leave_mark(void) {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr((const void *)&leave_mark, &info)) return;
  const char *name = strrchr(info.dli_fname, '/');
  if (!name) return;
  if (snprintf(path, sizeof path, "%.*s.ran", (int)(name - info.dli_fname), info.dli_fname) >= (int)sizeof path) return;
  FILE *file = fopen(path, "we");
  if (file) fclose(file);
}
