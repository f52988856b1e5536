// Nothing to call: linking this target adds a constructor to a library.
