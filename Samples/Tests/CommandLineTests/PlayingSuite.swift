import Testing

/// The programs that play in real time, one after another, because several players at once are too slow on a small machine.
@Suite(.serialized) enum PlayingSuite {}
