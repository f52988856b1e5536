#include "FixtureRogueStart.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Runs inside dlopen, while the dynamic linker holds its lock.
__attribute__((constructor)) static void begin(void) {
  const char *behaviour = getenv("DESCANT_ROGUE");
  if (!behaviour) return;
  if (!strcmp(behaviour, "abort constructor")) abort();
  if (strcmp(behaviour, "hang constructor")) return;
  fixture_rogue_hang();
}

void fixture_rogue_hang(void) {
  const char *mark = getenv("DESCANT_ROGUE_MARK");
  FILE *file = mark ? fopen(mark, "we") : NULL;
  if (file) fclose(file);
  for (;;) pause();
}
