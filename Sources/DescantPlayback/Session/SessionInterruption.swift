/// Something with precedence that sounds, and whom it has paused.
struct SessionInterruption {
    /// A client that was playing when it began.
    struct Paused {
        let client: AudioSessionClientID
        let mark: InterruptionToken
    }

    /// What it is, for the log.
    let reason: String
    /// The conversations that go on.
    var calls: Set<UInt32> = []
    /// Whether the server wants our streams to be silent.
    var isWantedByServer = false
    /// Who goes on afterwards.
    var marks: [Paused] = []
    /// Who has become quieter.
    var ducked: [AudioSessionClientID] = []

    /// Whether nothing has precedence any more.
    var isOver: Bool { calls.isEmpty && !isWantedByServer }
}
