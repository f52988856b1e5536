/// A command of a transcript.
public struct TranscriptCommand: Sendable, Hashable {
    /// The command, such as `players/all`.
    public let name: String
    /// Its arguments.
    public let arguments: [String: JSON]
}
