import Testing

/// Programs that compute, render or answer, as real processes, one after the other.
@Suite(.serialized) enum CommandLineSuite {}

/// Players as real processes, one after the other and beside ``CommandLineSuite``: several at once are too slow on a small machine.
@Suite(.serialized) enum PlayerSuite {}
