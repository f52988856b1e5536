const char *descant_plugin_manifest(void);
int descant_plugin_entry(void *host);
