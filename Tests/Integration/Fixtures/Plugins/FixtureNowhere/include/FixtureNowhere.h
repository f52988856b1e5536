/// Declared here and defined nowhere.
int descant_fixture_defined_nowhere(void);
