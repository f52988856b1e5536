/// Leaves a file where `DESCANT_ROGUE_MARK` says, and never comes back.
void fixture_rogue_hang(void);
