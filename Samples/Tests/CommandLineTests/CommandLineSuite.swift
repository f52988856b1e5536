import Testing

/// The programs as real processes, one after the other, because several players at once are too slow on a small machine.
@Suite(.serialized) enum CommandLineSuite {}
