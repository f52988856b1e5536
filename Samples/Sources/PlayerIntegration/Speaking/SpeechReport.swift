/// What was spoken, for programs.
public struct SpeechReport: Sendable, Hashable, Codable {
    /// The synthesizer.
    public var engine: String
    /// Frames per second of the marks.
    public var sampleRate: Int
    /// The length of what was heard, in frames.
    public var frames: Int64
    /// Words and sentences, in the order in which they were heard.
    public var marks: [SpokenMark]
    /// What could not be spoken, each thing once, with its first place in UTF-8 bytes.
    public var warnings: [String]

    /// Whether nothing was heard.
    public var isSilent: Bool { marks.isEmpty && frames == 0 }
}
