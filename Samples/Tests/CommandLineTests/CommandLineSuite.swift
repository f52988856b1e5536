import Testing

/// The programs as real processes. One after the other: several players at once would wait for each other on a small
/// machine.
@Suite(.serialized) enum CommandLineSuite {}
