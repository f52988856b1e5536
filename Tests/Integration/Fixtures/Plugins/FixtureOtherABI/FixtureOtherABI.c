#include "FixtureOtherABI.h"

// What a library built for plugin ABI 1 and Swift 6.4 looks like to a host: it refers to that entry type.
extern int other_entry(void *host) __asm__("$s11DescantCore25PluginEntry_abi1_swift6_4O3runys5Int32VAA0A6Plugin_pXp_SvtFZ");

const char *descant_plugin_manifest(void) { return "{}"; }

int descant_plugin_entry(void *host) { return other_entry(host); }
